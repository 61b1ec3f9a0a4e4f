//===- Pipeline.cpp - Loops that load ahead of what they compute -----------------===//
//
// A loop with `stages` stages copies the blocks for iteration i + stages - 1 to shared
// memory while it computes iteration i. Copies are asynchronous; before a block is used the
// loop waits for its copy alone. Before the loop the first copies are started:
//
//   ring = local_alloc : 2x64x32
//   copy(0) -> ring[0], copy(1) -> ring[1]
//   for i:
//     wait until at most one copy is pending
//     x = local_load ring[i % 2]
//     compute with x
//     copy(i + 2) -> ring[i % 2]
//
// Loads through descriptors are copies by the copy engine, which a barrier for each slot of the
// ring tells of (BoxCopies.h).
//
// What computes addresses and masks runs twice, once for the copies and once for the other
// uses: nothing but shared memory passes from one stage to the other. A copy for an
// iteration that never comes has a mask that is false.
//
// Loads are pipelined that feed a matrix product of the loop, and all loads of a loop
// whose author asks for stages (`tt.num_stages`).
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/BoxCopies.h"
#include "assign/Fetch.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"
#include "ir/Hint.h"
#include "ir/tt/Coalescing.h"
#include "target/Features.h"
#include "target/nvidia/MatrixInstructions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::Copy;
using assign::Fetch;

/// Builds the new loop beside the old one.
class Pipeliner {
public:
  Pipeliner(const Fetch &fetch, int64_t stages)
      : fetch(fetch), loop(fetch.loop), builder(loop), loc(loop.getLoc()), ahead(stages - 1) {
    // A product that still runs reads its buffer while the next copy is started.
    buffers = ahead + (llvm::any_of(fetch.copies, [](const Copy &c) { return c.isOfDot; }) ? 1 : 0);
  }

  void run() {
    for (const Copy &copy : fetch.copies)
      rings.push_back(makeRing(copy));
    for (size_t i = 0; i < fetch.boxBytes.size(); ++i)
      boxBarriers.emplace_back(builder, loc, buffers);
    startCopies();
    makeLoop();
    finish();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }
  Value makeRing(const Copy &copy) {
    auto type = cast<RankedTensorType>(copy.load->getResult(0).getType());
    return assign::allocateBuffer(builder, loc, type.getShape(), type.getElementType(), copy.shared,
                                  buffers);
  }
  Value viewOf(const Copy &copy, Value slot) {
    return assign::bufferAt(builder, loc, rings[numberOf(copy)], slot);
  }
  size_t numberOf(const Copy &copy) const { return &copy - fetch.copies.begin(); }
  Value zeros(Type type) {
    return arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  }
  Value isBefore(Value iteration) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, iteration,
                                 loop.getUpperBound());
  }

  /// A place in the rings, and how often it was used, modulo 2.
  struct Turn {
    Value slot, phase;
  };

  void fetchInto(Value slot, Value predicate, IRMapping &map);
  void fetchLoad(tt::LoadOp load, Value slot, Value predicate, IRMapping &map);
  void fetchBox(tt::DescriptorLoadOp load, const Copy &copy, Value slot, Value predicate,
                IRMapping &map);
  void startCopies();
  void makeLoop();
  void computeBody(Turn turn, IRMapping &map);
  void computeOp(Operation &op, Turn turn, IRMapping &map);
  void awaitCopies(Operation &user, Turn turn, IRMapping &map);
  void awaitGroup(const Copy &copy);
  Value readCopy(const Copy &copy, Value view, IRMapping &map);
  SmallVector<Value> awaitDots(ArrayRef<Value> running, size_t pending);
  void awaitDotsIn(Operation &branches, IRMapping &map);
  void meet(ttng::WarpGroupDotOp dot, IRMapping &map);
  void setOffDots(IRMapping &map);
  Value nextSlot(Value slot);
  Value nextPhase(Turn turn);
  void finish();

  const Fetch &fetch;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  int64_t ahead, buffers;
  SmallVector<Value> rings;
  /// By number of box.
  SmallVector<assign::BoxBarriers, 2> boxBarriers;
  /// Arguments of the fetching part, as they are where `builder` is.
  SmallVector<Value> fetchArgs;
  scf::ForOp made;
  /// While the body is made: the buffers of this iteration, null before the wait for them.
  SmallVector<Value> views;
  /// Copies by cp.async that are awaited, and numbers of boxes.
  size_t awaited = 0;
  llvm::SmallBitVector awaitedBoxes;
};

/// Clones the fetching part behind `predicate`: copies into buffer `slot`, one group each, or a
/// barrier for boxes.
void Pipeliner::fetchInto(Value slot, Value predicate, IRMapping &map) {
  llvm::SmallBitVector expected(boxBarriers.size());
  for (Operation *op : fetch.operations) {
    const Copy *copy = op->getNumResults() == 1 ? fetch.copyOf(op->getResult(0)) : nullptr;
    if (copy && copy->box) {
      unsigned box = *copy->box;
      if (!expected.test(box))
        boxBarriers[box].expect(builder, slot, fetch.boxBytes[box], predicate);
      expected.set(box);
      fetchBox(cast<tt::DescriptorLoadOp>(op), *copy, slot, predicate, map);
      continue;
    }
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      fetchLoad(load, slot, predicate, map);
      continue;
    }
    Operation *made = builder.clone(*op, map);
    // What a branch computes, it may compute for iterations that there are only.
    if (auto choice = dyn_cast<scf::IfOp>(made)) {
      builder.setInsertionPoint(made);
      choice.getConditionMutable().assign(
          arith::AndIOp::create(builder, loc, choice.getCondition(), predicate));
      builder.setInsertionPointAfter(made);
    }
  }
}

void Pipeliner::fetchLoad(tt::LoadOp load, Value slot, Value predicate, IRMapping &map) {
  Value pointers = map.lookupOrDefault(load.getPtr());
  Type type = tt::boolTypeLike(pointers.getType());
  Value mask = predicate;
  if (isa<RankedTensorType>(type))
    mask = tt::SplatOp::create(builder, loc, type, predicate);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, loc, mask, map.lookupOrDefault(load.getMask()));
  const Copy *copy = fetch.copyOf(load.getResult());
  if (!copy) {
    auto again = cast<tt::LoadOp>(builder.clone(*load, map));
    again.getMaskMutable().assign(mask);
    return;
  }
  // What a mask leaves out is zero; of blocks that nobody reads it does not matter.
  Value other = load.getMask() ? zeros(load.getType()) : Value();
  Value token = ttg::AsyncCopyGlobalToLocalOp::create(
      builder, load.getLoc(), pointers, viewOf(*copy, slot), mask, other, load.getCache(),
      load.getEvict(), load.getIsVolatile(),
      /*contiguity=*/1, load.getCachePolicyAttr());
  ttg::AsyncCommitGroupOp::create(builder, load.getLoc(), token);
}

void Pipeliner::fetchBox(tt::DescriptorLoadOp load, const Copy &copy, Value slot, Value predicate,
                         IRMapping &map) {
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  boxBarriers[*copy.box].copy(builder, load, mapped(load.getDesc()),
                              llvm::map_to_vector(load.getIndices(), mapped), slot,
                              viewOf(copy, slot), predicate);
}

void Pipeliner::startCopies() {
  for (unsigned number : fetch.arguments)
    fetchArgs.push_back(loop.getInitArgs()[number]);
  Value iteration = loop.getLowerBound();
  for (int64_t slot = 0; slot < ahead; ++slot) {
    IRMapping map;
    map.map(loop.getInductionVar(), iteration);
    for (auto [number, value] : llvm::zip_equal(fetch.arguments, fetchArgs))
      map.map(loop.getRegionIterArg(number), value);
    fetchInto(constant(slot), isBefore(iteration), map);
    for (auto [number, value] : llvm::zip_equal(fetch.arguments, fetchArgs))
      value = map.lookupOrDefault(loop.getYieldedValues()[number]);
    iteration = arith::AddIOp::create(builder, loc, iteration, loop.getStep());
  }
}

Value Pipeliner::nextSlot(Value slot) {
  if (buffers == 1)
    return slot;
  Value next = arith::AddIOp::create(builder, loc, slot, constant(1));
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next, constant(buffers));
  return arith::SelectOp::create(builder, loc, isLast, next, constant(0));
}

/// It changes where the ring begins again.
Value Pipeliner::nextPhase(Turn turn) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, nextSlot(turn.slot),
                                        constant(0));
  return arith::XOrIOp::create(builder, loc, turn.phase,
                               arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isFirst));
}

void Pipeliner::makeLoop() {
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, fetchArgs);
  inits.push_back(constant(ahead % buffers));
  inits.push_back(constant(0));
  if (!boxBarriers.empty())
    inits.push_back(constant(0));
  made = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                            loop.getStep(), inits);
  made->setAttrs(loop->getAttrs());
  made->removeAttr(numStagesAttr);
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  if (!made.getBody()->empty())
    made.getBody()->back().erase();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(made.getBody());
  size_t carried = loop.getNumRegionIterArgs(), fetched = fetchArgs.size();
  Value fetchSlot = made.getRegionIterArg(carried + fetched);
  Turn turn{made.getRegionIterArg(carried + fetched + 1), {}};
  if (!boxBarriers.empty())
    turn.phase = made.getRegionIterArg(carried + fetched + 2);

  IRMapping computing, fetching;
  computing.map(loop.getInductionVar(), made.getInductionVar());
  for (size_t i = 0; i < carried; ++i)
    computing.map(loop.getRegionIterArg(i), made.getRegionIterArg(i));
  computeBody(turn, computing);

  Value iteration = made.getInductionVar();
  for (int64_t i = 0; i < ahead; ++i)
    iteration = arith::AddIOp::create(builder, loc, iteration, loop.getStep());
  fetching.map(loop.getInductionVar(), iteration);
  for (auto [i, number] : llvm::enumerate(fetch.arguments))
    fetching.map(loop.getRegionIterArg(number), made.getRegionIterArg(carried + i));
  fetchInto(fetchSlot, isBefore(iteration), fetching);

  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(computing.lookupOrDefault(value));
  for (unsigned number : fetch.arguments)
    yields.push_back(fetching.lookupOrDefault(loop.getYieldedValues()[number]));
  yields.push_back(nextSlot(fetchSlot));
  yields.push_back(nextSlot(turn.slot));
  if (!boxBarriers.empty())
    yields.push_back(nextPhase(turn));
  scf::YieldOp::create(builder, loc, yields);
}

void Pipeliner::computeBody(Turn turn, IRMapping &map) {
  views.resize(fetch.copies.size());
  awaitedBoxes.resize(boxBarriers.size());
  for (Operation &op : loop.getBody()->without_terminator())
    computeOp(op, turn, map);
  setOffDots(map);
}

/// Waits for a copy by cp.async, and for those started before it.
void Pipeliner::awaitGroup(const Copy &copy) {
  auto isGroup = [](const Copy &other) { return !other.box; };
  size_t number = std::count_if(fetch.copies.begin(), &copy, isGroup);
  if (number < awaited)
    return;
  // Of later iterations, and where there is but one, of copies behind this one: with more they
  // have had their time, and one wait costs less.
  int64_t count = llvm::count_if(fetch.copies, isGroup);
  size_t last = ahead > 1 ? size_t(count) - 1 : number;
  int64_t pending = (ahead - 1) * count + (count - 1 - int64_t(last));
  ttg::AsyncWaitOp::create(builder, loc, ValueRange(), uint32_t(pending));
  awaited = last + 1;
}

/// What was loaded, in registers.
Value Pipeliner::readCopy(const Copy &copy, Value view, IRMapping &map) {
  Type type = copy.load->getResult(0).getType();
  Value value = ttg::LocalLoadOp::create(builder, loc, type, view);
  if (!copy.hasOther)
    return value;
  auto load = cast<tt::LoadOp>(copy.load);
  return arith::SelectOp::create(builder, loc, map.lookupOrDefault(load.getMask()), value,
                                 map.lookupOrDefault(load.getOther()));
}

/// Before the first use of a copy: waits for it.
void Pipeliner::awaitCopies(Operation &user, Turn turn, IRMapping &map) {
  for (auto [number, copy] : llvm::enumerate(fetch.copies)) {
    Value loaded = copy.load->getResult(0);
    bool isUsed = llvm::any_of(loaded.getUsers(), [&](Operation *op) {
      return loop.getBody()->findAncestorOpInBlock(*op) == &user;
    });
    if (!isUsed)
      continue;
    if (!copy.box) {
      awaitGroup(copy);
    } else if (!awaitedBoxes.test(*copy.box)) {
      boxBarriers[*copy.box].wait(builder, turn.slot, turn.phase);
      awaitedBoxes.set(*copy.box);
    }
    if (!views[number])
      views[number] = viewOf(copy, turn.slot);
    if (!copy.isReadBy(&user) && !map.contains(loaded))
      map.map(loaded, readCopy(copy, views[number], map));
  }
}

void Pipeliner::computeOp(Operation &op, Turn turn, IRMapping &map) {
  if (op.getNumResults() == 1 && fetch.copyOf(op.getResult(0)))
    return;
  // What the author says of addresses goes with the fetching part.
  if (isa<gluon::HintOp>(op) && llvm::is_contained(fetch.operations, &op))
    return;
  awaitCopies(op, turn, map);
  const Copy *copy = op.getNumOperands() == 1 ? fetch.copyOf(op.getOperand(0)) : nullptr;
  if (copy && copy->isReadBy(&op)) {
    Value result = op.getResult(0), view = views[numberOf(*copy)];
    if (isa<ttg::LocalAllocOp>(op))
      map.map(result, view);
    else
      map.map(result, ttg::LocalLoadOp::create(builder, op.getLoc(), result.getType(), view));
    return;
  }
  Operation *made = builder.clone(op, map);
  awaitDotsIn(*made, map);
  auto dot = dyn_cast<ttng::WarpGroupDotOp>(made);
  if (dot && fetch.outlives(&op))
    dot.setIsAsync(true);
  else if (dot && &op == fetch.meeting && !fetch.carriedDots.empty())
    meet(dot, map);
}

/// Waits until no more than `pending` products run; those of `running` do not.
SmallVector<Value> Pipeliner::awaitDots(ArrayRef<Value> running, size_t pending) {
  pending = std::min<size_t>(pending, target::nvidia::wgmma::maxPending);
  auto wait = ttng::WarpGroupDotWaitOp::create(builder, loc, ValueRange(running).getTypes(),
                                               running, uint32_t(pending),
                                               /*warpGroupLocal=*/false);
  return llvm::to_vector_of<Value>(wait.getResults());
}

/// In branches that take sums of running products: waits for them.
void Pipeliner::awaitDotsIn(Operation &branches, IRMapping &map) {
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *dot : fetch.asyncDots)
    for (Region &region : branches.getRegions()) {
      Value running = map.lookupOrNull(dot->getResult(0));
      auto isInside = [&](OpOperand &use) {
        return region.isAncestor(use.getOwner()->getParentRegion());
      };
      if (!running || llvm::none_of(running.getUses(), isInside))
        continue;
      builder.setInsertionPointToStart(&region.front());
      Value over = awaitDots(running, 0).front();
      running.replaceUsesWithIf(over, [&](OpOperand &use) {
        return isInside(use) && use.getOwner() != over.getDefiningOp();
      });
    }
}

/// Waits for a product, and for those of the iteration before.
void Pipeliner::meet(ttng::WarpGroupDotOp dot, IRMapping &map) {
  dot.setIsAsync(true);
  SmallVector<Value> from{fetch.meeting->getResult(0)}, running{dot.getD()};
  for (Operation *carried : fetch.carriedDots) {
    from.push_back(fetch.argumentOf(carried));
    running.push_back(map.lookup(from.back()));
  }
  map.map(from, awaitDots(running, 0));
}

/// Products go on while the next iteration begins; those before them are over.
void Pipeliner::setOffDots(IRMapping &map) {
  if (fetch.asyncDots.empty())
    return;
  SmallVector<Value> from, running;
  for (Operation *dot : fetch.asyncDots) {
    from.push_back(dot->getResult(0));
    running.push_back(map.lookup(from.back()));
  }
  map.map(from, awaitDots(running, fetch.asyncDots.size() + fetch.carriedDots.size()));
}

void Pipeliner::finish() {
  if (llvm::any_of(fetch.copies, [](const Copy &copy) { return !copy.box; }))
    ttg::AsyncWaitOp::create(builder, loc, ValueRange(), 0);
  SmallVector<Value> results(made.getResults().take_front(loop.getNumResults())), running;
  SmallVector<size_t> numbers;
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues()))
    if (Operation *yielded = value.getDefiningOp(); yielded && fetch.outlives(yielded)) {
      numbers.push_back(number);
      running.push_back(results[number]);
    }
  if (!running.empty())
    for (auto [number, value] : llvm::zip_equal(numbers, awaitDots(running, 0)))
      results[number] = value;
  for (assign::BoxBarriers &barriers : boxBarriers)
    barriers.end(builder);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

class PipelinePass : public PassWrapper<PipelinePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelinePass)

  explicit PipelinePass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-pipeline-loops"; }
  llvm::StringRef getDescription() const override { return "Load ahead of what loops compute"; }

  void runOnOperation() override {
    bool copies = target::has(target, target::Feature::AsyncCopy) ||
                  target::has(target, target::Feature::AsyncLds);
    if (!choosesLayouts(getOperation()) || !copies)
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        pipeline(function);
  }

private:
  void pipeline(tt::FuncOp function) {
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t stages = assign::stagesOf(loop);
      // Buffers are made for one CTA.
      if (stages < 2 || ThreadCounts::at(loop).ctas > 1)
        continue;
      AxisInfos facts(function);
      if (std::optional<Fetch> fetch = assign::findFetch(loop, facts))
        Pipeliner(*fetch, stages).run();
    }
    assign::eraseUnused(function);
  }

  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createPipelinePass(const target::Target &target) {
  return std::make_unique<PipelinePass>(target);
}

} // namespace gluonc
