//===- ThreadLocality.cpp - Sums over loops, kept in parts -----------------------===//
//
// A loop that combines reductions of blocks along their rows
//
//   for …: sum = sum + reduce(x)        x: tensor<MxN>, sum: tensor<M>
//
// carries more than one part of each sum, so that threads meet once, behind the loop:
//
//   for …: part = part + reduce(reshape(x))     reshape(x): tensor<Mx(N/V)xV>, along the last dim
//   sum = sum + reduce(part)
//
// V neighbours are what a thread loads at once, so that the first reduction stays within
// threads. Sums of floats are rounded in another order. Loops with products are left as they
// are: rows of a product lie as its instruction has them.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace gluonc {
namespace {

constexpr int64_t bitsLoadedAtOnce = 128;

/// `carried = combine(carried, reduce(source))`, of which nothing else is used.
struct Accumulation {
  unsigned number;
  tt::ReduceOp reduce;
  Operation *combine;

  RankedTensorType sourceType() {
    return cast<RankedTensorType>(Value(reduce.getSrcs().front()).getType());
  }
};

/// The one operation that a reduction combines elements by; null where there are more.
Operation *combinerOf(tt::ReduceOp reduce) {
  Block &body = reduce.getCombineOp().front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body.without_terminator(), 1))
    return nullptr;
  Operation &only = body.front();
  bool isWhole =
      only.getNumResults() == 1 && body.getTerminator()->getOperand(0) == only.getResult(0);
  return isWhole && llvm::equal(only.getOperands(), body.getArguments()) ? &only : nullptr;
}

/// What a combination with it leaves as it is, zeros' signs too; null where there is no such value.
TypedAttr neutralOf(Operation *combiner) {
  if (isa<arith::AddFOp>(combiner))
    return FloatAttr::get(combiner->getResult(0).getType(), -0.0);
  return arith::getNeutralElement(combiner).value_or(TypedAttr());
}

/// Neighbours along the rows of a block that one access takes; 1 where a row is not longer.
int64_t neighboursIn(RankedTensorType type) {
  int64_t count = bitsLoadedAtOnce / std::max(type.getElementTypeBitWidth(), 8u);
  return type.getShape().back() > count ? count : 1;
}

std::optional<Accumulation> accumulationOf(scf::ForOp loop, unsigned number) {
  Value carried = loop.getRegionIterArg(number), yielded = loop.getYieldedValues()[number];
  Operation *combine = yielded.getDefiningOp();
  if (!combine || combine->getBlock() != loop.getBody() || combine->getNumOperands() != 2 ||
      combine->getNumResults() != 1 || !carried.hasOneUse() || !yielded.hasOneUse() ||
      *carried.user_begin() != combine)
    return std::nullopt;
  Value other = combine->getOperand(combine->getOperand(0) == carried ? 1 : 0);
  auto reduce = other.getDefiningOp<tt::ReduceOp>();
  if (!reduce || !other.hasOneUse() || reduce->getBlock() != loop.getBody() ||
      reduce.getSrcs().size() != 1)
    return std::nullopt;
  Accumulation found = {number, reduce, combine};
  RankedTensorType type = found.sourceType();
  Operation *combiner = combinerOf(reduce);
  if (!combiner || combiner->getName() != combine->getName() || !neutralOf(combiner) ||
      !isOpen(type) || reduce.getAxis() + 1 != type.getRank() || neighboursIn(type) == 1)
    return std::nullopt;
  return found;
}

/// The same reduction of another value, along its last dim.
Value reduceLast(OpBuilder &builder, tt::ReduceOp like, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  Type result = type.getElementType();
  if (type.getRank() > 1)
    result = RankedTensorType::get(type.getShape().drop_back(), result, type.getEncoding());
  auto reduce = tt::ReduceOp::create(builder, like.getLoc(), TypeRange{result}, ValueRange{source},
                                     unsigned(type.getRank() - 1));
  IRMapping map;
  like.getCombineOp().cloneInto(&reduce.getCombineOp(), map);
  return reduce.getResult().front();
}

/// `combine` of other values.
Value combineLike(OpBuilder &builder, Operation *combine, Value one, Value other) {
  OperationState state(combine->getLoc(), combine->getName(), {one, other}, {one.getType()},
                       combine->getAttrs());
  return builder.create(state)->getResult(0);
}

class Accumulations {
public:
  explicit Accumulations(scf::ForOp loop) : loop(loop) {
    if (loop.walk([](tt::DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    for (unsigned i = 0; i != loop.getNumRegionIterArgs(); ++i)
      if (std::optional<Accumulation> one = accumulationOf(loop, i))
        found.push_back(*one);
  }

  void keepInParts() {
    if (found.empty())
      return;
    IRRewriter builder(loop);
    SmallVector<Value> neutral;
    for (Accumulation one : found)
      neutral.push_back(neutralParts(builder, one));
    DictionaryAttr attributes = loop->getAttrDictionary();
    unsigned before = loop.getNumResults();
    auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        builder, neutral, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> parts) {
          return llvm::map_to_vector(llvm::zip_equal(found, parts), [&](auto pair) {
            return addPart(inside, std::get<0>(pair), std::get<1>(pair));
          });
        }));
    made->setAttrs(attributes);
    builder.setInsertionPointAfter(made);
    for (auto [i, one] : llvm::enumerate(found))
      finish(builder, made, one, made.getResult(before + i));
  }

private:
  RankedTensorType partType(Accumulation one) const {
    RankedTensorType type = one.sourceType();
    SmallVector<int64_t> shape(type.getShape());
    shape.back() /= neighboursIn(type);
    return type.clone(shape);
  }

  Value neutralParts(OpBuilder &builder, Accumulation one) const {
    auto value = DenseElementsAttr::get(partType(one), neutralOf(combinerOf(one.reduce)));
    return arith::ConstantOp::create(builder, one.combine->getLoc(), value);
  }

  Value addPart(OpBuilder &builder, Accumulation one, Value part) const {
    RankedTensorType type = one.sourceType(), reduced = partType(one);
    SmallVector<int64_t> shape(reduced.getShape());
    shape.push_back(neighboursIn(type));
    Value source = one.reduce.getSrcs().front();
    Value split = tt::ReshapeOp::create(builder, one.reduce.getLoc(), type.clone(shape), source);
    return combineLike(builder, one.combine, part, reduceLast(builder, one.reduce, split));
  }

  /// Behind the loop all parts meet. In it the sum stays what it was.
  void finish(IRRewriter &builder, scf::ForOp made, Accumulation one, Value parts) const {
    Value whole = reduceLast(builder, one.reduce, parts), result = made.getResult(one.number);
    Value sum = combineLike(builder, one.combine, result, whole);
    builder.replaceAllUsesExcept(result, sum, sum.getDefiningOp());
    (*made.getYieldedValuesMutable())[one.number].set(made.getRegionIterArg(one.number));
    builder.eraseOp(one.combine);
    builder.eraseOp(one.reduce);
  }

  scf::ForOp loop;
  SmallVector<Accumulation> found;
};

struct ThreadLocalityPass : PassWrapper<ThreadLocalityPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ThreadLocalityPass)
  llvm::StringRef getArgument() const override { return "gluonc-thread-locality"; }
  llvm::StringRef getDescription() const override {
    return "Let threads meet behind a loop in place of each iteration";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Accumulations(loop).keepInParts();
  }
};

} // namespace

std::unique_ptr<Pass> createThreadLocalityPass() { return std::make_unique<ThreadLocalityPass>(); }

} // namespace gluonc
