//===- Creation.cpp - Values from nothing: ranges, constants, program ids -----===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"

namespace gluonc::sema::ops {

static Result emitArange(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> start = intArgument(context, arguments, "start");
  std::optional<int64_t> end = start;
  if (isGiven(arguments["end"]))
    end = intArgument(context, arguments, "end");
  else
    start = start ? std::optional<int64_t>(0) : std::nullopt;
  if (!start || !end)
    return std::nullopt;
  if (*end <= *start) {
    context.report(diag::Kind::EmptyRange, arguments.span("end"), *start, *end).end();
    return std::nullopt;
  }
  for (auto [name, bound] : {std::pair("start", *start), std::pair("end", *end)})
    if (!llvm::isInt<32>(bound)) {
      context.report(diag::Kind::ScalarOutOfRange, arguments.span(name), bound, dtypes::int32)
          .end();
      return std::nullopt;
    }
  std::optional<mlir::RankedTensorType> type =
      blockType(context, {*end - *start}, arguments.span("end"), dtypes::int32, arguments["layout"],
                arguments.span("layout"));
  if (!type)
    return std::nullopt;
  return tensor(tt::MakeRangeOp::create(context.builder, context.loc(), *type, int32_t(*start),
                                        int32_t(*end)),
                dtypes::int32);
}

/// A block of `value`, a number or scalar, in every element.
static Result fill(Context &context, const Operand &value, DType dtype,
                   mlir::RankedTensorType type) {
  if (value.isBlock()) {
    context
        .report(diag::Kind::ArgumentKind, value.span, "value", "a scalar", value.value.typeName())
        .end();
    return std::nullopt;
  }
  if (value.isNumber() && holdsNumbers(dtype))
    return filledConstant(context, value, dtype, type);
  Result scalar = cast(context, value.value, dtype, value.span);
  return scalar ? Result(splat(context, *scalar, type)) : std::nullopt;
}

static constexpr Signature fullParameters =
    "shape: ints, value: scalar, dtype: dtype, layout: layout = AutoLayout";
static constexpr Signature likeParameters =
    "input: tensor, value: scalar, shape: ints = None, dtype: dtype = None, layout: layout = None";

static Result emitFull(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, "shape");
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  if (!shape || !dtype)
    return std::nullopt;
  // A tensor without dimensions is a scalar.
  if (shape->empty())
    return arguments["value"].isNumber() && holdsNumbers(*dtype)
               ? filledConstant(context, operand(arguments, "value"), *dtype,
                                dtype->toMlir(context.mlirContext()))
               : cast(context, arguments["value"], *dtype, arguments.span("value"));
  std::optional<mlir::RankedTensorType> type =
      blockType(context, *shape, arguments.span("shape"), *dtype, arguments["layout"],
                arguments.span("layout"));
  if (!type)
    return std::nullopt;
  return fill(context, operand(arguments, "value"), *dtype, *type);
}

static Result emitZeros(Context &context, const BoundArgs &arguments) {
  Value values[] = {arguments["shape"], Value::integer(0), arguments["dtype"], arguments["layout"]};
  diag::Span spans[] = {arguments.span("shape"), context.span, arguments.span("dtype"),
                        arguments.span("layout")};
  return emitFull(context, {fullParameters, values, spans});
}

/// full_like(x, value, shape, dtype, layout): what is not given comes from x.
static Result emitFullLike(Context &context, const BoundArgs &arguments) {
  if (!tensorArgument(context, arguments, "input"))
    return std::nullopt;
  const Value &like = arguments["input"];
  Value shape = arguments["shape"], dtype = arguments["dtype"], layout = arguments["layout"];
  if (!isGiven(shape)) {
    std::vector<Value> sizes;
    if (like.isTensor() && like.isBlock())
      for (int64_t size : like.shape())
        sizes.push_back(Value::integer(size));
    shape = Value::tuple(std::move(sizes));
  }
  if (!isGiven(dtype))
    dtype = Value::dtype(operand(arguments, "input").dtype());
  if (!isGiven(layout) && like.isTensor() && like.isBlock())
    layout = Value::layout(layoutOf(like));
  Value values[] = {shape, arguments["value"], dtype, layout};
  diag::Span spans[] = {arguments.span("shape"), arguments.span("value"), arguments.span("dtype"),
                        arguments.span("layout")};
  return emitFull(context, {fullParameters, values, spans});
}

static Result emitZerosLike(Context &context, const BoundArgs &arguments) {
  Value values[] = {arguments["input"], Value::integer(0), arguments["shape"], arguments["dtype"],
                    arguments["layout"]};
  diag::Span spans[] = {arguments.span("input"), context.span, arguments.span("shape"),
                        arguments.span("dtype"), arguments.span("layout")};
  return emitFullLike(context, {likeParameters, values, spans});
}

static Result emitToTensor(Context &context, const BoundArgs &arguments) {
  return materialize(context, operand(arguments, "x"));
}

static Result emitCast(Context &context, const BoundArgs &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  std::optional<llvm::StringRef> rounding =
      stringArgument(context, arguments, "fp_downcast_rounding");
  std::optional<bool> bitcast = boolArgument(context, arguments, "bitcast");
  if (!dtype || !rounding || !bitcast)
    return std::nullopt;
  Operand source = operand(arguments, "input");
  if (*bitcast) {
    Result value = materialize(context, source);
    return value ? bitcastTensor(context, *value, *dtype, source.span) : std::nullopt;
  }
  if (rounding->empty())
    return cast(context, source.value, *dtype, source.span);
  if (*rounding != "rtne" && *rounding != "rtz") {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("fp_downcast_rounding"),
                "fp_downcast_rounding", *rounding, "\"rtne\", \"rtz\"")
        .end();
    return std::nullopt;
  }
  Result value = materialize(context, source);
  if (!value)
    return std::nullopt;
  DType from = value->dtype();
  if (from == *dtype)
    return value;
  if (!from.isFloat() || !dtype->isFloat() || dtype->bitWidth() >= from.bitWidth()) {
    context.report(diag::Kind::RoundingUnused, arguments.span("fp_downcast_rounding"), from, *dtype)
        .end();
    return std::nullopt;
  }
  return castTensor(context, *value, *dtype, source.span,
                    *rounding == "rtz" ? Rounding::TowardZero : Rounding::NearestEven);
}

/// The x, y or z that an axis argument names.
static std::optional<tt::ProgramIDDim> gridAxis(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> axis = intArgument(context, arguments, "axis");
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis > 2) {
    context.report(diag::Kind::AxisOutOfRange, arguments.span("axis"), *axis, 3).end();
    return std::nullopt;
  }
  return tt::ProgramIDDim(*axis);
}

template <typename Op> static Result emitProgram(Context &context, const BoundArgs &arguments) {
  std::optional<tt::ProgramIDDim> axis = gridAxis(context, arguments);
  if (!axis)
    return std::nullopt;
  return tensor(Op::create(context.builder, context.loc(), *axis), dtypes::int32);
}

llvm::ArrayRef<Builtin> creationBuiltins() {
  static const Builtin table[] = {
      {"arange", "start: int, end: int = None, layout: layout = AutoLayout", emitArange, asFunction,
       R"(
Consecutive integers: `start` to `end - 1`, or 0 to `start - 1` where only one bound is given.

The length must be a power of two, as for every block.

Gives: int32 [end - start] in `layout`.
Errors: an empty range; bounds beyond int32; a layout that does not fit the length or the kernel.

    offsets = gl.program_id(0) * 128 + gl.arange(0, 128, layout=layout)
)"},
      {"full", fullParameters, emitFull, asFunction, R"(
A block with the same value in every element.

The value is converted to `dtype`. An empty shape gives a scalar.

Gives: `dtype` `shape` in `layout`.
Errors: a size that is no power of two; a value that is a block, or that `dtype` cannot hold.

    ones = gl.full([64, 32], 1.0, gl.float32, tiled)
)"},
      {"zeros", "shape: ints, dtype: dtype, layout: layout = AutoLayout", emitZeros, asFunction, R"(
A block of zeros.

Gives: `dtype` `shape` in `layout`.
Errors: those of `full`.

    sum = gl.zeros([64, 32], gl.float32, tiled)
)"},
      {"full_like", likeParameters, emitFullLike, asFunction, R"(
A block with one value in every element, described like another.

Shape, dtype and layout are those of `x` where they are not given.

Gives: a block, or a scalar where `x` is one and no shape is given.
Errors: those of `full`.

    limit = gl.full_like(x, 10.0)
)"},
      {"zeros_like",
       "input: tensor, shape: ints = None, dtype: dtype = None, layout: layout = None",
       emitZerosLike, asFunction, R"(
A block of zeros, described like another.

Shape, dtype and layout are those of `x` where they are not given.

Gives: a block, or a scalar where `x` is one and no shape is given.
Errors: those of `full`.

    sum = gl.zeros_like(tile)
)"},
      {"to_tensor", "x: tensor", emitToTensor, asFunction, R"(
Makes a scalar of the run time from a number.

A tensor stays what it is. Integers become int32, or int64, uint64 where they need it; floats become
float32; booleans int1.

Gives: a scalar, or `x`.
Errors: an integer beyond 64 bits; what is neither number nor tensor.

    count = gl.to_tensor(0)
)"},
      {"cast",
       "input: tensor, dtype: dtype, fp_downcast_rounding: str = None, bitcast: bool = False",
       emitCast,
       {.isMethod = true, .methodAlias = "to"},
       R"(
Converts a tensor or a number to another element type.

`bitcast` keeps the bits and needs types of one width. Floats become narrower by rounding to nearest
even, or as `fp_downcast_rounding` says: "rtne" or "rtz" (toward zero). Conversion to int1 compares
with zero. Pointers convert to pointers, and to and from int64.

Gives: `dtype` in the shape and layout of `x`.
Errors: a conversion that does not exist; a rounding where nothing is rounded.

    half = x.to(gl.float16)
    bits = gl.cast(x, gl.int32, bitcast=True)
)"},
      {"program_id", "axis: int", emitProgram<tt::GetProgramIdOp>, asFunction, R"(
The number of this program along an axis of the grid.

Gives: an int32 scalar, from 0 to `num_programs(axis) - 1`.
Errors: an axis other than 0, 1 and 2.

    first = gl.program_id(0) * 128
)"},
      {"num_programs", "axis: int", emitProgram<tt::GetNumProgramsOp>, asFunction, R"(
The number of programs along an axis of the grid.

Gives: an int32 scalar.
Errors: an axis other than 0, 1 and 2.

    for block in range(gl.program_id(0), n, gl.num_programs(0)):
        gl.store(p + block, 0.0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
