#include "sim/machine/Cta.h"

#include "sim/machine/Footprints.h"
#include "sim/machine/Races.h"

namespace gluonc::sim {

/// Slots start at multiples of this, and so must the frame.
static constexpr size_t kFrameAlignment = 64;

Cta::Cta(const Program &program, const Memory &memory, std::array<uint32_t, 3> grid,
         uint64_t maxBranches, std::optional<uint64_t> scheduleSeed,
         std::function<bool()> shouldStop)
    : program(program), memory(memory), grid(grid),
      shared(program.sharedBytes, program.sanitizer == Sanitizer::Consan),
      rangeCache(program.accessCount),
      frameStride((program.frameBytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment),
      maxBranches(maxBranches), scheduleSeed(scheduleSeed), shouldStop(std::move(shouldStop)) {
  if (program.ordersShared)
    ordering = std::make_unique<Ordering>(program.sharedBytes, program.ctas);
  if (program.hasStages)
    stages.resize(program.ctas);
  frameStorage.resize(program.ctas * frameStride + kFrameAlignment);
  uintptr_t start = reinterpret_cast<uintptr_t>(frameStorage.data());
  frames = frameStorage.data() + (kFrameAlignment - start % kFrameAlignment) % kFrameAlignment;
  forEachFrame([&] {
    for (const Constant &constant : program.constants)
      std::memcpy(frame + constant.offset, constant.bytes.data(), constant.bytes.size());
  });
}

void Cta::forEachFrame(llvm::function_ref<void()> visit) {
  for (uint32_t rank = program.ctas; rank-- > 0;) {
    frame = frames + rank * frameStride;
    visit();
  }
}

void Cta::copySlot(uint32_t from, uint32_t to, Slot slot, uint32_t elementBytes) {
  std::memcpy(frameOf(to, slot), frameOf(from, slot), uint64_t(slot.elements) * elementBytes);
  if (tracking)
    std::memcpy(taintOf(to, slot), taintOf(from, slot), slot.elements);
}

void Cta::numbersOf(uint64_t index, uint32_t *numbers) const {
  numbers[0] = static_cast<uint32_t>(index % grid[0]);
  numbers[1] = static_cast<uint32_t>(index / grid[0] % grid[1]);
  numbers[2] = static_cast<uint32_t>(index / grid[0] / grid[1]);
}

void Cta::reset(uint64_t index) {
  programIndex = index;
  forEachFrame([&] {
    uint32_t *ids = at<uint32_t>(program.programIds);
    numbersOf(index, ids);
    for (unsigned axis = 0; axis < 3; ++axis)
      ids[3 + axis] = grid[axis];
  });
  branches = events = turnLeft = 0;
  readers = 0;
  allocationTimes.assign(program.allocations.size(), 0);
  failed = tracking = isEndless = hasSeenRefusal = false;
  endedCtas = 0;
  coordinateTaint = 0;
  pending.clear();
  pendingWarnings.clear();
  warned = 0;
  if (races)
    races->beginProgram(index);
  warpStores.meet();
  fiber = nullptr;
  syncPoints.clear();
  barrierEvents.clear();
  madeDescriptors.clear();
  fibers.clear();
  for (uint32_t rank = 0; rank < program.ctas; ++rank) {
    fibers.push_back(std::make_unique<Fiber>());
    fibers.back()->index = fibers.back()->cta = rank;
  }
  lastFiber = program.ctas - 1;
  if (scheduleSeed)
    random.seed(*scheduleSeed * 0x9e3779b97f4a7c15 + index);
  shared.clear();
  if (ordering)
    ordering->clear();
  for (StageOrder &order : stages)
    order.end();
}

int64_t Cta::wholeElement(const Instruction &at, int64_t element) const {
  const Share *share = program.places[at.place].share;
  return share && element >= 0 ? share->toWhole(uint32_t(element), rank()) : element;
}

Fault Cta::makeFault(uint32_t place, diag::Kind kind, llvm::ArrayRef<std::string> arguments) const {
  Fault fault;
  fault.kind = kind;
  fault.place = place;
  fault.arguments.assign(arguments.begin(), arguments.end());
  fault.program = programIndex;
  return fault;
}

void Cta::fail(const Instruction &at, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
               int64_t element, std::optional<FaultNote> note, MemoryName memory) {
  Fault fault = makeFault(at.place, kind, arguments);
  fault.element = wholeElement(at, element);
  fault.actor = actorAt(at.place);
  fault.memory = std::move(memory);
  if (note)
    fault.notes.push_back(std::move(*note));
  faults.add(std::move(fault));
  stopped = failed = true;
  if (schedule)
    schedule->touchAnything();
}

bool Cta::admitsUnknown(const Instruction &at, diag::Kind kind,
                        llvm::ArrayRef<std::string> arguments, int64_t element, MemoryName memory) {
  if (unknownReads == Verdict::Fault) {
    fail(at, kind, arguments, element, std::nullopt, std::move(memory));
    return false;
  }
  if (unknownReads == Verdict::Warn) {
    Fault fault = makeFault(at.place, kind, arguments);
    fault.element = wholeElement(at, element);
    fault.actor = actorAt(at.place);
    fault.memory = std::move(memory);
    fault.severity = diag::Severity::Warning;
    faults.add(std::move(fault));
  }
  return true;
}

void Cta::failLate(uint32_t place, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
                   MemoryName memory) {
  Fault fault = makeFault(place, kind, arguments);
  fault.memory = std::move(memory);
  faults.add(std::move(fault));
  stopped = failed = true;
  if (schedule)
    schedule->touchAnything();
}

uint8_t Cta::taintCode(const Instruction &at, uint32_t element, diag::Kind kind,
                       llvm::ArrayRef<std::string> arguments) {
  if (!tracking) {
    tracking = true;
    taint.assign(program.ctas * program.frameBytes, 0);
  }
  const bool isWarning = diag::info(kind).severity == diag::Severity::Warning;
  std::vector<Fault> &list = isWarning ? pendingWarnings : pending;
  // A code is a byte. Later faults of a program with this many share the last one.
  const size_t maxPending = isWarning ? 255 - kFirstWarning : kFirstWarning - 1;
  auto same = llvm::find_if(
      list, [&](const Fault &fault) { return fault.place == at.place && fault.kind == kind; });
  size_t index = same - list.begin();
  if (same == list.end()) {
    if (list.size() < maxPending) {
      Fault fault = makeFault(at.place, kind, arguments);
      fault.element = wholeElement(at, element);
      fault.actor = actorAt(at.place);
      list.push_back(std::move(fault));
    }
    index = list.size() - 1;
  }
  return static_cast<uint8_t>(isWarning ? 255 - index : index + 1);
}

bool Cta::raise(const Instruction &use, uint8_t code, bool decides) {
  const bool isWarning = !isFault(code);
  if (isWarning && (!decides || (warned & uint64_t(1) << (255 - code))))
    return false;
  if (isWarning)
    warned |= uint64_t(1) << (255 - code);
  Fault fault = isWarning ? pendingWarnings[255 - code] : pending[code - 1];
  fault.usePlace = use.place;
  const bool ends = !isWarning || maskedOff == Verdict::Fault;
  if (ends)
    fault.severity = diag::Severity::Error;
  faults.add(std::move(fault));
  stopped |= ends;
  failed |= ends;
  if (schedule)
    schedule->touchAnything();
  return ends;
}

void Cta::writeGlobal(uint64_t address, const uint8_t *bytes, uint64_t length,
                      uint32_t elementBytes, uint32_t place) {
  if (const Range *range = schedule ? memory.find(address) : nullptr)
    noteGlobalAccess(*this, *range, address, length, /*writes=*/true);
  AccessHistory *watched = nullptr;
  if (const Range *range = races ? memory.find(address) : nullptr)
    watched = races->historyOf(*range);
  if (watched)
    races->store(*watched, address, bytes, length, {programIndex, place, elementBytes});
  else
    std::memcpy(reinterpret_cast<void *>(address), bytes, length);
}

} // namespace gluonc::sim
