//===- HandOverFacts.cpp - Waits for what another partition brings ------------------===//
//
// Problem: which partitions take turns though they could run beside each other.
//
//   produce:  wait empty       consume:  wait full     ◀ reported: a buffer of one slot goes to and
//             copy -> full               use             fro, so nobody copies while it is used
//             (again)                    arrive empty
//                                        (again)
//
// It is reported where two partitions of a kernel have work, one barrier of one slot each way, and
// the one that uses what came does nothing else behind its arrival.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"
#include "driver/explain/Waits.h"
#include "ir/SourceLocation.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc::driver {

namespace {

using explain::WaitFact;

class HandOvers {
public:
  HandOvers(tt::FuncOp kernel, const diag::SourceManager &sources)
      : sources(sources), aliases(kernel) {
    unsigned count = 0;
    kernel.walk([&](ttg::WarpSpecializeOp op) {
      ++count;
      regions.push_back(&op.getDefaultRegion());
      for (Region &region : op.getPartitions())
        regions.push_back(&region);
    });
    if (count != 1)
      return;
    llvm::erase_if(regions, [](Region *region) { return !hasLoopWithWork(*region); });
    if (regions.size() != 2)
      return;
    findIn(*regions[0], *regions[1]);
    findIn(*regions[1], *regions[0]);
  }

  std::vector<WaitFact> facts;

private:
  static bool hasLoopWithWork(Region &region) {
    WalkResult found = region.walk([](Operation *op) {
      bool counts = op->getParentOfType<LoopLikeOpInterface>() &&
                    (startedBy(op) || awaitedBy(op) || (!op->getNumRegions() && isWork(op)));
      return counts ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  /// The allocation that a buffer is a view of; null where it may be of several, or has several
  /// slots.
  Operation *singleSlot(Value buffer) const {
    const llvm::BitVector *bits = buffer ? aliases.of(buffer) : nullptr;
    if (!bits || bits->count() != 1)
      return nullptr;
    Operation *alloc = aliases.allocations()[unsigned(bits->find_first())];
    auto whole = cast<ttg::MemDescType>(alloc->getResult(0).getType());
    auto view = cast<ttg::MemDescType>(buffer.getType());
    return ShapedType::getNumElements(whole.getShape()) ==
                   ShapedType::getNumElements(view.getShape())
               ? alloc
               : nullptr;
  }

  /// The barrier of one slot that `op` arrives at, by itself or by what it starts, or waits for.
  Operation *barrierAt(Operation *op) const { return singleSlot(barrierOf(op)); }

  static Operation *loopAround(Operation *op) { return op->getParentOfType<LoopLikeOpInterface>(); }

  /// Copies of `producer` that complete `full`: their buffer, if it is one of one slot, and the
  /// loop.
  struct Copies {
    Operation *first = nullptr, *buffer = nullptr, *loop = nullptr;
  };
  std::optional<Copies> copiesFor(Operation *full, Region &producer) const {
    Copies copies;
    bool isGood = true;
    producer.walk([&](Operation *op) {
      if (startedBy(op) != Completion::Mbarrier || barrierAt(op) != full)
        return;
      for (const MemoryAccess &access : accessesOf(op))
        if (!access.isOfBarrier() && access.writes()) {
          Operation *buffer = singleSlot(access.buffer);
          isGood &= buffer && loopAround(op) && (!copies.loop || copies.loop == loopAround(op));
          if (!copies.first)
            copies = {op, buffer, loopAround(op)};
        }
    });
    return isGood && copies.first ? std::optional(copies) : std::nullopt;
  }

  /// Whether the loop waits, before `copy`, for a barrier at which `consumer` arrives; that one.
  Operation *emptyBefore(const Copies &copies, Region &consumer) const {
    Operation *found = nullptr;
    copies.loop->walk([&](Operation *op) {
      if (awaitedBy(op) != Completion::Mbarrier || op->getBlock() != copies.first->getBlock() ||
          !op->isBeforeInBlock(copies.first))
        return;
      Operation *barrier = barrierAt(op);
      if (barrier && lastArrival(barrier, consumer))
        found = barrier;
    });
    return found;
  }

  Operation *lastArrival(Operation *barrier, Region &consumer) const {
    Operation *last = nullptr;
    consumer.walk([&](Operation *op) {
      if (!awaitedBy(op) && barrierAt(op) == barrier && loopAround(op))
        last = op;
    });
    return last;
  }

  /// Whether the loop has work, or something in flight, between `arrival` and the next `wait`.
  static bool worksBehind(Operation *arrival, Operation *wait) {
    Block *block = wait->getBlock();
    if (arrival->getBlock() != block)
      return true;
    auto counts = [](Operation &op) {
      return isWork(&op) || startedBy(&op).has_value() ||
             (awaitedBy(&op) && awaitedBy(&op) != Completion::Mbarrier);
    };
    for (Operation *op = arrival->getNextNode(); op; op = op->getNextNode())
      if (!op->hasTrait<OpTrait::IsTerminator>() && counts(*op))
        return true;
    for (Operation &op : *block) {
      if (&op == wait)
        break;
      if (counts(op))
        return true;
    }
    return false;
  }

  /// Products that go on while the next iteration waits.
  static bool leavesProducts(Operation *loop) {
    WalkResult found = loop->walk([](ttng::WarpGroupDotWaitOp op) {
      return op.getPendings() ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  void findIn(Region &consumer, Region &producer) {
    consumer.walk([&](Operation *wait) {
      if (awaitedBy(wait) != Completion::Mbarrier)
        return;
      Operation *full = barrierAt(wait), *loop = loopAround(wait);
      std::optional<Copies> copies = full && loop ? copiesFor(full, producer) : std::nullopt;
      Operation *empty = copies ? emptyBefore(*copies, consumer) : nullptr;
      Operation *arrival = empty ? lastArrival(empty, consumer) : nullptr;
      if (!arrival || worksBehind(arrival, wait) || leavesProducts(loop))
        return;
      WaitFact fact;
      place(fact, wait, sources);
      fact.isInLoop = true;
      fact.issue = spanOf(copies->first->getLoc(), sources);
      fact.movable = fact.issue;
      std::string name = nameOf(copies->buffer->getLoc()).str();
      fact.handedOver = name.empty() ? "its buffer" : "`" + name + "`";
      facts.push_back(std::move(fact));
    });
  }

  const diag::SourceManager &sources;
  BufferAliases aliases;
  std::vector<Region *> regions;
};

} // namespace

std::vector<WaitFact> handOverFacts(tt::FuncOp kernel, const diag::SourceManager &sources) {
  return std::move(HandOvers(kernel, sources).facts);
}

} // namespace gluonc::driver
