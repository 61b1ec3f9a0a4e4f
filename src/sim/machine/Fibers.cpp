// Which fiber runs next, and what it waits for.
#include "sim/machine/Cta.h"

namespace gluonc::sim {

/// Branches after which another fiber gets a turn, so that one which polls memory does
/// not keep the one that would write it from running.
static constexpr uint64_t kBranchesPerTurn = 1024;
/// Instructions, and elements of their results in sixteens, after which a program asks whether to
/// stop: a tenth of a millisecond, or some large products.
static constexpr int64_t kWorkPerQuestion = 1 << 14;
/// With a seed: instructions that a fiber executes at most in one turn.
static constexpr uint64_t kInstructionsPerTurn = 48;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Cta::run(uint64_t index) {
  if (schedule && schedule->isRedundant)
    return;
  reset(index);
  while (Fiber *next = pickFiber()) {
    schedule ? resumeToDecision(*next) : resume(*next);
    if (failed)
      return;
  }
  if (schedule && schedule->isRedundant)
    failed = true;
  else if (!allAreDone())
    reportDeadlock();
}

const Instruction *Cta::next() {
  if (failed)
    return nullptr;
  if (fiber && !stopped && turnLeft)
    return &program.code[pc];
  if (fiber)
    fiber->pc = pc;
  Fiber *other = pickFiber();
  if (other) {
    turnLeft = beginTurn(*other);
    return &program.code[pc];
  }
  if (!allAreDone()) {
    reportDeadlock();
    failed = true;
  }
  return nullptr;
}

void Cta::step() {
  const Instruction &at = program.code[pc++];
  if (tracking)
    at.taint(at, *this);
  if (!stopped)
    at.run(at, *this);
  countWork(at);
  --turnLeft;
}

bool Cta::allAreDone() const {
  return llvm::all_of(fibers, [](const auto &each) { return each->state == Fiber::State::Done; });
}

Fiber *Cta::pickFiber() {
  if (schedule)
    return pickChosen();
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
    return pickPoll();
  lastFiber = ready[scheduleSeed && ready.size() > 1 ? random() % ready.size() : 0];
  return fibers[lastFiber].get();
}

/// Whether a fiber that waits would have to go on waiting.
bool Cta::waitsInVain(const Fiber &waiting) const {
  if (waiting.state == Fiber::State::WaitsForBarrier)
    return !const_cast<Cta *>(this)->barrierAt(waiting.barrier).isComplete(waiting.parity) &&
           !eventsThatComplete(waiting.barrier);
  if (waiting.state == Fiber::State::WaitsForPartitions)
    return llvm::any_of(fibers, [&](const auto &each) {
      return each->partition >= 0 && each->cta == waiting.cta && each->state != Fiber::State::Done;
    });
  return false;
}

/// The fiber that had the turn comes first, then those behind it.
Fiber *Cta::pickChosen() {
  llvm::SmallVector<size_t, 8> ready;
  std::vector<uint32_t> names;
  bool interrupts = false;
  for (size_t step = 0; step < fibers.size(); ++step) {
    size_t index = (lastFiber + step) % fibers.size();
    const Fiber &candidate = *fibers[index];
    bool isReady = candidate.state == Fiber::State::Ready;
    interrupts |= isReady && step == 0;
    if (!isReady && (candidate.state == Fiber::State::Done || candidate.seenEvents == events ||
                     waitsInVain(candidate)))
      continue;
    ready.push_back(index);
    names.push_back(candidate.index);
  }
  if (ready.empty()) {
    Fiber *polls = pickPoll();
    if (polls)
      schedule->force(polls->index);
    return polls;
  }
  std::optional<size_t> chosen = schedule->choose(names, interrupts);
  if (!chosen)
    return nullptr;
  lastFiber = ready[*chosen];
  return fibers[lastFiber].get();
}

/// Of operations that others may see: whether all that they do is noted where it is done
/// (Footprint). Of others nobody knows what they depend on.
static bool notesWhatItTouches(llvm::StringRef operation) {
  return operation == "tt.load" || operation == "tt.store" || operation.starts_with("tt.atomic") ||
         operation == "ttg.async_wait" || operation == "ttg.async_commit_group" ||
         operation == "ttg.async_copy_global_to_local" ||
         operation == "ttng.async_tma_copy_global_to_local" ||
         operation == "ttng.async_tma_copy_local_to_global" ||
         operation == "ttng.async_tma_store_wait" ||
         (operation.starts_with("ttng.") && operation.contains("barrier") &&
          !operation.contains("cluster"));
}

bool Cta::sharesMemory() {
  if (!hasSharedAccesses)
    hasSharedAccesses = llvm::any_of(program.places, [](const auto &place) {
      llvm::StringRef operation = place.operation;
      return operation.contains("local_") || operation.contains("async") ||
             operation.contains("tma") || operation.contains("tmem") || operation.contains("dot") ||
             operation.contains("gen5");
    });
  return *hasSharedAccesses;
}

bool Cta::isVisible(const Instruction &at) const {
  llvm::StringRef operation = program.places[at.place].operation;
  return operation.starts_with("tt.atomic") || operation == "tt.load" || operation == "tt.store" ||
         operation.starts_with("tt.descriptor") || operation.starts_with("ttg.async") ||
         (operation.contains("barrier") && !operation.starts_with("ttg.")) ||
         operation.starts_with("ttng.async") || operation.contains("inline_asm") ||
         operation.contains("buffer_");
}

void Cta::resumeToDecision(Fiber &next) {
  beginTurn(next);
  bool isAtNext = false;
  for (uint32_t previous = ~uint32_t(0); !stopped;) {
    const Instruction &at = program.code[pc];
    // One operation may have several instructions, and takes place at once.
    if (fibers.size() > 1 && at.place != previous && isVisible(at)) {
      if (isAtNext)
        break;
      isAtNext = true;
      if (!notesWhatItTouches(program.places[at.place].operation))
        schedule->touchAnything();
      if (schedule->steps.size() < Schedule::mostSteps)
        schedule->steps.push_back({nameOf(*fiber), program.places[at.place].operation, at.place});
    }
    previous = at.place;
    ++pc;
    if (tracking)
      at.taint(at, *this);
    if (!stopped)
      at.run(at, *this);
    countWork(at);
  }
  fiber->pc = pc;
}

/// What is polled for will not come any more.
Fiber *Cta::pickPoll() {
  for (const std::unique_ptr<Fiber> &each : fibers)
    if (each->state == Fiber::State::WaitsForMemory) {
      each->givesUp = true;
      return each.get();
    }
  return nullptr;
}

uint64_t Cta::beginTurn(Fiber &next) {
  fiber = &next;
  frame = frames + next.cta * frameStride;
  fiber->state = Fiber::State::Ready;
  pc = fiber->pc;
  stopped = false;
  scheduleBranchStop();
  return scheduleSeed && fibers.size() > 1 ? 1 + random() % kInstructionsPerTurn : ~uint64_t(0);
}

void Cta::resume(Fiber &next) {
  uint64_t turn = beginTurn(next);
  const Instruction *code = program.code.data();
  for (; !stopped && !tracking && turn; --turn) {
    const Instruction &at = code[pc++];
    at.run(at, *this);
    countWork(at);
  }
  for (; !stopped && turn; --turn) {
    const Instruction &at = code[pc++];
    at.taint(at, *this);
    if (!stopped)
      at.run(at, *this);
    countWork(at);
  }
  fiber->pc = pc;
}

void Cta::ask() {
  workLeft = kWorkPerQuestion;
  if (shouldStop())
    stopped = failed = true;
}

void Cta::scheduleBranchStop() {
  branchStop = fibers.size() > 1 ? branches + kBranchesPerTurn : ~uint64_t(0);
  if (maxBranches)
    branchStop = std::min(branchStop, maxBranches);
}

void Cta::stopAtBranch(const Instruction &at) {
  if (branches == maxBranches) {
    isEndless = true;
    return fail(at, diag::Kind::BranchLimitReached, {std::to_string(maxBranches)});
  }
  // It may be waiting for another.
  if (schedule)
    lastFiber = (lastFiber + 1) % fibers.size();
  stopped = true;
}

//===----------------------------------------------------------------------===//
// Starting, ending, waiting
//===----------------------------------------------------------------------===//

void Cta::startFiber(int partition, uint32_t start, const PartitionName *name) {
  auto worker = std::make_unique<Fiber>();
  worker->partition = partition;
  worker->name = name;
  worker->pc = start;
  worker->cta = fiber->cta;
  worker->index = (uint32_t(partition + 1) * program.ctas + fiber->cta) % Ordering::kFibers;
  if (ordering)
    ordering->start(fiber->index, worker->index);
  fibers.push_back(std::move(worker));
  scheduleBranchStop();
  // Any of them may be the first to run.
  stopped |= scheduleSeed.has_value() || schedule;
}

void Cta::endFiber(const Instruction &at) {
  if (fiber->partition < 0)
    finishCta(at);
  fiber->state = Fiber::State::Done;
  stopped = true;
  noteTouched(Footprint::Space::End, fiber->index, 1, /*writes=*/true);
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
  auto isWorker = [&](const std::unique_ptr<Fiber> &each) {
    return each->partition >= 0 && each->cta == fiber->cta;
  };
  for (const std::unique_ptr<Fiber> &each : fibers)
    if (isWorker(each))
      noteTouched(Footprint::Space::End, each->index, 1, /*writes=*/false);
  for (const std::unique_ptr<Fiber> &each : fibers)
    if (isWorker(each) && each->state != Fiber::State::Done)
      return suspend(at, Fiber::State::WaitsForPartitions), false;
  for (const std::unique_ptr<Fiber> &each : fibers) {
    if (!isWorker(each))
      continue;
    // What a partition started and did not wait for goes on after its end.
    llvm::move(each->queue(Queue::BulkStores), std::back_inserter(fiber->queue(Queue::BulkStores)));
    finishGlobalWrites(*each);
    if (ordering)
      ordering->join(fiber->index, each->index);
  }
  llvm::erase_if(fibers, isWorker);
  fiber->name = nullptr;
  lastFiber = 0;
  scheduleBranchStop();
  return true;
}

bool Cta::waitForMemory(const Instruction &at) {
  if (fibers.size() > 1 && !fiber->givesUp)
    return suspend(at, Fiber::State::WaitsForMemory), false;
  fiber->givesUp = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Synchronization of CTAs
//===----------------------------------------------------------------------===//

/// As on hardware, CTAs that have ended count as having arrived.
bool Cta::completeIfAllArrived(SyncPoint &point) {
  if (schedule)
    schedule->touchAnything();
  if (point.arrived + uint32_t(llvm::popcount(endedCtas)) < program.ctas)
    return false;
  point.arrived = 0;
  ++point.generation;
  ordering->completePhase(syncKey());
  noteEvent();
  return true;
}

void Cta::arriveAtCluster(bool relaxed) {
  SyncPoint &point = syncPointAt(kClusterBarrier);
  fiber->arrival = point.generation;
  ++point.arrived;
  if (!relaxed)
    ordering->arrive(fiber->index, syncKey());
  completeIfAllArrived(point);
}

bool Cta::waitForCluster(const Instruction &at) {
  if (schedule)
    schedule->touchAnything();
  SyncPoint &point = syncPointAt(kClusterBarrier);
  if (point.generation == *fiber->arrival && !completeIfAllArrived(point)) {
    fiber->syncPlace = kClusterBarrier;
    return suspend(at, Fiber::State::WaitsForCtas), false;
  }
  fiber->arrival.reset();
  ordering->wait(fiber->index, syncKey());
  return true;
}

void Cta::exchange(const Instruction &at, llvm::function_ref<void()> move) {
  if (schedule)
    schedule->touchAnything();
  SyncPoint &point = syncPointAt(pc);
  if (!fiber->exchange) {
    fiber->exchange = point.generation;
    ordering->arrive(fiber->index, syncKey());
    // One that has ended brings nothing.
    if (++point.arrived == program.ctas) {
      move();
      completeIfAllArrived(point);
    }
  }
  if (point.generation == *fiber->exchange) {
    fiber->syncPlace = pc;
    return suspend(at, Fiber::State::WaitsForCtas);
  }
  fiber->exchange.reset();
  ordering->wait(fiber->index, syncKey());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

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

/// Those of the first `count` events that concern a barrier, and the commits before them that
/// arrive first; they are no longer to come.
std::vector<BarrierEvent> Cta::takeEvents(uint32_t barrier, size_t count) {
  std::vector<BarrierEvent> taken;
  llvm::SmallDenseSet<uint32_t> committers;
  for (size_t i = count; i-- > 0;) {
    BarrierEvent &event = barrierEvents[i];
    if (!llvm::is_contained(event.barriers, barrier) &&
        !(event.committer && committers.contains(*event.committer)))
      continue;
    if (event.committer)
      committers.insert(*event.committer);
    taken.push_back(std::move(event));
  }
  std::reverse(taken.begin(), taken.end());
  llvm::erase_if(barrierEvents, [](const BarrierEvent &event) { return event.barriers.empty(); });
  return taken;
}

bool Cta::waitForBarrier(const Instruction &at, uint32_t barrier, bool parity) {
  noteTouched(Footprint::Space::Barrier, barrier, 8, /*writes=*/false);
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
  for (BarrierEvent &event : takeEvents(barrier, needed)) {
    perform(event);
    if (failed)
      return false;
  }
  if (ordering)
    ordering->wait(fiber->index, barrier);
  return true;
}

} // namespace gluonc::sim
