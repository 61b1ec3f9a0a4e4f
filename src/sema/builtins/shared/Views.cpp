//===- Views.cpp - Parts and other shapes of buffers in shared memory ---------===//
//
// A view moves nothing. It keeps the alloc shape of the buffer that it was cut
// from, because addresses follow the layout of the whole buffer.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/shared/Views.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "layout/named/Inference.h"

namespace gluonc::sema::ops {

static std::nullopt_t forbid(Context &context, llvm::StringRef what, const Value &buffer,
                             llvm::StringRef why) {
  context.report(diag::Kind::ViewForbidden, context.span, what, buffer.typeName(), why).end();
  return std::nullopt;
}

static bool isSlice(const Value &buffer) { return isSubslice(bufferType(buffer)); }

static ttg::MemDescType viewType(const Value &buffer, llvm::ArrayRef<int64_t> shape,
                                 mlir::Attribute encoding, llvm::ArrayRef<int64_t> allocShape) {
  ttg::MemDescType type = bufferType(buffer);
  return ttg::MemDescType::get(shape, type.getElementType(), encoding, type.getMemorySpace(),
                               type.getMutableMemory(), allocShape);
}

// -- index, slice --------------------------------------------------------------

/// The index as an int32 scalar; one that is known must be in range.
static Result readIndex(Context &context, const Operand &index, int64_t count) {
  if (index.value.is(ValueKind::Int) || index.value.is(ValueKind::Bool)) {
    std::optional<int64_t> known = index.value.asInt64();
    if (!known || *known < 0 || *known >= count) {
      context.report(diag::Kind::BufferIndexRange, index.span, index.value.repr(), count).end();
      return std::nullopt;
    }
    return tensor(intConstant(context, context.builder.getI32Type(), *known), dtypes::int32);
  }
  if (index.value.isTensor() && !index.value.isBlock() && index.value.dtype() == dtypes::int32)
    return index.value;
  diag::Builder builder =
      context.report(diag::Kind::BufferIndexType, index.span, index.value.typeName());
  if (index.value.isTensor() && !index.value.isBlock())
    std::move(builder).hint("cast it with `.to(gl.int32)`");
  return std::nullopt;
}

Result indexBuffer(Context &context, const Value &buffer, const Operand &at) {
  ttg::MemDescType type = bufferType(buffer);
  if (type.getShape().size() != *bufferLayout(buffer).rank() + 1)
    return forbid(context, "index", buffer,
                  "every dimension belongs to the layout, so no dimension counts buffers");
  if (isSlice(buffer))
    return forbid(context, "index", buffer, "its buffers were sliced");
  Result index = readIndex(context, at, type.getShape().front());
  if (!index)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = type.getShape().drop_front();
  ttg::MemDescType result = viewType(buffer, shape, type.getEncoding(), shape);
  return Value::memDesc(
      ttg::MemDescIndexOp::create(context.builder, context.loc(), result, buffer.ir(), index->ir()),
      buffer.dtype());
}

static Result emitIndex(Context &context, const BoundArgs &arguments) {
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  return indexBuffer(context, arguments["smem"], operand(arguments, "index"));
}

/// Addition of offsets must not carry into swizzled bits.
static const char *cutProblem(const Value &buffer, size_t dim, int64_t length) {
  ttg::MemDescType type = bufferType(buffer);
  size_t leading = type.getShape().size() - *bufferLayout(buffer).rank();
  if (dim < leading)
    return nullptr;
  std::optional<layout::LinearLayout> inverse = toLinear(type).pseudoInvert();
  if (!inverse)
    return nullptr;
  layout::Dim axis = layout::Dim::axis(unsigned(dim - leading));
  for (int64_t step = length; step < type.getShape()[dim]; step *= 2) {
    uint64_t place = inverse->applyPacked(inverse->packIn({{axis, uint32_t(step)}}));
    if (llvm::popcount(inverse->outComponent(place, layout::Dim::Offset)) > 1)
      return "the slice would cut through the swizzling pattern";
  }
  return nullptr;
}

std::optional<SliceArguments> sliceArguments(Context &context, const BoundArgs &arguments,
                                             ttg::MemDescType type) {
  std::optional<int64_t> start = intArgument(context, arguments, "start");
  std::optional<int64_t> length = start ? intArgument(context, arguments, "length") : std::nullopt;
  std::optional<int64_t> dim = length ? intArgument(context, arguments, "dim") : std::nullopt;
  if (!dim)
    return std::nullopt;
  const int64_t rank = type.getRank();
  if (*dim < -rank || *dim >= rank) {
    context.report(diag::Kind::AxisOutOfRange, arguments.span("dim"), *dim, rank).end();
    return std::nullopt;
  }
  return SliceArguments{*start, *length, size_t(*dim < 0 ? *dim + rank : *dim)};
}

static Result emitSlice(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"];
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  ttg::MemDescType type = bufferType(buffer);
  std::optional<SliceArguments> slice = sliceArguments(context, arguments, type);
  if (!slice)
    return std::nullopt;
  const auto [start, length, axis] = *slice;
  int64_t size = type.getShape()[axis];
  // Any run of a ring's buffers will do; within a buffer offsets must not carry.
  bool countsBuffers = axis < type.getShape().size() - *bufferLayout(buffer).rank();
  bool isAligned = countsBuffers ? length >= 1 : layout::isPowerOf2(length) && start % length == 0;
  if (!isAligned || start < 0 || start > size - length) {
    diag::Builder builder =
        context.report(diag::Kind::SliceWindow, context.span, start, length, size, axis);
    if (!countsBuffers)
      std::move(builder).note("the length is a power of two, the start a multiple of the length");
    return std::nullopt;
  }
  if (const char *problem = cutProblem(buffer, axis, length))
    return forbid(context, "slice", buffer, problem);
  llvm::SmallVector<int64_t> shape(type.getShape());
  llvm::SmallVector<int32_t> offsets(shape.size(), 0);
  shape[axis] = length;
  offsets[axis] = int32_t(start);
  ttg::MemDescType result = viewType(buffer, shape, type.getEncoding(), type.getAllocShape());
  return Value::memDesc(
      ttg::MemDescSubsliceOp::create(context.builder, context.loc(), result, buffer.ir(), offsets),
      buffer.dtype());
}

// -- permute, reshape, reinterpret ---------------------------------------------

static Result emitPermute(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"];
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  std::optional<llvm::SmallVector<int64_t>> order = intsArgument(context, arguments, "order");
  if (!order || !checkSingleBuffer(context, buffer, context.span, "permute"))
    return std::nullopt;
  ttg::MemDescType type = bufferType(buffer);
  llvm::SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  bool isPermutation = order->size() == type.getShape().size();
  for (auto [i, dim] : llvm::enumerate(sorted))
    isPermutation &= dim == int64_t(i);
  if (!isPermutation) {
    context
        .report(diag::Kind::NotPermutation, arguments.span("order"), shapeText(*order),
                type.getShape().size())
        .end();
    return std::nullopt;
  }
  layout::Inferred inferred =
      layout::transposeLayout(bufferLayout(buffer), type.getAllocShape(), *order);
  if (!inferred)
    return forbid(context, "permute", buffer, inferred.why);
  llvm::SmallVector<int64_t> shape, allocShape;
  llvm::SmallVector<int32_t> order32;
  for (int64_t dim : *order) {
    shape.push_back(type.getShape()[size_t(dim)]);
    allocShape.push_back(type.getAllocShape()[size_t(dim)]);
    order32.push_back(int32_t(dim));
  }
  ttg::MemDescType result =
      viewType(buffer, shape, fromLayout(context.mlirContext(), *inferred.layout), allocShape);
  return Value::memDesc(
      ttg::MemDescTransOp::create(context.builder, context.loc(), result, buffer.ir(), order32),
      buffer.dtype());
}

static Result emitReshape(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"];
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, "shape");
  if (!shape || !checkSingleBuffer(context, buffer, context.span, "reshape") ||
      !checkBlockShape(context, *shape, arguments.span("shape")))
    return std::nullopt;
  if (isSlice(buffer))
    return forbid(context, "reshape", buffer, "it is a slice");
  ttg::MemDescType type = bufferType(buffer);
  int64_t from = mlir::ShapedType::getNumElements(type.getShape());
  int64_t to = mlir::ShapedType::getNumElements(*shape);
  if (from != to) {
    context
        .report(diag::Kind::ReshapeSize, arguments.span("shape"), shapeText(type.getShape()),
                shapeText(*shape), from, to)
        .end();
    return std::nullopt;
  }
  layout::Inferred inferred = layout::reshapeLayout(bufferLayout(buffer), type.getShape(), *shape);
  if (!inferred)
    return forbid(context, "reshape", buffer, inferred.why);
  ttg::MemDescType result =
      viewType(buffer, *shape, fromLayout(context.mlirContext(), *inferred.layout), *shape);
  return Value::memDesc(
      ttg::MemDescReshapeOp::create(context.builder, context.loc(), result, buffer.ir()),
      buffer.dtype());
}

std::optional<Reinterpreted> reinterpretArguments(Context &context, const BoundArgs &arguments,
                                                  const Value &buffer) {
  std::optional<DType> dtype = buffer.dtype();
  if (isGiven(arguments["dtype"]))
    dtype = dtypeArgument(context, arguments, "dtype");
  std::optional<llvm::SmallVector<int64_t>> shape = llvm::SmallVector<int64_t>(buffer.shape());
  if (dtype && isGiven(arguments["shape"]))
    shape = intsArgument(context, arguments, "shape");
  if (!dtype || !shape)
    return std::nullopt;
  Value layout =
      isGiven(arguments["layout"]) ? arguments["layout"] : Value::layout(bufferLayout(buffer));
  std::optional<ttg::MemDescType> type = wholeBufferType(
      context, {*dtype, arguments.span("dtype"), *shape, arguments.span("shape"), layout,
                arguments.span("layout"), bufferType(buffer).isTensorMemory()});
  return type ? std::optional(Reinterpreted{*type, *dtype}) : std::nullopt;
}

static Result emitReinterpret(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"];
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  std::optional<Reinterpreted> result = reinterpretArguments(context, arguments, buffer);
  if (!result)
    return std::nullopt;
  ttg::MemDescType source = bufferType(buffer);
  if (!isContiguous(source))
    return forbid(context, "reinterpret", buffer, "it is a slice with gaps between its elements");
  if (paddingOf(source) != paddingOf(result->type))
    return forbid(context, "reinterpret", buffer, "the padding would change");
  int64_t needed = footprint(result->type).value_or(0),
          given = reachableBytes(buffer.ir()).value_or(0);
  if (needed > given) {
    context.report(diag::Kind::ReinterpretSize, context.span, needed, given).end();
    return std::nullopt;
  }
  // Slices begin at multiples of their size.
  if (isSubslice(source) && given % layout::sharedAlignment(toLayout(result->type.getEncoding())))
    return forbid(context, "reinterpret", buffer, "it may begin where the layout cannot");
  return Value::memDesc(
      ttg::MemDescReinterpretOp::create(context.builder, context.loc(), result->type, buffer.ir()),
      result->dtype);
}

llvm::ArrayRef<Builtin> viewMethods() {
  static const Builtin table[] = {
      {"index", "smem: buffer, index: scalar", emitIndex, asFunction, R"(
One buffer of a ring.

A view: no data moves.

Gives: a shared memory descriptor without the first dimension.
Errors: a buffer that is no ring; an index that is no int32, or known and out of range.

    ring = gl.allocate_shared_memory(gl.float32, [3, 64, 32], shared)
    ring.index(1).store(tile)
)"},
      {"slice", "smem: buffer, start: int, length: int, dim: int = 0", emitSlice, asFunction, R"(
A part of a buffer, or of a ring, along one dimension.

A view: no data moves. Within a buffer the length is a power of two and `start` a multiple of it.

Gives: a shared memory descriptor, `length` long in that dimension.
Errors: a part that is not inside; a cut through the swizzling pattern.

    upper = smem.slice(0, 32)
)"},
      {"permute", "smem: buffer, order: ints", emitPermute, asFunction, R"(
The buffer with its dimensions in another order.

A view: no data moves. Dimension `i` of the result is dimension `order[i]` of the buffer.

Gives: a shared memory descriptor.
Errors: a ring; an order that is no permutation.

    columns = smem.permute([1, 0])
)"},
      {"reshape", "smem: buffer, shape: ints", emitReshape, asFunction, R"(
The buffer's elements, in row-major order, in another shape.

A view: no data moves.

Gives: a shared memory descriptor.
Errors: a ring or a slice; another number of elements; a layout that cannot follow.

    flat = smem.reshape([64 * 32])
)"},
      {"reinterpret",
       "smem: buffer, dtype: dtype = None, shape: ints = None, layout: layout = None",
       emitReinterpret, asFunction, R"(
The same memory seen as another element type, shape or layout.

What is not given stays.

Gives: a shared memory descriptor.
Errors: more bytes than the buffer has; a slice with gaps; another padding.

    bits = smem.reinterpret(gl.int32)
)"},
      {"_reinterpret",
       "smem: buffer, dtype: dtype = None, shape: ints = None, layout: layout = None",
       emitReinterpret, asFunction, R"(
The same memory seen as another element type, shape or layout.

What is not given stays.

Gives: a shared memory descriptor.
Errors: more bytes than the buffer has; a slice with gaps; another padding.

    bits = smem._reinterpret(gl.int32)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
