//===- Creation.cpp - Values from nothing: ranges, constants, program ids -----===//
#include "sema/ops/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"

namespace gluonc::sema::ops {

static Result emitArange(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> start = intArgument(context, arguments, 0, "start");
  std::optional<int64_t> end = start;
  if (isGiven(arguments[1]))
    end = intArgument(context, arguments, 1, "end");
  else
    start = start ? std::optional<int64_t>(0) : std::nullopt;
  if (!start || !end)
    return std::nullopt;
  if (*end <= *start) {
    context.report(diag::Kind::EmptyRange, arguments.span(1), *start, *end).end();
    return std::nullopt;
  }
  for (auto [i, bound] : {std::pair(0, *start), std::pair(1, *end)})
    if (!llvm::isInt<32>(bound)) {
      context.report(diag::Kind::ScalarOutOfRange, arguments.span(i), bound, dtypes::int32).end();
      return std::nullopt;
    }
  std::optional<mlir::RankedTensorType> type = blockType(
      context, {*end - *start}, arguments.span(1), dtypes::int32, arguments[2], arguments.span(2));
  if (!type)
    return std::nullopt;
  return tensor(
      context.builder.create<tt::MakeRangeOp>(context.loc(), *type, int32_t(*start), int32_t(*end)),
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

static Result emitFull(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, 0, "shape");
  std::optional<DType> dtype = dtypeArgument(context, arguments, 2, "dtype");
  if (!shape || !dtype)
    return std::nullopt;
  // A tensor without dimensions is a scalar.
  if (shape->empty())
    return arguments[1].isNumber() && holdsNumbers(*dtype)
               ? filledConstant(context, operand(arguments, 1), *dtype,
                                dtype->toMlir(context.mlirContext()))
               : cast(context, arguments[1], *dtype, arguments.span(1));
  std::optional<mlir::RankedTensorType> type =
      blockType(context, *shape, arguments.span(0), *dtype, arguments[3], arguments.span(3));
  if (!type)
    return std::nullopt;
  return fill(context, operand(arguments, 1), *dtype, *type);
}

static Result emitZeros(Context &context, const BoundArgs &arguments) {
  Value values[] = {arguments[0], Value::integer(0), arguments[1], arguments[2]};
  diag::Span spans[] = {arguments.span(0), context.span, arguments.span(1), arguments.span(2)};
  return emitFull(context, {values, spans});
}

/// full_like(x, value, shape, dtype, layout): what is not given comes from x.
static Result emitFullLike(Context &context, const BoundArgs &arguments) {
  if (!tensorArgument(context, arguments, 0, "x"))
    return std::nullopt;
  const Value &like = arguments[0];
  Value shape = arguments[2], dtype = arguments[3], layout = arguments[4];
  if (!isGiven(shape)) {
    std::vector<Value> sizes;
    if (like.isTensor() && like.isBlock())
      for (int64_t size : like.shape())
        sizes.push_back(Value::integer(size));
    shape = Value::tuple(std::move(sizes));
  }
  if (!isGiven(dtype))
    dtype = Value::dtype(operand(arguments, 0).dtype());
  if (!isGiven(layout) && like.isTensor() && like.isBlock())
    layout = Value::layout(layoutOf(like));
  Value values[] = {shape, arguments[1], dtype, layout};
  diag::Span spans[] = {arguments.span(2), arguments.span(1), arguments.span(3), arguments.span(4)};
  return emitFull(context, {values, spans});
}

static Result emitZerosLike(Context &context, const BoundArgs &arguments) {
  Value values[] = {arguments[0], Value::integer(0), arguments[1], arguments[2], arguments[3]};
  diag::Span spans[] = {arguments.span(0), context.span, arguments.span(1), arguments.span(2),
                        arguments.span(3)};
  return emitFullLike(context, {values, spans});
}

static Result emitToTensor(Context &context, const BoundArgs &arguments) {
  return materialize(context, operand(arguments, 0));
}

static Result emitCast(Context &context, const BoundArgs &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, 1, "dtype");
  std::optional<llvm::StringRef> rounding =
      stringArgument(context, arguments, 2, "fp_downcast_rounding", "");
  std::optional<bool> bitcast = boolArgument(context, arguments, 3, "bitcast", false);
  if (!dtype || !rounding || !bitcast)
    return std::nullopt;
  Operand source = operand(arguments, 0);
  if (*bitcast) {
    Result value = materialize(context, source);
    return value ? bitcastTensor(context, *value, *dtype, source.span) : std::nullopt;
  }
  if (rounding->empty())
    return cast(context, source.value, *dtype, source.span);
  if (*rounding != "rtne" && *rounding != "rtz") {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span(2), "fp_downcast_rounding", *rounding,
                "\"rtne\", \"rtz\"")
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
    context.report(diag::Kind::RoundingUnused, arguments.span(2), from, *dtype).end();
    return std::nullopt;
  }
  return castTensor(context, *value, *dtype, source.span,
                    *rounding == "rtz" ? Rounding::TowardZero : Rounding::NearestEven);
}

/// The x, y or z that an axis argument names.
static std::optional<tt::ProgramIDDim> gridAxis(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> axis = intArgument(context, arguments, 0, "axis");
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis > 2) {
    context.report(diag::Kind::AxisOutOfRange, arguments.span(0), *axis, 3).end();
    return std::nullopt;
  }
  return tt::ProgramIDDim(*axis);
}

template <typename Op> static Result emitProgram(Context &context, const BoundArgs &arguments) {
  std::optional<tt::ProgramIDDim> axis = gridAxis(context, arguments);
  if (!axis)
    return std::nullopt;
  return tensor(context.builder.create<Op>(context.loc(), *axis), dtypes::int32);
}

llvm::ArrayRef<Builtin> creationBuiltins() {
  static const Builtin table[] = {
      {"arange", "start, end=, layout=", emitArange},
      {"full", "shape, value, dtype, layout=", emitFull},
      {"zeros", "shape, dtype, layout=", emitZeros},
      {"full_like", "x, value, shape=, dtype=, layout=", emitFullLike},
      {"zeros_like", "x, shape=, dtype=, layout=", emitZerosLike},
      {"to_tensor", "x", emitToTensor},
      {"cast", "x, dtype, fp_downcast_rounding=, bitcast=", emitCast},
      {"program_id", "axis", emitProgram<tt::GetProgramIdOp>},
      {"num_programs", "axis", emitProgram<tt::GetNumProgramsOp>},
  };
  return table;
}

} // namespace gluonc::sema::ops
