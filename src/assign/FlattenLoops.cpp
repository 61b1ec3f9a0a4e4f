//===- FlattenLoops.cpp - Two nested loops as one --------------------------------===//
//
// A loop whose author asks for it (`tt.flatten`), with one loop inside, becomes one loop over
// all iterations of both, which can then load ahead from one tile into the next:
//
//   for i:                      i, j = first ones
//     before(i)                 for all:
//     for j:                      if j is the first: before(i)
//       inside(i, j)      =>      inside(i, j)
//     behind(i)                   if j is the last: behind(i)
//                                 advance j, behind the last one i
//
// Tensors that stand before the inner loop, addresses above all, would be carried or computed
// again in every iteration, which costs more than it saves (measured with products through
// pointers): such loops stay nested.
//
// The inner loop counts the same for every i. Where it may have no iteration and something
// happens around it, that is a case of its own.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace gluonc {
namespace {

constexpr llvm::StringLiteral flattenAttr = "tt.flatten";

/// The only loop directly in the body of `loop`; null where there is none, or more.
scf::ForOp loopIn(scf::ForOp loop) {
  auto loops = llvm::to_vector(loop.getBody()->getOps<scf::ForOp>());
  return loops.size() == 1 ? loops.front() : scf::ForOp();
}

/// What stands for a value that is not computed yet; null for types that have no such value.
Value placeholder(OpBuilder &builder, Location loc, Type type) {
  if (TypedAttr zero = builder.getZeroAttr(type))
    return arith::ConstantOp::create(builder, loc, zero);
  if (!isa<tt::PointerType>(getElementTypeOrSelf(type)))
    return {};
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type word = builder.getI64Type(), words = tensor ? Type(tensor.clone(word)) : word;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(words));
  return tt::IntToPtrOp::create(builder, loc, type, zero);
}

bool hasPlaceholder(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrIndexOrFloat() || isa<tt::PointerType>(element);
}

SmallVector<Value> lookUp(ValueRange values, const IRMapping &map) {
  return llvm::map_to_vector(values, [&](Value value) { return map.lookupOrDefault(value); });
}

class Flattener {
public:
  Flattener(scf::ForOp outer, scf::ForOp inner)
      : outer(outer), inner(inner), builder(outer), loc(outer.getLoc()) {}

  bool suits();
  void run();

private:
  bool isSteady() const;
  void findMade();
  bool happensAround() const;
  SmallVector<Value> flatten();
  SmallVector<Value> runEmpty();
  Value countOf(scf::ForOp loop);
  using Maker = llvm::function_ref<SmallVector<Value>()>;
  SmallVector<Value> choose(Value condition, TypeRange types, Maker then, Maker otherwise);
  void begin(Value isFirst, IRMapping &map);
  SmallVector<Value> end(Value isLast, const IRMapping &map);

  scf::ForOp outer, inner;
  OpBuilder builder;
  Location loc;
  /// Made before the inner loop, and used in it or behind it.
  SmallVector<Value> made;
};

/// Whether the inner loop has the same iterations for every one of the outer loop.
bool Flattener::isSteady() const {
  scf::ForOp loop = inner, around = outer;
  return llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                      [&](Value bound) { return around.isDefinedOutsideOfLoop(bound); });
}

/// Whether an iteration of the outer loop does more than the inner loop does.
bool Flattener::happensAround() const {
  scf::ForOp loop = inner, around = outer;
  for (Operation &op : around.getBody()->without_terminator())
    if (&op != loop && !isMemoryEffectFree(&op))
      return true;
  for (auto [number, value] : llvm::enumerate(around.getYieldedValues())) {
    Value carried = around.getRegionIterArg(number);
    auto result = dyn_cast<OpResult>(value);
    bool isOfInner = result && result.getOwner() == loop.getOperation() &&
                     loop.getInitArgs()[result.getResultNumber()] == carried;
    if (value != carried && !isOfInner)
      return true;
  }
  return false;
}

void Flattener::findMade() {
  for (Operation &op : llvm::make_range(outer.getBody()->begin(), inner->getIterator()))
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *place = outer.getBody()->findAncestorOpInBlock(*user);
            return place == inner || inner->isBeforeInBlock(place);
          }))
        made.push_back(result);
}

bool Flattener::suits() {
  moveLoopInvariantCode(outer);
  if (outer.getUnsignedCmp() || inner.getUnsignedCmp() || !isSteady())
    return false;
  findMade();
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  auto types = llvm::to_vector(ValueRange(made).getTypes());
  llvm::append_range(types, inner.getResultTypes());
  return llvm::none_of(made, isTensor) && llvm::all_of(types, hasPlaceholder);
}

/// Iterations of a loop that has some; in 64 bits, since they are multiplied.
Value Flattener::countOf(scf::ForOp loop) {
  auto wide = [&](Value value) {
    return value.getType().isInteger(64)
               ? value
               : arith::ExtSIOp::create(builder, loc, builder.getI64Type(), value).getResult();
  };
  Value span =
      arith::SubIOp::create(builder, loc, wide(loop.getUpperBound()), wide(loop.getLowerBound()));
  Value zero = arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 0);
  span = arith::MaxSIOp::create(builder, loc, span, zero);
  Value step = wide(loop.getStep());
  Value one = arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 1);
  span = arith::AddIOp::create(builder, loc, span, arith::SubIOp::create(builder, loc, step, one));
  return arith::DivSIOp::create(builder, loc, span, step);
}

/// What `then` makes where the condition holds, else what `otherwise` makes.
SmallVector<Value> Flattener::choose(Value condition, TypeRange types, Maker then,
                                     Maker otherwise) {
  auto choice = scf::IfOp::create(builder, loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [region, make] :
       {std::pair(&choice.getThenRegion(), then), std::pair(&choice.getElseRegion(), otherwise)}) {
    Block &block = region->front();
    // Those without results have their ends already.
    if (!block.empty())
      block.back().erase();
    builder.setInsertionPointToEnd(&block);
    scf::YieldOp::create(builder, loc, make());
  }
  if (types.empty() && isMemoryEffectFree(choice)) {
    choice.erase();
    return {};
  }
  return llvm::to_vector_of<Value>(choice.getResults());
}

/// What stands before the inner loop, in its first iteration. What that carries is a choice of its
/// own: nothing that is loaded ahead depends on it.
void Flattener::begin(Value isFirst, IRMapping &map) {
  auto makeAll = [&] {
    IRMapping own(map);
    for (Operation &op : llvm::make_range(outer.getBody()->begin(), inner->getIterator()))
      builder.clone(op, own);
    return lookUp(made, own);
  };
  map.map(made,
          choose(isFirst, ValueRange(made).getTypes(), makeAll, [&] { return lookUp(made, map); }));
  map.map(inner.getRegionIterArgs(),
          choose(
              isFirst, inner.getResultTypes(), [&] { return lookUp(inner.getInitArgs(), map); },
              [&] { return lookUp(inner.getRegionIterArgs(), map); }));
}

/// What stands behind the inner loop, in its last iteration. Returns what the outer loop carries.
SmallVector<Value> Flattener::end(Value isLast, const IRMapping &map) {
  auto makeAll = [&] {
    IRMapping own(map);
    for (Operation &op : llvm::make_range(std::next(inner->getIterator()),
                                          outer.getBody()->getTerminator()->getIterator()))
      builder.clone(op, own);
    return lookUp(outer.getYieldedValues(), own);
  };
  return choose(isLast, outer.getResultTypes(), makeAll,
                [&] { return lookUp(outer.getRegionIterArgs(), map); });
}

SmallVector<Value> Flattener::flatten() {
  Type counter = builder.getI64Type();
  Value zero = arith::ConstantIntOp::create(builder, loc, counter, 0);
  Value one = arith::ConstantIntOp::create(builder, loc, counter, 1);
  Value total = arith::MulIOp::create(builder, loc, countOf(outer), countOf(inner));
  // i, j, what the outer loop carries, what is made before the inner one, what that carries.
  SmallVector<Value> inits{outer.getLowerBound(), inner.getLowerBound()};
  llvm::append_range(inits, outer.getInitArgs());
  for (Value value : made)
    inits.push_back(placeholder(builder, loc, value.getType()));
  for (Value value : inner.getInitArgs())
    inits.push_back(placeholder(builder, loc, value.getType()));
  auto loop = scf::ForOp::create(builder, loc, zero, total, one, inits);
  loop->setAttrs(inner->getAttrs());
  if (Attribute stages = outer->getAttr(numStagesAttr); stages && !loop->hasAttr(numStagesAttr))
    loop->setAttr(numStagesAttr, stages);
  if (outer->hasAttr(warpSpecializeAttr))
    loop->setAttr(warpSpecializeAttr, UnitAttr::get(loop.getContext()));
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  builder.setInsertionPointToEnd(loop.getBody());

  IRMapping map;
  Value i = loop.getRegionIterArg(0), j = loop.getRegionIterArg(1);
  ValueRange arguments = ValueRange(loop.getRegionIterArgs()).drop_front(2);
  map.map(outer.getInductionVar(), i);
  map.map(inner.getInductionVar(), j);
  size_t outerCount = outer.getNumRegionIterArgs();
  map.map(outer.getRegionIterArgs(), arguments.take_front(outerCount));
  map.map(made, arguments.slice(outerCount, made.size()));
  map.map(inner.getRegionIterArgs(), arguments.drop_front(outerCount + made.size()));

  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, j, inner.getLowerBound());
  begin(isFirst, map);
  for (Operation &op : inner.getBody()->without_terminator())
    builder.clone(op, map);
  SmallVector<Value> results = lookUp(inner.getYieldedValues(), map);
  map.map(inner.getResults(), results);

  Value nextJ = arith::AddIOp::create(builder, loc, j, inner.getStep());
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, nextJ, inner.getUpperBound());
  SmallVector<Value> behind = end(isLast, map);
  Value nextI = arith::AddIOp::create(builder, loc, i, outer.getStep());
  SmallVector<Value> yields{
      arith::SelectOp::create(builder, loc, isLast, nextI, i),
      arith::SelectOp::create(builder, loc, isLast, inner.getLowerBound(), nextJ)};
  llvm::append_range(yields, behind);
  llvm::append_range(yields, lookUp(made, map));
  llvm::append_range(yields, results);
  scf::YieldOp::create(builder, loc, yields);
  return llvm::to_vector_of<Value>(loop.getResults().slice(2, outerCount));
}

/// The outer loop where the inner one has no iterations.
SmallVector<Value> Flattener::runEmpty() {
  IRMapping map;
  auto loop = cast<scf::ForOp>(builder.clone(*outer, map));
  loop->removeAttr(flattenAttr);
  scf::ForOp empty = loopIn(loop);
  empty.replaceAllUsesWith(ValueRange(empty.getInitArgs()));
  empty.erase();
  return llvm::to_vector_of<Value>(loop.getResults());
}

void Flattener::run() {
  SmallVector<Value> results;
  IntegerAttr lower, upper;
  bool hasIterations = matchPattern(inner.getLowerBound(), m_Constant(&lower)) &&
                       matchPattern(inner.getUpperBound(), m_Constant(&upper)) &&
                       lower.getValue().slt(upper.getValue());
  if (hasIterations || !happensAround()) {
    results = flatten();
  } else {
    Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       inner.getLowerBound(), inner.getUpperBound());
    results =
        choose(runs, outer.getResultTypes(), [&] { return flatten(); }, [&] { return runEmpty(); });
  }
  outer.replaceAllUsesWith(results);
  outer.erase();
}

struct FlattenLoopsPass : PassWrapper<FlattenLoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FlattenLoopsPass)
  llvm::StringRef getArgument() const override { return "gluonc-flatten-loops"; }
  llvm::StringRef getDescription() const override {
    return "Make one loop of two, where the author asks for it";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(flattenAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp outer : loops)
      if (scf::ForOp inner = loopIn(outer))
        if (Flattener flattener(outer, inner); flattener.suits())
          flattener.run();
  }
};

} // namespace

std::unique_ptr<Pass> createFlattenLoopsPass() { return std::make_unique<FlattenLoopsPass>(); }

} // namespace gluonc
