//===- WaitFacts.cpp - Waits with nothing beside them -----------------------------===//
//
// Problem: which waits hold up a CTA while nothing else of it is done or in flight.
//
//   loop:  copy  a        in flight: a
//          wait  a        nothing was done since, nothing else is in flight   ◀ reported
//          use   a
//
//   loop:  copy  b        in flight: a (of the iteration before), b
//          wait  a        b goes on meanwhile
//          use   a
//
// Blocks are gone through in order, bodies of loops twice, so that the second time what
// iterations leave in flight is there. Where a loop was unrolled, a wait is reported if all its
// copies are like that. Whatever is not understood counts as in flight, or as work. Partitions run
// beside each other; HandOverFacts.cpp is about them.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"
#include "driver/explain/Waits.h"
#include "ir/SourceLocation.h"
#include "ir/interfaces/Interfaces.h"
#include "transform/analysis/SharedUse.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace gluonc::driver {

using explain::WaitFact;
using Awaited = WaitFact::Awaited;

namespace {

/// By what a wait on a barrier in memory finds what it is for. Unknown ones are equal to none.
struct BarrierKey {
  Value buffer, index;
  bool isKnown = false;

  bool operator==(const BarrierKey &other) const {
    return isKnown && other.isKnown && buffer == other.buffer && index == other.index;
  }
};

BarrierKey keyOf(Value barrier) {
  if (auto index = barrier.getDefiningOp<ttg::MemDescIndexOp>())
    return {index.getSrc(), index.getIndex(), true};
  return {barrier, {}, bool(barrier)};
}

/// Something asynchronous that has been started.
struct Flight {
  Operation *op;
  Completion by;
  BarrierKey barrier = {};
  /// Of copies that are waited for by groups: their group is complete.
  bool isCommitted = true;
  bool hadWorkBeside = false;
};

Awaited kindOf(const Flight &flight) {
  if (isa<ttng::WarpGroupDotOp, ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(flight.op))
    return Awaited::Products;
  for (const MemoryAccess &access : accessesOf(flight.op))
    if (access.writes() && !access.isOfBarrier())
      return Awaited::Copies;
  return Awaited::Stores;
}

/// How many of the latest a wait leaves alone.
size_t leftBy(Operation *wait) {
  for (llvm::StringRef name : {"num", "pendings"})
    if (auto attribute = wait->getAttrOfType<IntegerAttr>(name))
      return static_cast<size_t>(std::max<int64_t>(attribute.getInt(), 0));
  return 0;
}

bool hasAsynchronousInside(Operation *op) {
  WalkResult found = op->walk([&](Operation *inner) {
    bool counts = inner != op && (startedBy(inner) || awaitedBy(inner));
    return counts ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

class Waits {
public:
  Waits(tt::FuncOp kernel, const diag::SourceManager &sources) : sources(sources) {
    kernel.walk([&](ttg::WarpSpecializeOp) { hasPartitions = true; });
    if (!hasPartitions)
      for (Block &block : kernel.getBody())
        visit(block, /*loop=*/nullptr);
  }

  std::vector<WaitFact> take() {
    std::vector<WaitFact> facts;
    for (Alone &each : alone)
      if (each.isReported && each.times == timesOf(each.fact.span))
        facts.push_back(std::move(each.fact));
    return facts;
  }

private:
  /// A wait with nothing beside it, and how many of its copies are like that.
  struct Alone {
    WaitFact fact;
    unsigned times = 0;
    bool isReported = false;
  };

  unsigned timesOf(diag::Span span) const {
    auto found = waits.find({span.file, span.begin});
    return found == waits.end() ? 0 : found->second;
  }

  void visit(Block &block, Operation *loop) {
    flights.clear();
    isUnknown = false;
    const unsigned rounds = loop ? 2 : 1;
    for (unsigned round = 0; round != rounds; ++round) {
      if (round)
        forgetIndices(loop);
      for (Operation &op : block)
        step(op, block, loop, round + 1 == rounds);
    }
    for (Operation &op : block)
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner, isa<LoopLikeOpInterface>(op) ? &op : nullptr);
  }

  /// What was an index in the iteration before is none of this one.
  void forgetIndices(Operation *loop) {
    for (Flight &flight : flights)
      for (Value part : {flight.barrier.buffer, flight.barrier.index})
        if (part && loop->isAncestor(part.getParentBlock()->getParentOp()))
          flight.barrier.isKnown = false;
  }

  void step(Operation &op, Block &block, Operation *loop, bool reports) {
    if (op.getNumRegions() && hasAsynchronousInside(&op)) {
      isUnknown = true;
      return;
    }
    if (isa<ttg::AsyncCommitGroupOp>(op))
      for (Flight &flight : flights)
        flight.isCommitted = true;
    if (isa<ttng::TCGen5CommitOp>(op))
      for (Flight &flight : flights)
        if (kindOf(flight) == Awaited::Products && !flight.barrier.buffer)
          flight.barrier = keyOf(barrierOf(&op));
    if (isa<ttng::AsyncCopyMbarrierArriveOp>(op))
      isUnknown = true;
    if (std::optional<Completion> awaited = awaitedBy(&op))
      wait(op, *awaited, block, loop, reports);
    else if (std::optional<Completion> started = startedBy(&op))
      start(op, *started);
    else if (isWork(&op))
      for (Flight &flight : flights)
        flight.hadWorkBeside = true;
  }

  void start(Operation &op, Completion by) {
    Flight flight{&op, by};
    if (by == Completion::Mbarrier)
      flight.barrier = keyOf(barrierOf(&op));
    // Copies by threads are waited for in groups; the others one by one.
    flight.isCommitted = by != Completion::AsyncGroup || !isa<ttg::AsyncCopyGlobalToLocalOp>(op);
    flights.push_back(flight);
  }

  /// Which of those in flight a wait is for.
  std::vector<size_t> awaitedOf(Operation &op, Completion by) {
    std::vector<size_t> found;
    BarrierKey barrier = by == Completion::Mbarrier ? keyOf(barrierOf(&op)) : BarrierKey();
    for (size_t i = 0; i != flights.size(); ++i)
      if (flights[i].by == by && flights[i].isCommitted &&
          (by != Completion::Mbarrier || flights[i].barrier == barrier))
        found.push_back(i);
    if (by != Completion::Mbarrier)
      dropLatest(found, leftBy(&op));
    return found;
  }

  /// Leaves out the latest groups: copies with nothing but each other between them are one.
  void dropLatest(std::vector<size_t> &found, size_t count) {
    for (; count && !found.empty(); --count) {
      Operation *last = flights[found.back()].op;
      found.pop_back();
      while (isa<ttg::AsyncCopyGlobalToLocalOp>(last) && !found.empty() &&
             isSameGroup(flights[found.back()].op, last)) {
        last = flights[found.back()].op;
        found.pop_back();
      }
    }
  }
  static bool isSameGroup(Operation *first, Operation *second) {
    if (first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second))
      return false;
    for (Operation *op = first; op != second; op = op->getNextNode())
      if (isa<ttg::AsyncCommitGroupOp>(op))
        return false;
    return true;
  }

  void wait(Operation &op, Completion by, Block &block, Operation *loop, bool reports) {
    if (diag::Span span = spanOf(op.getLoc(), sources); reports)
      ++waits[{span.file, span.begin}];
    std::vector<size_t> found = awaitedOf(op, by);
    if (found.empty())
      return;
    const bool isAlone =
        found.size() == flights.size() && !flights[found.back()].hadWorkBeside && !isUnknown;
    if (isAlone && reports)
      report(op, flights[found.back()], block, loop);
    for (size_t index : llvm::reverse(found))
      flights.erase(flights.begin() + static_cast<ptrdiff_t>(index));
    for (Flight &flight : flights)
      flight.hadWorkBeside = true;
  }

  void report(Operation &wait, const Flight &last, Block &block, Operation *loop) {
    WaitFact fact;
    place(fact, &wait, sources);
    fact.awaited = kindOf(last);
    fact.issue = spanOf(last.op->getLoc(), sources);
    fact.isInLoop = loop;
    Operation *next = movableBehind(wait, fact.awaited, block, loop);
    if (next)
      fact.movable = spanOf(next->getLoc(), sources);
    // Where a kernel ends, or another copy needs what this one brings, waiting is all there is.
    note(std::move(fact), next || (loop && kindOf(last) == Awaited::Stores));
  }

  void note(WaitFact fact, bool isReported) {
    auto known = llvm::find_if(alone, [&](const Alone &each) {
      return each.fact.span.file == fact.span.file && each.fact.span.begin == fact.span.begin;
    });
    if (known == alone.end())
      known = alone.insert(alone.end(), Alone{fact});
    ++known->times;
    if (isReported && !known->isReported)
      known->fact = std::move(fact);
    known->isReported |= isReported;
  }

  /// The next operation behind a wait, in the next iteration too, that begins to bring data and
  /// does not need what was waited for; null where there is none.
  Operation *movableBehind(Operation &wait, Awaited awaited, Block &block, Operation *loop) {
    auto isMovable = [&](Operation &op) {
      bool brings = startedBy(&op) && kindOf(Flight{&op, *startedBy(&op)}) == Awaited::Copies;
      brings |= awaited == Awaited::Products && isa<tt::LoadOp>(op);
      return brings && !dependsOnLoads(op, wait, loop);
    };
    for (Operation *op = wait.getNextNode(); op; op = op->getNextNode())
      if (isMovable(*op))
        return op;
    if (loop)
      for (Operation &op : block) {
        if (&op == &wait)
          break;
        if (isMovable(op))
          return &op;
      }
    return nullptr;
  }

  /// Whether what `op` takes is computed from memory that is read behind `wait`, or anywhere in the
  /// loop.
  static bool dependsOnLoads(Operation &op, Operation &wait, Operation *loop) {
    llvm::SetVector<Value> seen;
    seen.insert(op.operand_begin(), op.operand_end());
    for (size_t i = 0; i != seen.size(); ++i) {
      Value value = seen[i];
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        auto owner = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
        if (OpOperand *yielded = owner ? owner.getTiedLoopYieldedValue(argument) : nullptr;
            yielded && loop == owner.getOperation())
          seen.insert(yielded->get());
        continue;
      }
      Operation *definition = value.getDefiningOp();
      const bool isNear =
          loop ? loop->isProperAncestor(definition)
               : definition->getBlock() == wait.getBlock() && wait.isBeforeInBlock(definition);
      if (!isNear)
        continue;
      if (reads(definition) || definition->getNumRegions())
        return true;
      seen.insert(definition->operand_begin(), definition->operand_end());
    }
    return false;
  }

  const diag::SourceManager &sources;
  bool hasPartitions = false, isUnknown = false;
  std::vector<Flight> flights;
  std::vector<Alone> alone;
  /// Waits by their place in the source.
  std::map<std::pair<const diag::SourceFile *, uint32_t>, unsigned> waits;
};

} // namespace

std::vector<WaitFact> waitFacts(tt::FuncOp kernel, const diag::SourceManager &sources) {
  std::vector<WaitFact> facts = Waits(kernel, sources).take();
  llvm::append_range(facts, handOverFacts(kernel, sources));
  llvm::append_range(facts, loadFacts(kernel, sources));
  return facts;
}

} // namespace gluonc::driver
