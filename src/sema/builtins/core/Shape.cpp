//===- Shape.cpp - Operations that only rearrange dimensions ------------------===//
//
// None of these moves data: each thread keeps its registers, and the layout of
// the result says so (layout/named/Inference.h). A tensor in AutoLayout stays in it.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Inference.h"

#include <numeric>

namespace gluonc::sema::ops {

/// The type of a result, whose layout was inferred from the operand's. An operand from which none
/// follows gives up its own in Triton.
static std::optional<mlir::RankedTensorType>
inferredType(Context &context, llvm::StringRef what, Operand &source, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<layout::Inferred()> infer) {
  mlir::RankedTensorType type = source.value.blockTensorType();
  layout::Layout from = layoutOf(source.value);
  mlir::Attribute encoding = type.getEncoding();
  if (!from.isPlaceholder()) {
    layout::Inferred inferred = infer();
    if (!inferred && context.isTriton()) {
      source.value = openLayout(context, source.value);
      return mlir::RankedTensorType::get(shape, type.getElementType(),
                                         source.value.blockTensorType().getEncoding());
    }
    if (!inferred) {
      context.report(diag::Kind::LayoutForbids, source.span, what, from.toString(), inferred.why)
          .hint("change the layout first with `gl.convert_layout`");
      return std::nullopt;
    }
    encoding = fromLayout(context.mlirContext(), *inferred.layout);
  }
  return mlir::RankedTensorType::get(shape, type.getElementType(), encoding);
}

Result expandDims(Context &context, const Operand &given, unsigned axis) {
  Operand block = given;
  layout::Layout source = layoutOf(block.value);
  const auto *slice = source.as<layout::SliceLayout>();
  bool isLinear = source.kind() == layout::LayoutKind::DistributedLinear;
  bool follows = source.isPlaceholder() || isLinear || (slice && slice->dim == axis);
  if (!follows && context.isTriton()) {
    block.value = openLayout(context, block.value);
    source = layoutOf(block.value);
  } else if (!follows) {
    context.report(diag::Kind::NotSliceLayout, block.span, axis, source.toString())
        .hint("create the tensor in `gl.SliceLayout({0}, …)` of the layout that you want, or "
              "convert it",
              axis);
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> shape(block.value.shape());
  shape.insert(shape.begin() + axis, 1);
  std::optional<mlir::RankedTensorType> type =
      inferredType(context, "expand_dims", block, shape,
                   [&] { return layout::expandDimsLayout(source, block.value.shape(), axis); });
  if (!type)
    return std::nullopt;
  return tensor(
      context.builder.createOrFold<tt::ExpandDimsOp>(context.loc(), *type, block.value.ir(), axis),
      block.value.dtype());
}

/// A block of one, which Triton makes of a scalar that is to have a dimension.
static Result blockOfOne(Context &context, const Operand &scalar) {
  std::optional<mlir::RankedTensorType> type =
      blockType(context, {1}, scalar.span, scalar.value.dtype(), Value(), scalar.span);
  return type ? Result(splat(context, scalar.value, *type)) : std::nullopt;
}

static Result insertDim(Context &context, const Operand &operand, unsigned axis) {
  return operand.isBlock() ? expandDims(context, operand, axis) : blockOfOne(context, operand);
}

/// In Triton several dimensions at once; each of `axes` is one of the result's.
static Result insertDims(Context &context, Operand current, llvm::ArrayRef<Value> axes,
                         diag::Span span) {
  auto rank = int64_t(current.value.shape().size() + axes.size());
  llvm::SmallVector<int64_t> sorted;
  for (const Value &given : axes) {
    std::optional<int64_t> axis = given.asInt64();
    if (!axis || *axis < -rank || *axis >= rank) {
      context.report(diag::Kind::AxisOutOfRange, span, given.repr(), rank).end();
      return std::nullopt;
    }
    sorted.push_back(*axis < 0 ? *axis + rank : *axis);
  }
  llvm::sort(sorted);
  if (llvm::adjacent_find(sorted) != sorted.end()) {
    context.report(diag::Kind::BadArgument, span, "the same dimension is named twice").end();
    return std::nullopt;
  }
  for (int64_t axis : sorted) {
    Result next = insertDim(context, current, unsigned(axis));
    if (!next)
      return std::nullopt;
    current.value = *next;
  }
  return current.value;
}

static Result emitExpandDims(Context &context, const BoundArgs &arguments) {
  Operand input = operand(arguments, "input");
  bool mayBeScalar = context.isTriton() && (input.value.isTensor() || input.value.isNumber());
  if (!mayBeScalar && !blockArgument(context, arguments, "input"))
    return std::nullopt;
  if (input.value.isNumber()) {
    Result scalar = materialize(context, input);
    if (!scalar)
      return std::nullopt;
    input.value = *scalar;
  }
  bool isSequence = arguments["axis"].is(ValueKind::Tuple) || arguments["axis"].is(ValueKind::List);
  if (context.isTriton() && isSequence)
    return insertDims(context, input, arguments["axis"].items(), arguments.span("axis"));
  std::optional<unsigned> axis = axisArgument(context, arguments, input.value.shape().size() + 1);
  return axis ? insertDim(context, input, *axis) : std::nullopt;
}

Result subscript(Context &context, const Value &value, llvm::ArrayRef<bool> isNewAxis) {
  size_t kept = llvm::count(isNewAxis, false);
  size_t rank = value.isBlock() ? value.shape().size() : 0;
  // In Triton, `:` takes nothing of a scalar that gets dimensions.
  bool mayBeScalar = context.isTriton() && value.isTensor();
  bool isExtended = mayBeScalar && rank == 0 && !isNewAxis.empty() && isNewAxis.front() &&
                    llvm::is_sorted(isNewAxis, std::greater<>());
  if ((!mayBeScalar && !value.isBlock()) || (kept > rank && !isExtended)) {
    context.report(diag::Kind::SubscriptRank, context.span, kept, rank)
        .hint("a tensor takes at most one `:` per dimension, and `None` where one of size 1 is "
              "wanted");
    return std::nullopt;
  }
  Operand current{value, context.span};
  for (auto [axis, isNew] : llvm::enumerate(isNewAxis)) {
    if (!isNew)
      continue;
    Result next = insertDim(context, current, axis);
    if (!next)
      return std::nullopt;
    current.value = *next;
  }
  return current.value;
}

static Result emitBroadcast(Context &context, const BoundArgs &arguments) {
  Operand lhs = operand(arguments, "input"), rhs = operand(arguments, "other");
  if (!tensorArgument(context, arguments, "input") || !tensorArgument(context, arguments, "other"))
    return std::nullopt;
  Result left = materialize(context, lhs), right = materialize(context, rhs);
  if (!left || !right)
    return std::nullopt;
  lhs.value = *left;
  rhs.value = *right;
  if (!broadcast(context, lhs, rhs))
    return std::nullopt;
  return Value::tuple({lhs.value, rhs.value});
}

static Result emitBroadcastTo(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, "shape");
  if (!shape || !tensorArgument(context, arguments, "input"))
    return std::nullopt;
  Operand input = operand(arguments, "input");
  // In Triton a scalar becomes a block, and one without dimensions stays what it is.
  if (context.isTriton() && !input.isBlock()) {
    Result scalar = materialize(context, input);
    if (!scalar || shape->empty())
      return scalar;
    std::optional<mlir::RankedTensorType> type =
        blockType(context, *shape, arguments.span("shape"), scalar->dtype(), Value(), {});
    return type ? Result(splat(context, *scalar, *type)) : std::nullopt;
  }
  if (!checkBlockShape(context, *shape, arguments.span("shape")) ||
      !blockArgument(context, arguments, "input"))
    return std::nullopt;
  return broadcastTo(context, input, *shape);
}

Result reshape(Context &context, const Operand &given, llvm::ArrayRef<int64_t> shape,
               diag::Span shapeSpan, bool mayReorder) {
  Operand block = given;
  llvm::ArrayRef<int64_t> from = block.value.shape();
  if (from == shape)
    return block.value;
  if (shape.empty() && block.value.blockTensorType().getNumElements() == 1) {
    Result flat = reshape(context, block, {1}, shapeSpan);
    return flat ? Result(unsplat(context, *flat)) : std::nullopt;
  }
  auto count = [](llvm::ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  if (!checkBlockShape(context, shape, shapeSpan))
    return std::nullopt;
  if (count(from) != count(shape)) {
    context
        .report(diag::Kind::ReshapeSize, shapeSpan, shapeText(from), shapeText(shape), count(from),
                count(shape))
        .end();
    return std::nullopt;
  }
  layout::Layout source = layoutOf(block.value);
  std::optional<mlir::RankedTensorType> type = inferredType(
      context, "reshape", block, shape, [&] { return layout::reshapeLayout(source, from, shape); });
  if (!type)
    return std::nullopt;
  return tensor(context.builder.createOrFold<tt::ReshapeOp>(context.loc(), *type, block.value.ir(),
                                                            mayReorder,
                                                            /*efficient_layout=*/false),
                block.value.dtype());
}

/// `can_reorder` of a Gluon function is there to be False: a layout says where each element is.
static std::optional<bool> mayReorder(Context &context, const BoundArgs &arguments) {
  std::optional<bool> canReorder = boolArgument(context, arguments, "can_reorder");
  if (!canReorder || !*canReorder || context.isTriton())
    return canReorder;
  context
      .report(diag::Kind::BadArgument, arguments.span("can_reorder"),
              "elements keep their order: `can_reorder` has to be False")
      .end();
  return std::nullopt;
}

static Result emitReshape(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, "shape");
  std::optional<bool> reorders = mayReorder(context, arguments);
  if (!shape || !blockArgument(context, arguments, "input") || !reorders)
    return std::nullopt;
  return reshape(context, operand(arguments, "input"), *shape, arguments.span("shape"), *reorders);
}

static Result emitRavel(Context &context, const BoundArgs &arguments) {
  std::optional<bool> reorders = mayReorder(context, arguments);
  if (!blockArgument(context, arguments, "x") || !reorders)
    return std::nullopt;
  int64_t count = arguments["x"].blockTensorType().getNumElements();
  return reshape(context, operand(arguments, "x"), {count}, context.span, *reorders);
}

static Result transpose(Context &context, const Operand &given, llvm::ArrayRef<int64_t> order,
                        diag::Span orderSpan) {
  Operand block = given;
  llvm::ArrayRef<int64_t> from = block.value.shape();
  llvm::SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  bool isPermutation = order.size() == from.size();
  for (auto [i, dim] : llvm::enumerate(sorted))
    isPermutation &= dim == int64_t(i);
  if (!isPermutation) {
    context.report(diag::Kind::NotPermutation, orderSpan, shapeText(order), from.size()).end();
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int32_t> order32;
  for (int64_t dim : order) {
    shape.push_back(from[dim]);
    order32.push_back(int32_t(dim));
  }
  layout::Layout source = layoutOf(block.value);
  std::optional<mlir::RankedTensorType> type = inferredType(context, "permute", block, shape, [&] {
    return layout::transposeLayout(source, from, order);
  });
  if (!type)
    return std::nullopt;
  return tensor(
      context.builder.createOrFold<tt::TransOp>(context.loc(), *type, block.value.ir(), order32),
      block.value.dtype());
}

/// permute(x, *dims); trans(x) swaps the last two dimensions.
template <bool mayBeEmpty> static Result emitPermute(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::SmallVector<int64_t>> order = intsArgument(context, arguments, "dims");
  if (!order || !blockArgument(context, arguments, "input"))
    return std::nullopt;
  int64_t rank = arguments["input"].shape().size();
  if (mayBeEmpty && order->empty() && rank >= 2) {
    order->resize(rank);
    std::iota(order->begin(), order->end(), 0);
    std::swap((*order)[rank - 1], (*order)[rank - 2]);
  }
  for (int64_t &dim : *order)
    if (dim < 0)
      dim += rank;
  return transpose(context, operand(arguments, "input"), *order, arguments.span("dims"));
}

Result attribute(Context &context, const Value &object, llvm::StringRef name) {
  if (name != "T" || !object.isTensor())
    return std::nullopt;
  if (object.isBlock() && object.shape().size() == 2)
    return transpose(context, {object, context.span}, {1, 0}, context.span);
  context
      .report(diag::Kind::ArgumentKind, context.span, "x.T", "of a tensor of two dimensions",
              object.typeName())
      .end();
  return std::nullopt;
}

static Result emitJoin(Context &context, const BoundArgs &arguments) {
  Operand lhs = operand(arguments, "a"), rhs = operand(arguments, "b");
  bool areScalars = context.isTriton() && !lhs.isBlock() && !rhs.isBlock();
  if (areScalars) {
    for (Operand *side : {&lhs, &rhs}) {
      Result scalar = materialize(context, *side);
      Result block = scalar ? blockOfOne(context, {*scalar, side->span}) : std::nullopt;
      if (!block)
        return std::nullopt;
      side->value = *block;
    }
  } else if (!blockArgument(context, arguments, "a") || !blockArgument(context, arguments, "b")) {
    return std::nullopt;
  }
  if (lhs.value.dtype() != rhs.value.dtype()) {
    context
        .report(diag::Kind::TensorsDiffer, context.span, lhs.value.typeName(), rhs.value.typeName())
        .end();
    return std::nullopt;
  }
  if (!broadcast(context, lhs, rhs))
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(lhs.value.shape());
  shape.push_back(2);
  layout::Layout source = layoutOf(lhs.value);
  std::optional<mlir::RankedTensorType> type = inferredType(
      context, "join", lhs, shape, [&] { return layout::joinLayout(source, lhs.value.shape()); });
  if (!type || !checkBlockShape(context, shape, context.span))
    return std::nullopt;
  if (lhs.value.irType() != rhs.value.irType())
    rhs.value = openLayout(context, rhs.value);
  Value pairs = tensor(
      tt::JoinOp::create(context.builder, context.loc(), *type, lhs.value.ir(), rhs.value.ir()),
      lhs.value.dtype());
  return areScalars ? reshape(context, {pairs, context.span}, {2}, context.span) : Result(pairs);
}

static Result emitSplit(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "a"))
    return std::nullopt;
  Operand block = operand(arguments, "a");
  llvm::ArrayRef<int64_t> shape = block.value.shape();
  if (shape.back() != 2) {
    context.report(diag::Kind::SplitDimension, block.span, shapeText(shape)).end();
    return std::nullopt;
  }
  // Two scalars have no layout to be split into: they are the halves of a [1, 2] tensor.
  bool isPair = shape.size() == 1;
  if (isPair) {
    Result matrix = reshape(context, block, {1, 2}, block.span);
    if (!matrix)
      return std::nullopt;
    block.value = *matrix;
    shape = block.value.shape();
  }
  layout::Layout source = layoutOf(block.value);
  std::optional<mlir::RankedTensorType> type =
      inferredType(context, "split", block, shape.drop_back(),
                   [&] { return layout::splitLayout(source, shape); });
  if (!type)
    return std::nullopt;
  DType dtype = block.value.dtype();
  auto split = tt::SplitOp::create(context.builder, context.loc(), *type, *type, block.value.ir());
  std::vector<Value> halves;
  for (mlir::Value half : split->getResults()) {
    Value block = tensor(half, dtype);
    halves.push_back(isPair ? unsplat(context, block) : block);
  }
  return Value::tuple(std::move(halves));
}

/// fp4_to_fp(src, elem_type, axis): twice as many elements along the axis.
static Result emitFp4ToFp(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "src"))
    return std::nullopt;
  Operand source = operand(arguments, "src");
  DType bytes = source.dtype();
  std::optional<DType> dtype = dtypeArgument(context, arguments, "elem_type");
  if (!dtype)
    return std::nullopt;
  if (!bytes.isInt() || bytes.bitWidth() != 8 ||
      (*dtype != dtypes::float16 && *dtype != dtypes::bfloat16)) {
    context.report(diag::Kind::BadCast, source.span, bytes, *dtype)
        .hint("fp4_to_fp takes int8 or uint8 to float16 or bfloat16");
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> shape(source.value.shape());
  std::optional<unsigned> axis = axisArgument(context, arguments, shape.size());
  if (!axis)
    return std::nullopt;
  shape[*axis] *= 2;
  layout::Layout from = layoutOf(source.value);
  std::optional<mlir::RankedTensorType> type =
      inferredType(context, "fp4_to_fp", source, shape,
                   [&] { return layout::unpackLayout(from, source.value.shape(), *axis); });
  if (!type || !checkBlockShape(context, shape, context.span))
    return std::nullopt;
  return tensor(ttg::Fp4ToFpOp::create(context.builder, context.loc(),
                                       typeWithElement(context, *type, *dtype), source.value.ir(),
                                       *axis),
                *dtype);
}

llvm::ArrayRef<Builtin> shapeBuiltins() {
  static const Builtin table[] = {
      {"expand_dims", "input: block, axis: int", emitExpandDims, asMethod, R"(
Puts a dimension of size 1 in front of dimension `axis`.

No data moves: `x` must lie in the `SliceLayout` of that dimension, whose parent becomes the layout
of the result. A negative axis counts from the end. `x[:, None]` is short for it.

Gives: the elements of `x` with one dimension more.
Errors: a layout that is not the slice of dimension `axis`; an axis out of range.

    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
    column = gl.expand_dims(rows, 1)
)"},
      {"broadcast", "input: tensor, other: tensor", emitBroadcast, asFunction, R"(
Brings two tensors to one shape.

Scalars fill the shape of the other side; dimensions of size 1 are repeated. Element types stay.

Gives: a tuple of two tensors.
Errors: shapes that do not agree; blocks in different layouts.

    a, b = gl.broadcast(x, 1.0)
)"},
      {"broadcast_to", "input: block, *shape: ints", emitBroadcastTo, asMethod, R"(
Repeats dimensions of size 1 until the block has the shape.

The shape is a sequence or several arguments.

Gives: the elements of `x` in `shape`, in the layout of `x`.
Errors: a dimension other than 1 that would change; another number of dimensions.

    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
    square = rows[:, None].broadcast_to(64, 32)
)"},
      {"reshape", "input: block, *shape: ints, can_reorder: bool = False", emitReshape, asMethod,
       R"(
The same elements, in row-major order, in another shape.

No data moves: the layout of the result follows from that of `x`. The shape is a sequence or several
arguments; `[]` takes the only element of a block of one.

Gives: a block of `shape`, or a scalar.
Errors: another number of elements; a layout that cannot follow.

    flat = tile.reshape(64 * 32)
)"},
      {"permute", "input: block, *dims: ints", emitPermute<false>, asMethod, R"(
Reorders the dimensions: dimension `i` of the result is dimension `dims[i]` of `x`.

No data moves. The order is a sequence or several arguments.

Gives: a block; its layout follows from that of `x`.
Errors: an order that is no permutation of the dimensions.

    columns = tile.permute(1, 0)
)"},
      {"trans", "input: block, *dims: ints", emitPermute<true>, asMethod, R"(
Swaps the last two dimensions, or reorders all of them as `permute` does.

`x.T` is short for it where `x` has two dimensions.

Gives: a block; its layout follows from that of `x`.
Errors: an order that is no permutation of the dimensions.

    columns = tile.trans()
)"},
      {"ravel", "x: block, can_reorder: bool = False", emitRavel, asMethod, R"(
All elements in row-major order, in one dimension.

Gives: a block of one dimension; its layout follows from that of `x`.
Errors: a layout that cannot follow.

    flat = tile.ravel()
)"},
      {"join", "a: block, b: block", emitJoin, asFunction, R"(
Puts two blocks side by side in a new last dimension of size 2.

No data moves. The opposite of `split`.

Gives: the element type of `a` and `b`, [.., 2].
Errors: other element types, shapes or layouts; a layout without a joined one.

    pairs = gl.join(x, y)
)"},
      {"split", "a: block", emitSplit, asMethod, R"(
Takes a last dimension of size 2 apart.

No data moves. The opposite of `join`.

Gives: a tuple of two blocks without the last dimension, of two scalars where there was no other.
Errors: a last dimension of another size; a layout that keeps the pairs in different threads.

    a, b = gl.split(gl.join(x, y))
)"},
      {"fp4_to_fp", "src: block, elem_type: dtype, axis: int", emitFp4ToFp, asFunction, R"(
Unpacks 4-bit floats (e2m1), two to a byte.

The low half of a byte comes first along `axis`.

Gives: float16 or bfloat16, twice as many elements along `axis`.
Errors: a source other than int8 and uint8; an element type other than float16 and bfloat16.

    bytes = gl.full([64, 32], 0, gl.uint8, tiled)
    numbers = gl.fp4_to_fp(bytes, gl.float16, axis=1)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
