//===- Reduce.cpp - Reductions and scans --------------------------------------===//
//
// tt.reduce and tt.scan carry a region that combines two sets of scalars. The
// built-in reductions write theirs directly; `reduce` and `associative_scan`
// call the user's jit function inside it.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"
#include "sema/builtins/core/Overflow.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Inference.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;

using Values = llvm::SmallVector<Value, 2>;
/// Combines two sets of scalars, one per source; nullopt after a report.
using Combine =
    llvm::function_ref<std::optional<Values>(llvm::ArrayRef<Value> lhs, llvm::ArrayRef<Value> rhs)>;

/// Fills the region of a reduction or scan.
template <typename ReturnOp>
static bool buildRegion(Context &context, mlir::Region &region, llvm::ArrayRef<Value> sources,
                        Combine combine) {
  mlir::OpBuilder::InsertionGuard guard(context.builder);
  llvm::SmallVector<mlir::Type> types;
  for (int side = 0; side < 2; ++side)
    for (const Value &source : sources)
      types.push_back(mlir::getElementTypeOrSelf(source.irType()));
  llvm::SmallVector<mlir::Location> locations(types.size(), context.loc());
  mlir::Block *block = context.builder.createBlock(&region, {}, types, locations);
  Values lhs, rhs;
  for (auto [i, source] : llvm::enumerate(sources)) {
    lhs.push_back(tensor(block->getArgument(i), source.dtype()));
    rhs.push_back(tensor(block->getArgument(i + sources.size()), source.dtype()));
  }
  std::optional<Values> results = combine(lhs, rhs);
  if (!results)
    return false;
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &result : *results)
    handles.push_back(result.ir());
  ReturnOp::create(context.builder, context.loc(), handles);
  dropOverflowChecks(region);
  return true;
}

/// The type that a reduction leaves: the slice of the source's, or a scalar.
static mlir::Type reducedType(Context &context, mlir::RankedTensorType from, unsigned axis) {
  if (from.getRank() == 1)
    return from.getElementType();
  llvm::SmallVector<int64_t> shape(from.getShape());
  shape.erase(shape.begin() + axis);
  layout::Layout layout = toLayout(from.getEncoding());
  mlir::Attribute encoding = from.getEncoding();
  if (!layout.isPlaceholder())
    encoding = fromLayout(context.mlirContext(), *layout::reduceLayout(layout, axis).layout);
  return mlir::RankedTensorType::get(shape, from.getElementType(), encoding);
}

static std::optional<Values> buildReduce(Context &context, llvm::ArrayRef<Value> sources,
                                         unsigned axis, Combine combine) {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &source : sources) {
    types.push_back(reducedType(context, source.blockTensorType(), axis));
    handles.push_back(source.ir());
  }
  auto reduce = tt::ReduceOp::create(context.builder, context.loc(), types, handles,
                                     context.builder.getI32IntegerAttr(axis));
  if (!buildRegion<tt::ReduceReturnOp>(context, reduce.getCombineOp(), sources, combine)) {
    reduce->erase();
    return std::nullopt;
  }
  Values results;
  for (auto [result, source] : llvm::zip(reduce->getResults(), sources))
    results.push_back(tensor(result, source.dtype()));
  return results;
}

Value reduce(Context &context, const Value &block, unsigned axis,
             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine) {
  return buildReduce(context, block, axis,
                     [&](llvm::ArrayRef<Value> lhs, llvm::ArrayRef<Value> rhs) {
                       return std::optional(
                           Values{tensor(combine(lhs[0].ir(), rhs[0].ir()), block.dtype())});
                     })
      ->front();
}

namespace {

/// Which axis to reduce, and what to do with it afterwards.
struct Axis {
  std::optional<unsigned> index;
  bool keepDims;
};

} // namespace

static std::optional<Axis> readAxis(Context &context, const BoundArgs &arguments, unsigned rank) {
  std::optional<bool> keepDims = boolArgument(context, arguments, "keep_dims");
  if (!keepDims)
    return std::nullopt;
  if (!isGiven(arguments["axis"]))
    return Axis{std::nullopt, *keepDims};
  std::optional<unsigned> axis = axisArgument(context, arguments, rank);
  return axis ? std::optional(Axis{axis, *keepDims}) : std::nullopt;
}

/// Reduces over one axis or, flattened, over all.
static std::optional<Values> reduceOver(Context &context, llvm::ArrayRef<Value> sources,
                                        const Axis &axis, Combine combine) {
  Values inputs(sources);
  unsigned index = axis.index.value_or(0);
  if (!axis.index)
    for (Value &input : inputs) {
      Result flat =
          reshape(context, {input, context.span}, {input.blockTensorType().getNumElements()},
                  context.span, context.isTriton());
      if (!flat)
        return std::nullopt;
      input = *flat;
    }
  std::optional<Values> results = buildReduce(context, inputs, index, combine);
  if (!results || !axis.keepDims)
    return results;
  for (auto [result, source] : llvm::zip(*results, sources)) {
    if (result.isBlock()) {
      Result wide = expandDims(context, {result, context.span}, index);
      if (!wide)
        return std::nullopt;
      result = *wide;
      continue;
    }
    // A scalar has no slice to expand: every dimension is 1.
    mlir::RankedTensorType type = source.blockTensorType();
    llvm::SmallVector<int64_t> ones(type.getRank(), 1);
    result = splat(context, result,
                   mlir::RankedTensorType::get(ones, type.getElementType(), type.getEncoding()));
  }
  return results;
}

static Value asResult(Values &values, bool isTuple) {
  if (!isTuple)
    return values.front();
  return Value::tuple(std::vector<Value>(values.begin(), values.end()));
}

// -- Built-in reductions -----------------------------------------------------------

/// What sums accumulate in: at least 32 bits for integers.
static DType sumType(DType dtype) {
  if (!dtype.isInt() || dtype.bitWidth() >= 32)
    return dtype;
  return dtype.isSignedInt() ? dtypes::int32 : dtypes::uint32;
}

/// What running sums accumulate in: bfloat16 in float32, too.
static DType runningSumType(DType dtype) {
  return dtype == dtypes::bfloat16 ? dtypes::float32 : sumType(dtype);
}

static DType runningProductType(DType dtype) {
  return dtype == dtypes::bfloat16 ? dtypes::float32 : dtype;
}

static DType extremumType(DType dtype) {
  if (dtype.bitWidth() >= 32)
    return dtype;
  return dtype.isFloat() ? dtypes::float32 : dtypes::int32;
}

static bool refuseType(Context &context, const BoundArgs &arguments, llvm::StringRef wanted) {
  context
      .report(diag::Kind::ArgumentKind, arguments.span("input"), "input", wanted,
              arguments["input"].typeName())
      .end();
  return false;
}

/// The block to reduce, as the type to reduce it in: that of `dtype`, where there is one.
static Result readNumbers(Context &context, const BoundArgs &arguments,
                          DType (*accumulator)(DType)) {
  if (!blockArgument(context, arguments, "input"))
    return std::nullopt;
  DType from = arguments["input"].dtype(), to = accumulator(from);
  bool hasDtype = arguments.signature.find("dtype") < arguments.signature.count();
  if (hasDtype && isGiven(arguments["dtype"])) {
    std::optional<DType> given = dtypeArgument(context, arguments, "dtype");
    if (!given)
      return std::nullopt;
    to = *given;
  }
  // Floats of 8 bits are fine to reduce as others.
  bool hasNumbers = from.isInt() || from.isFloat();
  if (!hasNumbers || (!to.isInt() && !to.isStandardFloat())) {
    context
        .report(diag::Kind::NoArithmetic, arguments.span("input"), "a reduction",
                hasNumbers ? to : from)
        .end();
    return std::nullopt;
  }
  return castTensor(context, arguments["input"], to, arguments.span("input"));
}

template <typename IntOp, typename FloatOp>
static std::optional<Values> combineWith(Context &context, llvm::ArrayRef<Value> lhs,
                                         llvm::ArrayRef<Value> rhs) {
  mlir::Value l = lhs[0].ir(), r = rhs[0].ir();
  mlir::Value result = lhs[0].dtype().isFloat()
                           ? FloatOp::create(context.builder, context.loc(), l, r).getResult()
                           : IntOp::create(context.builder, context.loc(), l, r).getResult();
  return Values{tensor(result, lhs[0].dtype())};
}

static Result emitSum(Context &context, const BoundArgs &arguments) {
  Result input = readNumbers(context, arguments, sumType);
  if (!input)
    return std::nullopt;
  std::optional<Axis> axis = readAxis(context, arguments, input->shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> result =
      reduceOver(context, *input, *axis, [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
        return combineWith<arith::AddIOp, arith::AddFOp>(context, l, r);
      });
  return result ? Result(result->front()) : std::nullopt;
}

/// xor_sum, reduce_or
template <typename Op> static Result emitBitwise(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "input"))
    return std::nullopt;
  const Value &input = arguments["input"];
  if (!input.dtype().isInt()) {
    refuseType(context, arguments, "of integers");
    return std::nullopt;
  }
  std::optional<Axis> axis = readAxis(context, arguments, input.shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> result =
      reduceOver(context, input, *axis, [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
        return combineWith<Op, Op>(context, l, r);
      });
  return result ? Result(result->front()) : std::nullopt;
}

/// 0, 1, 2, … along `axis`, in the shape and layout of `like`.
static Result positions(Context &context, const Value &like, unsigned axis) {
  mlir::RankedTensorType type = like.blockTensorType();
  unsigned rank = type.getRank();
  layout::Layout layout = toLayout(type.getEncoding());
  llvm::SmallVector<unsigned> removed;
  for (unsigned d = rank; d-- > 0;)
    if (d != axis) {
      removed.push_back(d);
      if (!layout.isPlaceholder())
        layout = layout::SliceLayout{int64_t(d), layout};
    }
  int64_t size = type.getDimSize(axis);
  auto lineType = mlir::RankedTensorType::get({size}, context.builder.getI32Type(),
                                              fromLayout(context.mlirContext(), layout));
  Value line = tensor(tt::MakeRangeOp::create(context.builder, context.loc(), lineType, 0, size),
                      dtypes::int32);
  // The slice made last is the outermost one.
  for (unsigned d : llvm::reverse(removed)) {
    Result wide = expandDims(context, {line, context.span}, d);
    if (!wide)
      return std::nullopt;
    line = *wide;
  }
  return broadcastTo(context, {line, context.span}, type.getShape());
}

/// The better of two (value, position) pairs; of equal values, the one further left if so asked.
static Values pickBetter(Context &context, Extremum kind, bool tieBreakLeft,
                         llvm::ArrayRef<Value> lhs, llvm::ArrayRef<Value> rhs) {
  mlir::OpBuilder &builder = context.builder;
  mlir::Location loc = context.loc();
  auto relation = [&](CompareOp op) {
    return compare(context, op, lhs[0], rhs[0], context.span, context.span)->ir();
  };
  mlir::Value takeLeft = relation(kind == Extremum::Max ? CompareOp::Gt : CompareOp::Lt);
  if (tieBreakLeft) {
    mlir::Value isLeftmost =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lhs[1].ir(), rhs[1].ir());
    mlir::Value isTie = arith::AndIOp::create(builder, loc, relation(CompareOp::Eq), isLeftmost);
    takeLeft = arith::OrIOp::create(builder, loc, takeLeft, isTie);
  }
  Values better;
  for (auto [l, r] : llvm::zip(lhs, rhs))
    better.push_back(
        tensor(arith::SelectOp::create(builder, loc, takeLeft, l.ir(), r.ir()), l.dtype()));
  return better;
}

/// The extremum and its position.
static std::optional<Values> reduceWithPositions(Context &context, Extremum kind,
                                                 const Value &input, const Axis &axis,
                                                 bool tieBreakLeft) {
  Value source = input;
  Axis along = axis;
  if (!axis.index) {
    Result flat = reshape(context, {input, context.span},
                          {input.blockTensorType().getNumElements()}, context.span);
    if (!flat)
      return std::nullopt;
    source = *flat;
    along.index = 0;
  }
  Result index = positions(context, source, *along.index);
  if (!index)
    return std::nullopt;
  return reduceOver(context, {source, *index}, along,
                    [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
                      return std::optional(pickBetter(context, kind, tieBreakLeft, l, r));
                    });
}

/// max(input, axis, return_indices, return_indices_tie_break_left, keep_dims)
template <Extremum kind> static Result emitExtremum(Context &context, const BoundArgs &arguments) {
  Result input = readNumbers(context, arguments, extremumType);
  std::optional<bool> withIndices = boolArgument(context, arguments, "return_indices");
  std::optional<bool> tieBreakLeft =
      boolArgument(context, arguments, "return_indices_tie_break_left");
  if (!input || !withIndices || !tieBreakLeft)
    return std::nullopt;
  std::optional<Axis> axis = readAxis(context, arguments, input->shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> results;
  if (*withIndices)
    results = reduceWithPositions(context, kind, *input, *axis, *tieBreakLeft);
  else
    results =
        reduceOver(context, *input, *axis, [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
          DType dtype = l[0].dtype();
          return std::optional(
              Values{tensor(extremum(context, kind, l[0].ir(), r[0].ir(), dtype, false), dtype)});
        });
  return results ? Result(asResult(*results, *withIndices)) : std::nullopt;
}

/// argmax(input, axis, tie_break_left, keep_dims)
template <Extremum kind>
static Result emitArgExtremum(Context &context, const BoundArgs &arguments) {
  Result input = readNumbers(context, arguments, extremumType);
  std::optional<bool> tieBreakLeft = boolArgument(context, arguments, "tie_break_left");
  if (!input || !tieBreakLeft)
    return std::nullopt;
  std::optional<Axis> axis = readAxis(context, arguments, input->shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> results = reduceWithPositions(context, kind, *input, *axis, *tieBreakLeft);
  return results ? Result(results->back()) : std::nullopt;
}

// -- User combine functions ----------------------------------------------------------

/// A block, or a tuple of blocks of one shape and layout.
static std::optional<Values> readSources(Context &context, const BoundArgs &arguments) {
  const Value &input = arguments["input"];
  Values sources;
  if (input.is(ValueKind::Tuple) || input.is(ValueKind::List))
    sources.append(input.items().begin(), input.items().end());
  else
    sources.push_back(input);
  for (const Value &source : sources)
    if (!source.isTensor() || !source.isBlock()) {
      refuseType(context, arguments, "a block tensor or a tuple of them");
      return std::nullopt;
    }
  if (sources.empty()) {
    refuseType(context, arguments, "a block tensor or a tuple of them");
    return std::nullopt;
  }
  mlir::RankedTensorType first = sources.front().blockTensorType();
  for (const Value &source : sources) {
    mlir::RankedTensorType type = source.blockTensorType();
    if (type.getShape() != first.getShape() || type.getEncoding() != first.getEncoding()) {
      context
          .report(diag::Kind::TensorsDiffer, arguments.span("input"), sources.front().typeName(),
                  source.typeName())
          .hint("all inputs of a reduction share shape and layout");
      return std::nullopt;
    }
  }
  return sources;
}

/// Calls the jit function `callee` and checks that it returns what it was given.
static std::optional<Values> callCombine(Context &context, const Value &callee, diag::Span span,
                                         llvm::ArrayRef<Value> lhs, llvm::ArrayRef<Value> rhs) {
  Values scalars(lhs);
  scalars.append(rhs.begin(), rhs.end());
  Result returned = context.call(callee, scalars);
  if (!returned)
    return std::nullopt;
  Values results;
  if (returned->is(ValueKind::Tuple))
    results.append(returned->items().begin(), returned->items().end());
  else
    results.push_back(*returned);
  bool isRight = results.size() == lhs.size();
  for (size_t i = 0; isRight && i < results.size(); ++i)
    isRight = results[i].isTensor() && results[i].dtype() == lhs[i].dtype() &&
              results[i].irType() == lhs[i].irType();
  if (isRight)
    return results;
  std::string wanted;
  for (const Value &value : lhs)
    wanted += (wanted.empty() ? "" : ", ") + value.typeName();
  context.report(diag::Kind::CombineResult, span, wanted, returned->typeName()).end();
  return std::nullopt;
}

static Result emitReduce(Context &context, const BoundArgs &arguments) {
  std::optional<Values> sources = readSources(context, arguments);
  if (!sources)
    return std::nullopt;
  std::optional<Axis> axis = readAxis(context, arguments, sources->front().shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> results =
      reduceOver(context, *sources, *axis, [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
        return callCombine(context, arguments["combine_fn"], arguments.span("combine_fn"), l, r);
      });
  return results ? Result(asResult(*results, !arguments["input"].isTensor())) : std::nullopt;
}

static std::optional<Values> buildScan(Context &context, llvm::ArrayRef<Value> sources,
                                       unsigned axis, bool reverse, Combine combine) {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> handles;
  for (const Value &source : sources) {
    types.push_back(source.irType());
    handles.push_back(source.ir());
  }
  auto scan = tt::ScanOp::create(context.builder, context.loc(), types, handles, axis, reverse);
  if (!buildRegion<tt::ScanReturnOp>(context, scan.getCombineOp(), sources, combine)) {
    scan->erase();
    return std::nullopt;
  }
  Values results;
  for (auto [result, source] : llvm::zip(scan->getResults(), sources))
    results.push_back(tensor(result, source.dtype()));
  return results;
}

static Result emitScan(Context &context, const BoundArgs &arguments) {
  std::optional<Values> sources = readSources(context, arguments);
  std::optional<bool> reverse = boolArgument(context, arguments, "reverse");
  if (!sources || !reverse)
    return std::nullopt;
  std::optional<unsigned> axis = axisArgument(context, arguments, sources->front().shape().size());
  if (!axis)
    return std::nullopt;
  std::optional<Values> results = buildScan(
      context, *sources, *axis, *reverse, [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
        return callCombine(context, arguments["combine_fn"], arguments.span("combine_fn"), l, r);
      });
  return results ? Result(asResult(*results, !arguments["input"].isTensor())) : std::nullopt;
}

/// cumsum, cumprod (input, axis, reverse, dtype)
template <typename IntOp, typename FloatOp, DType (*accumulator)(DType)>
static Result emitCumulative(Context &context, const BoundArgs &arguments) {
  Result input = readNumbers(context, arguments, accumulator);
  std::optional<bool> reverse = boolArgument(context, arguments, "reverse");
  if (!input || !reverse)
    return std::nullopt;
  unsigned axis = 0;
  if (isGiven(arguments["axis"])) {
    std::optional<unsigned> given = axisArgument(context, arguments, input->shape().size());
    if (!given)
      return std::nullopt;
    axis = *given;
  }
  std::optional<Values> results = buildScan(context, *input, axis, *reverse,
                                            [&](llvm::ArrayRef<Value> l, llvm::ArrayRef<Value> r) {
                                              return combineWith<IntOp, FloatOp>(context, l, r);
                                            });
  return results ? Result(results->front()) : std::nullopt;
}

llvm::ArrayRef<Builtin> reduceBuiltins() {
  static constexpr llvm::StringLiteral extremum =
      "input: block, axis: int = None, return_indices: bool = False, "
      "return_indices_tie_break_left: bool = True, keep_dims: bool = False";
  static constexpr llvm::StringLiteral arg =
      "input: block, axis: int, tie_break_left: bool = True, keep_dims: bool = False";
  static const Builtin table[] = {
      {"sum", "input: block, axis: int = None, keep_dims: bool = False, dtype: dtype = None",
       emitSum, asMethod, R"(
The sum of elements.

Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
leaves a dimension of size 1 in its place. Integers of fewer than 32 bits are summed in 32; `dtype`
chooses another type to sum in. The order of floating-point additions is not that of the elements.

Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
Errors: pointers; an axis out of range.

    total = gl.sum(x, axis=0)
)"},
      {"max", extremum, emitExtremum<Extremum::Max>, asMethod, R"(
The largest element.

Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
`return_indices_tie_break_left=False` allows any.

Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
with `return_indices` a tuple of it and int32 positions.
Errors: pointers; an axis out of range.

    largest = gl.max(x, axis=0)
)"},
      {"min", extremum, emitExtremum<Extremum::Min>, asMethod, R"(
The smallest element.

Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
`return_indices_tie_break_left=False` allows any.

Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
with `return_indices` a tuple of it and int32 positions.
Errors: pointers; an axis out of range.

    smallest = gl.min(x, axis=0)
)"},
      {"argmax", arg, emitArgExtremum<Extremum::Max>, asMethod, R"(
Where the largest element is.

Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
place. Of equal elements the first, unless `tie_break_left=False` allows any.

Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
none is left.
Errors: pointers; an axis out of range.

    where = gl.argmax(x, axis=0)
)"},
      {"argmin", arg, emitArgExtremum<Extremum::Min>, asMethod, R"(
Where the smallest element is.

Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
place. Of equal elements the first, unless `tie_break_left=False` allows any.

Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
none is left.
Errors: pointers; an axis out of range.

    where = gl.argmin(x, axis=0)
)"},
      {"xor_sum", "input: block, axis: int = None, keep_dims: bool = False",
       emitBitwise<arith::XOrIOp>, asMethod, R"(
The exclusive or of elements.

Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
leaves a dimension of size 1 in its place.

Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
Errors: elements that are no integers; an axis out of range.

    parity = gl.xor_sum(i, axis=0)
)"},
      {"reduce_or", "input: block, axis: int, keep_dims: bool = False", emitBitwise<arith::OrIOp>,
       asMethod, R"(
The bitwise or of elements.

Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
place.

Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
Errors: elements that are no integers; an axis out of range.

    bits = gl.reduce_or(i, axis=0)
)"},
      {"reduce", "input: value, axis: int, combine_fn: function, keep_dims: bool = False",
       emitReduce, asMethod, R"(
Combines elements with a function of the program.

Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
leaves a dimension of size 1 in its place. `combine_fn` takes two elements and gives one; for a
tuple of blocks it takes the elements of one side, then those of the other, and gives as many. It
must be associative and commutative.

Gives: what `sum` gives, one for each input.
Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

    total = gl.reduce(x, 0, add)
)"},
      {"associative_scan", "input: value, axis: int, combine_fn: function, reverse: bool = False",
       emitScan, asMethod, R"(
Combines each element with all before it, by a function of the program.

Along `axis`; from the end with `reverse`. `combine_fn` is as in `reduce`, but need not be
commutative.

Gives: a block like the input, or a tuple of them.
Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

    sums = gl.associative_scan(x, 0, add)
)"},
      {"cumsum", "input: block, axis: int = 0, reverse: bool = False, dtype: dtype = None",
       emitCumulative<arith::AddIOp, arith::AddFOp, runningSumType>, asMethod, R"(
The sum of each element and all before it.

Along `axis`; from the end with `reverse`. Integers of fewer than 32 bits become 32, bfloat16
becomes float32; `dtype` chooses another type to compute in.

Gives: a block of the shape and layout of the input.
Errors: pointers; an axis out of range.

    sums = gl.cumsum(x, axis=0)
)"},
      {"cumprod", "input: block, axis: int = 0, reverse: bool = False, dtype: dtype = None",
       emitCumulative<arith::MulIOp, arith::MulFOp, runningProductType>, asMethod, R"(
The product of each element and all before it.

Along `axis`; from the end with `reverse`. bfloat16 becomes float32; `dtype` chooses another type
to compute in.

Gives: a block of the shape and layout of the input.
Errors: pointers; an axis out of range.

    sums = gl.cumprod(x, axis=0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops
