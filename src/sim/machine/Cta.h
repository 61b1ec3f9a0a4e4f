//===- Cta.h - The machine that runs one program at a time -----------------===//
//
// Each host thread owns a Cta and runs programs on it, one after the other. All
// memory is allocated once: the frame, the shared memory, and on first need the
// taint of the frame. A program over a cluster has a frame for each CTA; the one of
// the fiber in hand is what `at` finds.
//
// Taint. Poison and faulty arithmetic (x / 0) do no harm in elements that nothing
// depends on, and masked kernels produce such elements all the time. So they are not
// faults where they occur. From the first one on, every frame byte offset has a
// taint byte (element i of a slot has the one at slot.offset + i) that names a
// pending fault, instructions carry taint along, and the fault is raised when a
// tainted element reaches memory, a branch or an assertion. Until then there is no
// cost but one test per instruction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Barrier.h"
#include "sim/machine/Fiber.h"
#include "sim/machine/Memory.h"
#include "sim/machine/Ordering.h"
#include "sim/machine/Program.h"
#include "sim/machine/Schedule.h"
#include "sim/machine/SharedMemory.h"
#include "sim/machine/StageOrder.h"
#include "sim/machine/Verdict.h"
#include "sim/machine/WarpStores.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <functional>
#include <random>

namespace gluonc::sim {

class AccessHistory;
class ProgramPool;
class Races;

class Cta {
public:
  Cta(const Program &program, const Memory &memory, std::array<uint32_t, 3> grid,
      uint64_t maxBranches, std::optional<uint64_t> scheduleSeed, std::function<bool()> shouldStop);

  /// Runs program `index` (x fastest) to its end or its first fault.
  void run(uint64_t index);

  /// The same one instruction at a time: begin(), then step() as long as there is a next one. Null
  /// where the program has ended, or met a fault.
  void begin(uint64_t index) { reset(index); }
  const Instruction *next();
  void step();

  /// Frame access.
  template <class T> T *at(uint32_t offset) { return reinterpret_cast<T *>(frame + offset); }
  template <class T> T *at(Slot slot) { return at<T>(slot.offset); }
  uint8_t *taintAt(Slot slot) { return taintOf(rank(), slot); }
  /// Those of a CTA of the cluster.
  uint8_t *frameOf(uint32_t rank, Slot slot) { return frames + rank * frameStride + slot.offset; }
  uint8_t *taintOf(uint32_t rank, Slot slot) {
    return taint.data() + rank * program.frameBytes + slot.offset;
  }
  /// Copies a slot, and what taints it, from one CTA's frame to another's.
  void copySlot(uint32_t from, uint32_t to, Slot slot, uint32_t elementBytes);
  /// The three numbers of a program.
  void numbersOf(uint64_t index, uint32_t *numbers) const;
  /// The CTA of the fiber in hand.
  uint32_t rank() const { return fiber->cta; }
  /// Calls `visit` with each CTA's frame at hand.
  void forEachFrame(llvm::function_ref<void()> visit);
  /// The number in the tile of an element of the CTA's share.
  int64_t wholeElement(const Instruction &at, int64_t element) const;
  /// Ends the program with a fault; `memory` is what it lies in.
  void fail(const Instruction &at, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
            int64_t element = -1, std::optional<FaultNote> note = std::nullopt,
            MemoryName memory = {});
  /// The same for a load of what nobody knows, unless such loads may go on, which is the result.
  bool admitsUnknown(const Instruction &at, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
                     int64_t element, MemoryName memory);
  /// The same for one of an operation that was issued earlier.
  void failLate(uint32_t place, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
                MemoryName memory = {});
  /// Marks element `element` of the result of `at` as the outcome of a fault that counts
  /// only if something depends on it. Call after the result has been written.
  void taintResult(const Instruction &at, uint32_t element, diag::Kind kind,
                   llvm::ArrayRef<std::string> arguments) {
    taintAt(at.result)[element] = taintCode(at, element, kind, arguments);
  }
  /// What marks elements so, `element` first.
  uint8_t taintCode(const Instruction &at, uint32_t element, diag::Kind kind,
                    llvm::ArrayRef<std::string> arguments);
  static bool isFault(uint8_t code) { return code && code < kFirstWarning; }
  /// Raises the pending fault that `code` names. Whether the program ends by that: a warning does
  /// not end it, and is given only where the value `decides` something.
  bool raise(const Instruction &use, uint8_t code, bool decides = false);

  /// Writes to global memory that was checked before; for all but atomic operations.
  void writeGlobal(uint64_t address, const uint8_t *bytes, uint64_t length, uint32_t elementBytes,
                   uint32_t place);

  /// The latest unfinished product whose sum is exactly this region of tensor memory; null if none.
  AsyncOperation *pendingSum(const Region &region) const;

  /// Which operation in flight writes, or reads, a byte of shared memory.
  std::optional<FaultNote> writerOf(uint64_t offset) const;
  std::optional<FaultNote> readerOf(uint64_t offset) const;

  /// Counts an access that other threads may hold up: as much work as some hundred instructions, or
  /// a program in which all threads wait for each other would hardly ever ask whether to stop.
  void countSharedAccess() { workLeft -= 1 << 8; }

  /// Counts a branch; fails when there were too many, and lets other fibers run.
  void countBranch(const Instruction &at) {
    if (++branches == branchStop) [[unlikely]]
      stopAtBranch(at);
  }

  // -- Names (Names.cpp) ---------------------------------------------------------

  /// A buffer begins at its place.
  void noteAllocation(size_t id) { allocationTimes[id] = ++allocationCount; }
  /// The buffer and element that a byte of shared memory belongs to, and the same of a barrier.
  MemoryName memoryAt(uint64_t sharedOffset) const;
  MemoryName barrierNameAt(uint64_t sharedOffset) const;
  /// "`ring[2]`", or "shared memory".
  std::string bufferText(uint64_t sharedOffset) const;
  /// "element (3, 17)" of that, or "byte 64".
  std::string byteText(uint64_t sharedOffset) const;
  bool isTensorMemory(uint64_t sharedOffset) const;
  /// "`ring[2]` at element (3, 17)", or "shared memory at byte 64".
  std::string spotText(uint64_t sharedOffset) const {
    return bufferText(sharedOffset) + " at " + byteText(sharedOffset);
  }
  /// "`free[2]`", or "the barrier at byte 64".
  std::string barrierText(uint64_t sharedOffset,
                          const char *otherwise = "the barrier at byte ") const;
  /// "`producer`", "partition 0", "the default partition", "it".
  std::string nameOf(const Fiber &which) const;
  /// Of the fiber with an index of Ordering.h; without one it is no fiber.
  std::string nameOf(std::optional<uint32_t> index) const;
  Actor actorOf(const Fiber &which) const;
  /// The fiber in hand, at a place of its own.
  Actor actorAt(uint32_t place);
  /// Remembers what the fiber in hand does, if anybody may get stuck.
  void noteStep(const Instruction &at, Doing doing, uint64_t sharedOffset, bool phase = false) {
    if (program.waits)
      fiber->steps.add({at.place, doing, phase, sharedOffset, loopValues(*this, rank(), at.place)});
  }

  // -- Fibers (Fibers.cpp) -----------------------------------------------------

  /// Adds a partition that begins at `pc`.
  void startFiber(int partition, uint32_t pc, const PartitionName *name);
  /// Ends the current fiber.
  void endFiber(const Instruction &at);
  /// Whether all worker partitions are done; if not, the fiber waits and the instruction
  /// in hand is executed again later.
  bool joinFibers(const Instruction &at);
  /// Whether the barrier's phase of this parity is complete; if not, waits likewise.
  /// What asynchronous operations owe the barrier arrives here, if that completes it.
  bool waitForBarrier(const Instruction &at, uint32_t barrier, bool parity);
  /// For a value in global memory that others may still change; true if nobody can.
  bool waitForMemory(const Instruction &at);
  /// The halves of a barrier of the cluster: all fibers of one partition synchronize. Whether all
  /// have arrived; if not, the fiber waits.
  void arriveAtCluster(bool relaxed);
  bool waitForCluster(const Instruction &at);
  /// All fibers of one partition synchronize at an instruction, and the last one executes `move`.
  void exchange(const Instruction &at, llvm::function_ref<void()> move);

  /// Something happened that a waiting fiber may have waited for.
  void noteEvent() { ++events; }

  /// Partitions synchronize by atomic operations: orders the fiber after those that did so before.
  void synchronizeWithOthers() {
    if (ordering && ordering->isConcurrent()) [[unlikely]] {
      ordering->synchronize(fiber->index);
      // Their order is that of all other accesses to shared memory.
      if (schedule && sharesMemory())
        noteTouched(Footprint::Space::Atomics, 0, 1, /*writes=*/true);
    }
  }

  /// Tells who explores schedules what the turn in hand accesses.
  void noteTouched(Footprint::Space space, uint64_t begin, uint64_t size, bool writes) {
    if (schedule) [[unlikely]]
      schedule->touch(space, begin, begin + size, writes);
  }

  /// What will happen to barriers.
  void addEvent(BarrierEvent event) {
    for (uint32_t barrier : event.barriers)
      noteTouched(Footprint::Space::Barrier, barrier, 8, /*writes=*/true);
    barrierEvents.push_back(std::move(event));
  }

  Barrier barrierAt(uint32_t offset) {
    uint64_t word;
    std::memcpy(&word, shared.data() + offset, sizeof word);
    return Barrier::unpack(word);
  }
  void setBarrier(uint32_t offset, const Barrier &barrier) {
    if (ordering && barrierAt(offset).phase != barrier.phase)
      ordering->completePhase(offset);
    uint64_t word = barrier.pack();
    std::memcpy(shared.data() + offset, &word, sizeof word);
    noteTouched(Footprint::Space::Barrier, offset, 8, /*writes=*/true);
    noteEvent();
  }

  // -- Asynchronous operations (Asynchronous.cpp) ------------------------------

  /// Marks what the operation reads and writes until it is complete.
  std::shared_ptr<AsyncOperation> start(AsyncOperation operation);
  /// Starts one that is a group of its own.
  void enqueue(Queue queue, AsyncOperation operation) {
    fiber->queue(queue).push_back({start(std::move(operation))});
  }
  /// Waits until at most `pending` groups of the fiber's queue are unfinished, or read.
  void waitFor(Queue queue, uint64_t pending);
  void waitForReads(Queue queue, uint64_t pending);
  /// A slot's elements were copied to another one; what is unfinished is so there, too.
  void moveDot(uint32_t from, uint32_t to) {
    if (!fiber->queue(Queue::Dots).empty()) [[unlikely]]
      moveUnfinishedDot(from, to);
  }

  const Program &program;
  const Memory &memory;
  std::array<uint32_t, 3> grid;
  uint64_t programIndex = 0;
  uint32_t pc = 0;
  /// The fiber in hand must not go on: it ended, waits, or the program failed.
  bool stopped = false;
  bool failed = false;
  /// The program failed because it does not come to an end.
  bool isEndless = false;
  bool tracking = false;
  SharedMemory shared;
  /// Null where the program has nothing that it would tell of.
  std::unique_ptr<Ordering> ordering;
  /// By CTA; none where no loop has stages.
  std::vector<StageOrder> stages;
  /// Of the CTA in hand, within a loop whose halves are a stage apart; null elsewhere.
  StageOrder *stagesInHand() {
    return stages.empty() || !stages[rank()].isShifted() ? nullptr : &stages[rank()];
  }
  /// CTAs that are at their end, by rank.
  uint32_t endedCtas = 0;
  /// Of the coordinates of the bulk load in hand.
  uint8_t coordinateTaint = 0;
  /// For each global access the range that served it last.
  std::vector<const Range *> rangeCache;
  /// Null where nobody explores.
  Schedule *schedule = nullptr;
  /// Null where nobody asks for them.
  Races *races = nullptr;
  WarpStores warpStores;
  /// What programs may take over; null where none does.
  ProgramPool *pool = nullptr;
  /// The first CTA has read the answer that there is nothing more to take over.
  bool hasSeenRefusal = false;
  /// Of the range of the access in hand, where others may access it, too, and it was not entered
  /// yet: what stores go through.
  AccessHistory *history = nullptr;
  Verdict maskedOff = Verdict::Ignore, unknownReads = Verdict::Fault;
  /// What a load from behind a buffer gives.
  std::vector<uint8_t> unknown;
  /// The range that each parameter points into, or null.
  std::vector<const Range *> parameterRanges;
  Fiber *fiber = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers;
  /// In the order in which they were issued.
  std::vector<BarrierEvent> barrierEvents;
  struct MadeDescriptor {
    TensorDescription tensor;
    /// A fence came behind it.
    bool acquired = false;
  };
  /// Descriptors that the program made, by their address.
  llvm::DenseMap<uint64_t, MadeDescriptor> madeDescriptors;
  FaultLog faults;
  /// Output of tt.print, one entry for each program that printed.
  std::vector<std::pair<uint64_t, std::string>> printed;

private:
  void reset(uint64_t index);
  Fault makeFault(uint32_t place, diag::Kind kind, llvm::ArrayRef<std::string> arguments) const;
  Fiber *pickFiber();
  Fiber *pickPoll();
  void resume(Fiber &next);
  /// Takes the fiber in hand, and gives it so many instructions.
  uint64_t beginTurn(Fiber &next);
  bool allAreDone() const;
  void stopAtBranch(const Instruction &at);
  /// Asks now and then whether to leave the program where it is.
  void countWork(const Instruction &at) {
    workLeft -= 1 + (at.result.elements >> 4);
    if (workLeft <= 0) [[unlikely]]
      ask();
  }
  void ask();
  void scheduleBranchStop();
  void suspend(const Instruction &at, Fiber::State state);
  size_t eventsThatComplete(uint32_t barrier) const;
  std::vector<BarrierEvent> takeEvents(uint32_t barrier, size_t count);
  void perform(BarrierEvent &event);
  void reportDeadlock();
  std::string describeLack(const Fiber &waiting) const;
  Stuck describeWait(const Fiber &waiting);
  Step describeStep(const StepRecord &record) const;
  void finishCta(const Instruction &end);
  void finishGlobalWrites(Fiber &of);
  void leaveCluster(const Instruction &end);
  bool isCluster() const { return program.ctas > 1; }
  /// Whether its CTA has no other fibers.
  bool isUndivided(const Fiber &which) const {
    return which.partition < 0 && fibers.size() == program.ctas;
  }
  std::string ofCta(uint64_t sharedOffset) const;
  /// Ends the operation; what it writes is written at `epoch`.
  void complete(AsyncOperation &operation, Ordering::Epoch epoch);
  void write(const AsyncOperation::ElementsToShared &elements, Ordering::Epoch epoch,
             uint32_t place);
  void finishReads(AsyncOperation &operation);
  void stopReading(AsyncOperation &operation);
  void retireReaders();
  void forEachInFlight(llvm::function_ref<void(AsyncOperation &)> visit) const;
  void moveUnfinishedDot(uint32_t from, uint32_t to);

  /// Where the fibers of one partition, one of each CTA, synchronize.
  struct SyncPoint {
    uint32_t arrived = 0;
    uint64_t generation = 0;
  };
  /// By partition and instruction; barriers of the cluster are all one place.
  static constexpr uint32_t kClusterBarrier = ~uint32_t(0) - 2;
  SyncPoint &syncPointAt(uint32_t place) { return syncPoints[{fiber->partition, place}]; }
  bool completeIfAllArrived(SyncPoint &point);
  /// Names the synchronization points of a partition to Ordering.h.
  uint32_t syncKey() const { return 0x80000000 + uint32_t(fiber->partition + 1); }
  std::string describeSync(const Fiber &waiting) const;

  /// When each buffer of the program last began.
  std::vector<uint64_t> allocationTimes;
  uint64_t allocationCount = 0;
  std::vector<uint8_t> frameStorage;
  uint8_t *frame, *frames;
  uint64_t frameStride;
  llvm::DenseMap<std::pair<int, uint32_t>, SyncPoint> syncPoints;
  std::vector<uint8_t> taint;
  std::vector<Fault> pending;
  /// Codes from here on are of warnings, counted downwards from the last.
  static constexpr uint8_t kFirstWarning = 200;
  std::vector<Fault> pendingWarnings;
  /// A bit for each that the program was warned of.
  uint64_t warned = 0;
  uint64_t branches = 0, branchStop = 0;
  /// Of the fiber in hand, where it goes by step().
  uint64_t turnLeft = 0;
  int64_t workLeft = 0;
  uint64_t maxBranches;
  Fiber *pickChosen();
  /// Runs a fiber up to the next operation that others may see.
  void resumeToDecision(Fiber &next);
  bool isVisible(const Instruction &at) const;
  bool waitsInVain(const Fiber &waiting) const;
  /// Whether the program has accesses to memory on the chip.
  bool sharesMemory();
  std::optional<bool> hasSharedAccesses;
  std::optional<uint64_t> scheduleSeed;
  /// Asked now and then: whether to leave the program where it is.
  std::function<bool()> shouldStop;
  std::mt19937_64 random;
  uint64_t events = 0;
  size_t lastFiber = 0;
  /// Operations that count as reading shared memory.
  uint32_t readers = 0;
};

} // namespace gluonc::sim
