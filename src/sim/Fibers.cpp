// Which fiber runs next, what it waits for, and what to say when none can go on.
#include "sim/Cta.h"

namespace gluonc::sim {

/// Branches after which another fiber gets a turn, so that one which polls memory does
/// not keep the one that would write it from running.
static constexpr uint64_t kBranchesPerTurn = 1024;
/// With a seed: instructions that a fiber executes at most in one turn.
static constexpr uint64_t kInstructionsPerTurn = 48;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Cta::run(uint64_t index) {
  reset(index);
  while (Fiber *next = pickFiber()) {
    resume(*next);
    if (failed)
      return;
  }
  if (llvm::all_of(fibers, [](const auto &each) { return each->state == Fiber::State::Done; }))
    finishProgram();
  else
    reportDeadlock();
}

Fiber *Cta::pickFiber() {
  llvm::SmallVector<size_t, 8> ready;
  for (size_t step = 1; step <= fibers.size(); ++step) {
    size_t index = (lastFiber + step) % fibers.size();
    const Fiber &candidate = *fibers[index];
    bool mayGoOn = candidate.state == Fiber::State::Ready ||
                   (candidate.state != Fiber::State::Done && candidate.seenEvents != events);
    if (mayGoOn)
      ready.push_back(index);
  }
  if (ready.empty())
    return nullptr;
  lastFiber = ready[scheduleSeed && ready.size() > 1 ? random() % ready.size() : 0];
  return fibers[lastFiber].get();
}

void Cta::resume(Fiber &next) {
  fiber = &next;
  fiber->state = Fiber::State::Ready;
  pc = fiber->pc;
  stopped = false;
  scheduleBranchStop();
  uint64_t turn = ~uint64_t(0);
  if (scheduleSeed && fibers.size() > 1)
    turn = 1 + random() % kInstructionsPerTurn;
  const Instruction *code = program.code.data();
  for (; !stopped && !tracking && turn; --turn) {
    const Instruction &at = code[pc++];
    at.run(at, *this);
  }
  for (; !stopped && turn; --turn) {
    const Instruction &at = code[pc++];
    at.taint(at, *this);
    if (!stopped)
      at.run(at, *this);
  }
  fiber->pc = pc;
}

void Cta::scheduleBranchStop() {
  branchStop = fibers.size() > 1 ? branches + kBranchesPerTurn : maxBranches;
  if (maxBranches)
    branchStop = std::min(branchStop, maxBranches);
}

void Cta::stopAtBranch(const Instruction &at) {
  if (branches == maxBranches)
    return fail(at, diag::Kind::BranchLimitReached, {std::to_string(maxBranches)});
  stopped = true;
}

//===----------------------------------------------------------------------===//
// Starting, ending, waiting
//===----------------------------------------------------------------------===//

void Cta::startFiber(int partition, uint32_t start) {
  auto worker = std::make_unique<Fiber>();
  worker->partition = partition;
  worker->pc = start;
  worker->index = uint32_t(fibers.size()) % Ordering::kFibers;
  if (ordering)
    ordering->start(fiber->index, worker->index);
  fibers.push_back(std::move(worker));
  scheduleBranchStop();
  // Any of them may be the first to run.
  stopped |= scheduleSeed.has_value();
}

void Cta::endFiber() {
  fiber->state = Fiber::State::Done;
  stopped = true;
  noteEvent();
}

void Cta::suspend(const Instruction &at, Fiber::State state) {
  fiber->state = state;
  fiber->waitPlace = at.place;
  fiber->seenEvents = events;
  --pc;
  stopped = true;
}

bool Cta::joinFibers(const Instruction &at) {
  bool done = llvm::all_of(llvm::drop_begin(fibers),
                           [](const auto &worker) { return worker->state == Fiber::State::Done; });
  if (!done)
    return suspend(at, Fiber::State::WaitsForPartitions), false;
  // What a partition started and did not wait for goes on after its end.
  for (const std::unique_ptr<Fiber> &worker : llvm::drop_begin(fibers))
    std::move(worker->stores.begin(), worker->stores.end(), std::back_inserter(fiber->stores));
  if (ordering)
    for (const std::unique_ptr<Fiber> &worker : llvm::drop_begin(fibers))
      ordering->join(fiber->index, worker->index);
  fibers.resize(1);
  lastFiber = 0;
  scheduleBranchStop();
  return true;
}

/// How many of the first events have to happen for a barrier's phase to be complete;
/// 0 if all together are not enough.
size_t Cta::eventsThatComplete(uint32_t barrier) const {
  Barrier state = const_cast<Cta *>(this)->barrierAt(barrier);
  bool phase = state.phase;
  for (size_t i = 0; i < barrierEvents.size(); ++i) {
    const BarrierEvent &event = barrierEvents[i];
    if (!llvm::is_contained(event.barriers, barrier))
      continue;
    if (!state.addBytes(-event.bytes) || !state.arrive(event.arrivals))
      return i + 1; // performing it reports what is wrong
    if (state.phase != phase)
      return i + 1;
  }
  return 0;
}

bool Cta::waitForBarrier(const Instruction &at, uint32_t barrier, bool parity) {
  if (barrierAt(barrier).isComplete(parity)) {
    if (ordering)
      ordering->wait(fiber->index, barrier);
    return true;
  }
  size_t needed = eventsThatComplete(barrier);
  if (!needed) {
    suspend(at, Fiber::State::WaitsForBarrier);
    fiber->barrier = barrier;
    fiber->parity = parity;
    return false;
  }
  std::vector<BarrierEvent> happening;
  for (size_t i = 0; i < needed; ++i)
    if (llvm::is_contained(barrierEvents[i].barriers, barrier))
      happening.push_back(std::move(barrierEvents[i]));
  llvm::erase_if(barrierEvents, [](const BarrierEvent &event) { return event.barriers.empty(); });
  for (BarrierEvent &event : happening) {
    perform(event);
    if (failed)
      return false;
  }
  if (ordering)
    ordering->wait(fiber->index, barrier);
  return true;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

static std::string countText(int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Cta::nameOf(const Fiber &which) const {
  if (which.partition >= 0)
    return "partition " + std::to_string(which.partition);
  return fibers.size() > 1 ? "the default partition" : "it";
}

std::string Cta::describeWait(const Fiber &waiting) const {
  std::string who = nameOf(waiting);
  if (waiting.state == Fiber::State::WaitsForPartitions)
    return who + " waits for the other partitions to end";
  Barrier barrier = const_cast<Cta *>(this)->barrierAt(waiting.barrier);
  int64_t coming = 0;
  for (const BarrierEvent &event : barrierEvents)
    if (llvm::is_contained(event.barriers, waiting.barrier))
      coming += event.bytes;
  std::string text = who + " waits for phase " + std::to_string(waiting.parity) +
                     " of the barrier at byte " + std::to_string(waiting.barrier) +
                     ", which lacks " + countText(barrier.pending, "arrival");
  if (barrier.count != barrier.pending)
    text += " of " + std::to_string(barrier.count);
  if (barrier.bytes || coming)
    text += " and " + countText(barrier.bytes - coming, "byte");
  if (coming)
    text += " (beside " + std::to_string(coming) + " that are under way)";
  return text;
}

void Cta::reportDeadlock() {
  // A fiber that waits for a barrier tells more than one that waits for the others.
  auto first = llvm::find_if(
      fibers, [](const auto &each) { return each->state == Fiber::State::WaitsForBarrier; });
  const Fiber &culprit = first == fibers.end() ? *fibers.front() : **first;
  Fault fault;
  fault.kind = diag::Kind::Deadlock;
  fault.place = culprit.waitPlace;
  fault.arguments.push_back(describeWait(culprit));
  for (const std::unique_ptr<Fiber> &other : fibers)
    if (other.get() != &culprit && other->state != Fiber::State::Done)
      fault.notes.push_back({other->waitPlace, describeWait(*other)});
  fault.program = programIndex;
  faults.add(std::move(fault));
}

} // namespace gluonc::sim
