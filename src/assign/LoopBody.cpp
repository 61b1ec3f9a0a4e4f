#include "assign/LoopBody.h"

#include "ir/Hint.h"
#include "target/nvidia/MatrixInstructions.h"

using namespace mlir;

namespace gluonc::assign {

Rings::Rings(OpBuilder &builder, Location loc, const Fetch &fetch, int64_t slots) {
  for (const Copy &copy : fetch.copies) {
    auto type = cast<RankedTensorType>(copy.load->getResult(0).getType());
    buffers.push_back(
        allocateBuffer(builder, loc, type.getShape(), type.getElementType(), copy.shared, slots));
  }
  for (size_t i = 0; i < fetch.boxBytes.size(); ++i)
    filled.emplace_back(builder, loc, slots);
  if (!fetch.late.empty())
    running.emplace(builder, loc, fetch.late, slots);
}

Value LoopBody::viewOf(const Copy &copy, Value slot) {
  return bufferAt(builder, loc, rings.buffers[numberOf(copy)], slot);
}

void LoopBody::clone(Turn turn, IRMapping &map) {
  views.resize(fetch.copies.size());
  awaitedBoxes.resize(rings.filled.size());
  for (Operation &op : loop.getBody()->without_terminator())
    cloneOp(op, turn, map);
  setOffDots(map);
  if (rings.running)
    rings.running->atEnd(builder, turn);
}

/// Waits for a copy by cp.async, and for those started before it.
void LoopBody::awaitGroup(const Copy &copy) {
  if (areAwaited)
    return;
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

void LoopBody::awaitBox(unsigned box, Turn turn) {
  if (!awaitedBoxes.test(box))
    rings.filled[box].wait(builder, turn.slot, turn.phase);
  awaitedBoxes.set(box);
}

void LoopBody::awaitBoxes(Turn turn) {
  for (unsigned box = 0; box < rings.filled.size(); ++box)
    awaitBox(box, turn);
}

/// What was loaded, in registers.
Value LoopBody::readCopy(const Copy &copy, Value view, IRMapping &map) {
  Type type = copy.load->getResult(0).getType();
  Value value = ttg::LocalLoadOp::create(builder, loc, type, view);
  if (!copy.hasOther)
    return value;
  auto load = cast<tt::LoadOp>(copy.load);
  return arith::SelectOp::create(builder, loc, map.lookupOrDefault(load.getMask()), value,
                                 map.lookupOrDefault(load.getOther()));
}

/// Before the first use of a copy: waits for it.
void LoopBody::awaitCopies(Operation &user, Turn turn, IRMapping &map) {
  for (auto [number, copy] : llvm::enumerate(fetch.copies)) {
    Value loaded = copy.load->getResult(0);
    bool isUsed = llvm::any_of(loaded.getUsers(), [&](Operation *op) {
      return loop.getBody()->findAncestorOpInBlock(*op) == &user;
    });
    if (!isUsed)
      continue;
    if (copy.box)
      awaitBox(*copy.box, turn);
    else
      awaitGroup(copy);
    if (!views[number])
      views[number] = viewOf(copy, turn.slot);
    if (!copy.isReadBy(&user) && !map.contains(loaded))
      map.map(loaded, readCopy(copy, views[number], map));
  }
}

void LoopBody::cloneOp(Operation &op, Turn turn, IRMapping &map) {
  if (op.getNumResults() == 1 && fetch.copyOf(op.getResult(0)))
    return;
  // What the author says of addresses goes with the fetching part.
  if (isa<gluon::HintOp>(op) && llvm::is_contained(fetch.operations, &op))
    return;
  if (rings.running)
    rings.running->before(builder, op, turn);
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
  if (rings.running && rings.running->store(builder, op, map))
    return;
  Operation *made = builder.clone(op, map);
  if (rings.running)
    rings.running->behind(builder, op, *made, turn);
  awaitDotsIn(*made, map);
  auto dot = dyn_cast<ttng::WarpGroupDotOp>(made);
  if (dot && fetch.outlives(&op))
    dot.setIsAsync(true);
  else if (dot && &op == fetch.meeting && fetch.meets())
    meet(dot, map);
}

/// Waits until no more than `pending` products run; those of `running` do not.
SmallVector<Value> LoopBody::awaitDots(ArrayRef<Value> running, size_t pending) {
  pending = std::min<size_t>(pending, target::nvidia::wgmma::maxPending);
  auto wait = ttng::WarpGroupDotWaitOp::create(builder, loc, ValueRange(running).getTypes(),
                                               running, uint32_t(pending),
                                               /*warpGroupLocal=*/false);
  return llvm::to_vector_of<Value>(wait.getResults());
}

/// In branches that take sums of running products: waits for them.
void LoopBody::awaitDotsIn(Operation &branches, IRMapping &map) {
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
void LoopBody::meet(ttng::WarpGroupDotOp dot, IRMapping &map) {
  dot.setIsAsync(true);
  SmallVector<Value> from{fetch.meeting->getResult(0)}, running{dot.getD()};
  for (Operation *carried : fetch.carriedDots) {
    from.push_back(fetch.argumentOf(carried));
    running.push_back(map.lookup(from.back()));
  }
  map.map(from, awaitDots(running, 0));
  haveMet();
}

/// Products go on while the next iteration begins; those before them are over.
void LoopBody::setOffDots(IRMapping &map) {
  if (fetch.asyncDots.empty())
    return;
  SmallVector<Value> from, running;
  for (Operation *dot : fetch.asyncDots) {
    from.push_back(dot->getResult(0));
    running.push_back(map.lookup(from.back()));
  }
  map.map(from, awaitDots(running, fetch.asyncDots.size() + fetch.carriedDots.size()));
}

void LoopBody::awaitRest(MutableArrayRef<Value> results) {
  SmallVector<Value> running;
  SmallVector<size_t> numbers;
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues()))
    if (Operation *yielded = value.getDefiningOp(); yielded && fetch.outlives(yielded)) {
      numbers.push_back(number);
      running.push_back(results[number]);
    }
  if (!running.empty())
    for (auto [number, value] : llvm::zip_equal(numbers, awaitDots(running, 0)))
      results[number] = value;
}

} // namespace gluonc::assign
