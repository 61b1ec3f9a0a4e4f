//===- Gather.cpp - Elements by index: gather, histogram ----------------------===//
//
// Of registers and of shared memory. Every index names a place along one axis;
// all other coordinates are the element's own.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/shared/Shared.h"

#include "ir/Encoding.h"
#include "support/Error.h"

namespace gluonc::sema::ops {

/// An argument that must be a block of integers.
static bool indexArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  if (!blockArgument(context, arguments, name))
    return false;
  if (arguments[name].dtype().isInt())
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(name), name, "of integers",
              arguments[name].typeName())
      .end();
  return false;
}

/// Indices have the rank of what they index, and fit it outside of the axis.
static bool checkIndices(Context &context, llvm::ArrayRef<int64_t> source, const Operand &indices,
                         unsigned axis, bool mayBeSmaller) {
  llvm::ArrayRef<int64_t> shape = indices.value.shape();
  bool fits = shape.size() == source.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = d == axis || shape[d] == source[d] || (mayBeSmaller && shape[d] < source[d]);
  if (!fits)
    context.report(diag::Kind::GatherShape, indices.span, shapeText(shape), shapeText(source), axis)
        .end();
  return fits;
}

// -- Registers -----------------------------------------------------------------

static Result emitGather(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "src") || !indexArgument(context, arguments, "index"))
    return std::nullopt;
  const Value &source = arguments["src"], &index = arguments["index"];
  std::optional<unsigned> axis = axisArgument(context, arguments, source.shape().size());
  if (!axis || !checkIndices(context, source.shape(), operand(arguments, "index"), *axis,
                             /*mayBeSmaller=*/false))
    return std::nullopt;
  mlir::Type type = typeWithElement(index.irType(), source.blockTensorType().getElementType());
  return tensor(tt::GatherOp::create(context.builder, context.loc(), type, source.ir(), index.ir(),
                                     *axis, /*efficient_layout=*/false),
                source.dtype());
}

/// Numbers that have a bin, and are wanted.
static Result whereCounted(Context &context, const Operand &numbers, const Operand &mask,
                           int64_t bins) {
  DType isUnsigned = DType(ScalarKind::UInt32);
  Value value = tensor(numbers.value.ir(), isUnsigned);
  Result inside =
      compare(context, CompareOp::Lt, value, Value::integer(bins), numbers.span, mask.span);
  if (!inside || !isGiven(mask.value))
    return inside;
  return binary(context, BinaryOp::And, *inside, mask.value, numbers.span, mask.span);
}

/// histogram(input, num_bins, mask, layout)
static Result emitHistogram(Context &context, const BoundArgs &arguments) {
  if (!indexArgument(context, arguments, "input"))
    return std::nullopt;
  Operand input = operand(arguments, "input"), mask = operand(arguments, "mask");
  std::optional<int64_t> bins = intArgument(context, arguments, "num_bins");
  if (!bins)
    return std::nullopt;
  if (input.value.shape().size() != 1) {
    context
        .report(diag::Kind::ArgumentKind, input.span, "input", "of one dimension",
                input.value.typeName())
        .end();
    return std::nullopt;
  }
  // Where the layout of the input is left to the compiler, so may that of the bins be.
  bool mayLack = !isGiven(arguments["layout"]) && isAuto(input.value.blockTensorType());
  if (!mayLack && !arguments["layout"].is(ValueKind::Layout)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("layout"), "layout", "a layout",
                arguments["layout"].typeName())
        .hint("it is that of the result, one element per bin");
    return std::nullopt;
  }
  std::optional<mlir::RankedTensorType> type =
      blockType(context, {*bins}, arguments.span("num_bins"), dtypes::int32, arguments["layout"],
                arguments.span("layout"));
  if (!type)
    return std::nullopt;
  mlir::Value predicate;
  if (isGiven(mask.value)) {
    if (!tensorArgument(context, arguments, "mask"))
      return std::nullopt;
    Result taken = materialize(context, mask);
    if (!taken)
      return std::nullopt;
    if (!taken->dtype().isBool()) {
      context.report(diag::Kind::MaskNotBoolean, mask.span, taken->typeName()).end();
      return std::nullopt;
    }
    mask.value = *taken;
  }
  // In Triton what has no bin does not count.
  if (context.isTriton()) {
    if (input.dtype().bitWidth() != 32) {
      context
          .report(diag::Kind::ArgumentKind, input.span, "input", "of 32-bit integers",
                  input.value.typeName())
          .end();
      return std::nullopt;
    }
    Result counted = whereCounted(context, input, mask, *bins);
    if (!counted)
      return std::nullopt;
    mask.value = *counted;
  }
  if (isGiven(mask.value)) {
    if (!broadcast(context, mask, input))
      return std::nullopt;
    predicate = mask.value.ir();
  }
  return tensor(
      tt::HistogramOp::create(context.builder, context.loc(), *type, input.value.ir(), predicate),
      dtypes::int32);
}

// -- Shared memory -------------------------------------------------------------

/// The axis that `indices` are of, after checks of the buffer and of them.
static std::optional<unsigned> readIndexed(Context &context, const BoundArgs &arguments,
                                           llvm::StringRef what) {
  if (!bufferArgument(context, arguments, "smem") ||
      !checkSingleBuffer(context, arguments["smem"], context.span, what) ||
      !indexArgument(context, arguments, "indices"))
    return std::nullopt;
  return axisArgument(context, arguments, arguments["smem"].shape().size());
}

static Result emitLocalGather(Context &context, const BoundArgs &arguments) {
  std::optional<unsigned> axis = readIndexed(context, arguments, "gather");
  const Value &buffer = arguments["smem"], &indices = arguments["indices"];
  if (!axis || !checkIndices(context, buffer.shape(), operand(arguments, "indices"), *axis,
                             /*mayBeSmaller=*/true))
    return std::nullopt;
  mlir::Type type = typeWithElement(indices.irType(), bufferType(buffer).getElementType());
  return tensor(ttg::LocalGatherOp::create(context.builder, context.loc(), type, buffer.ir(),
                                           indices.ir(), *axis),
                buffer.dtype());
}

namespace {
/// What a scatter writes, brought to one shape and layout.
struct Scattered {
  Operand values, indices, mask;
  unsigned axis;
};
} // namespace

static std::optional<Scattered> readScattered(Context &context, const BoundArgs &arguments,
                                              llvm::StringRef what, bool hasMask) {
  std::optional<unsigned> axis = readIndexed(context, arguments, what);
  if (!axis || !tensorArgument(context, arguments, "values"))
    return std::nullopt;
  DType element = arguments["smem"].dtype();
  Scattered parts{operand(arguments, "values"), operand(arguments, "indices"), {}, *axis};
  if (parts.values.isNumber()) {
    Result number = toType(context, parts.values, element, {});
    if (!number)
      return std::nullopt;
    parts.values.value = *number;
  }
  if (parts.values.dtype() != element) {
    context
        .report(diag::Kind::SharedStoreMismatch, parts.values.span, parts.values.value.typeName(),
                element, shapeText(arguments["smem"].shape()))
        .end();
    return std::nullopt;
  }
  llvm::SmallVector<Operand, 3> sides = {parts.values, parts.indices};
  if (hasMask && isGiven(arguments["mask"])) {
    Operand mask = operand(arguments, "mask");
    Result taken = materialize(context, mask);
    if (!taken)
      return std::nullopt;
    if (!taken->isTensor() || !taken->dtype().isBool()) {
      context.report(diag::Kind::MaskNotBoolean, mask.span, taken->typeName()).end();
      return std::nullopt;
    }
    sides.push_back({*taken, mask.span});
  }
  if (!broadcast(context, llvm::MutableArrayRef<Operand>(sides)))
    return std::nullopt;
  parts.values = sides[0];
  parts.indices = sides[1];
  if (sides.size() > 2)
    parts.mask = sides[2];
  if (!checkIndices(context, arguments["smem"].shape(), parts.indices, *axis,
                    /*mayBeSmaller=*/true))
    return std::nullopt;
  return parts;
}

static Result emitLocalScatter(Context &context, const BoundArgs &arguments) {
  std::optional<Scattered> parts = readScattered(context, arguments, "scatter", /*hasMask=*/false);
  if (!parts)
    return std::nullopt;
  ttg::LocalScatterOp::create(context.builder, context.loc(), arguments["smem"].ir(),
                              parts->values.value.ir(), parts->indices.value.ir(), parts->axis);
  return Value::none();
}

/// The operation for elements of this type; nullopt where shared memory has none.
static std::optional<tt::RMWOp> scatterOp(tt::RMWOp op, DType dtype) {
  bool isAdd = op == tt::RMWOp::ADD, isExchange = op == tt::RMWOp::XCHG;
  if (dtype.isFp8() || dtype.isPointer() || (dtype.isFloat() && !isAdd && !isExchange))
    return std::nullopt;
  unsigned narrowest = dtype.isFloat() && isAdd ? 16 : 32;
  if (dtype.bitWidth() < narrowest)
    return std::nullopt;
  if (isAdd && dtype.isFloat())
    return tt::RMWOp::FADD;
  if (op == tt::RMWOp::MAX && !dtype.isSignedInt())
    return tt::RMWOp::UMAX;
  if (op == tt::RMWOp::MIN && !dtype.isSignedInt())
    return tt::RMWOp::UMIN;
  return op;
}

template <tt::RMWOp kind>
static Result emitAtomicScatter(Context &context, const BoundArgs &arguments) {
  std::optional<Scattered> parts =
      readScattered(context, arguments, "atomic_scatter", /*hasMask=*/true);
  if (!parts)
    return std::nullopt;
  DType element = arguments["smem"].dtype();
  std::optional<tt::RMWOp> op = scatterOp(kind, element);
  if (!op) {
    std::string name = "atomic_scatter_" + tt::stringifyRMWOp(kind).str();
    context.report(diag::Kind::AtomicType, context.span, name, element).end();
    return std::nullopt;
  }
  mlir::Value mask = parts->mask.value.isAbsent() ? mlir::Value() : parts->mask.value.ir();
  return tensor(ttg::LocalAtomicScatterRMWOp::create(
                    context.builder, context.loc(), parts->values.value.irType(), *op,
                    arguments["smem"].ir(), parts->values.value.ir(), parts->indices.value.ir(),
                    mask, parts->axis),
                element);
}

llvm::ArrayRef<Builtin> gatherBuiltins() {
  static const Builtin table[] = {
      {"gather", "src: block, index: block, axis: int", emitGather, asMethod, R"(
Elements of a block by index along one axis.

All other coordinates are the element's own. An index out of range gives an undefined element.

Gives: the element type of `src` in the shape and layout of `index`.
Errors: indices that are no integers, or of another shape outside of the axis.

    reversed = gl.gather(x, 127 - gl.arange(0, 128, layout=layout), axis=0)
)"},
      {"histogram", "input: block, num_bins: int, mask: tensor = None, layout: layout = None",
       emitHistogram, asFunction, R"(
How often each number from 0 to `num_bins - 1` occurs.

Other numbers, and elements whose `mask` is false, are not counted. `num_bins` is a power of two.

Gives: int32 [num_bins] in `layout`, which must be given.
Errors: elements that are no integers; more dimensions than one; a mask that is not boolean.

    bins = gl.histogram(i, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
)"},
  };
  return table;
}

llvm::ArrayRef<Builtin> indexedMethods() {
  static constexpr llvm::StringLiteral rmw =
      "smem: buffer, values: tensor, indices: block, axis: int, mask: tensor = None";
  static const Builtin table[] = {
      {"gather", "smem: buffer, indices: block, axis: int", emitLocalGather, asFunction, R"(
Reads elements by index along one axis.

All other coordinates are the element's own.

Gives: the buffer's element type in the shape and layout of `indices`.
Errors: a ring; indices that are no integers, or larger than the buffer outside of the axis.

    rows = gl.full([64, 32], 0, gl.int32, tiled)
    first = smem.gather(rows, axis=0)
)"},
      {"scatter", "smem: buffer, values: tensor, indices: block, axis: int", emitLocalScatter,
       asFunction, R"(
Writes elements by index along one axis.

All other coordinates are the element's own. Of several elements for one place, one wins.

Gives: nothing.
Errors: a ring; indices that are no integers, or larger than the buffer outside of the axis; values
of another type.

    rows = gl.full([64, 32], 0, gl.int32, tiled)
    smem.scatter(tile, rows, axis=0)
)"},
      {"atomic_scatter_add", rmw, emitAtomicScatter<tt::RMWOp::ADD>, asFunction, R"(
Adds elements to the buffer, by index along one axis, atomically.

Integers of 32 and 64 bits, floats of 16 and more. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_add(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_max", rmw, emitAtomicScatter<tt::RMWOp::MAX>, asFunction, R"(
Keeps the larger of buffer and value, by index along one axis, atomically.

Integers of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_max(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_min", rmw, emitAtomicScatter<tt::RMWOp::MIN>, asFunction, R"(
Keeps the smaller of buffer and value, by index along one axis, atomically.

Integers of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_min(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_and", rmw, emitAtomicScatter<tt::RMWOp::AND>, asFunction, R"(
Keeps the bits that buffer and value have in common, by index along one axis, atomically.

Integers of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_and(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_or", rmw, emitAtomicScatter<tt::RMWOp::OR>, asFunction, R"(
Adds the bits of the value to the buffer, by index along one axis, atomically.

Integers of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_or(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_xor", rmw, emitAtomicScatter<tt::RMWOp::XOR>, asFunction, R"(
Flips the bits of the value in the buffer, by index along one axis, atomically.

Integers of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_xor(i, offsets, axis=0, mask=offsets < n)
)"},
      {"atomic_scatter_xchg", rmw, emitAtomicScatter<tt::RMWOp::XCHG>, asFunction, R"(
Writes elements and gives what was there, by index along one axis, atomically.

Integers and floats of 32 and 64 bits. Where `mask` is false nothing happens.

Gives: what the buffer held before, in the shape and layout of `indices`.
Errors: those of `scatter`; an element type that shared memory cannot do this to.

    numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
    old = numbers.atomic_scatter_xchg(i, offsets, axis=0, mask=offsets < n)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
