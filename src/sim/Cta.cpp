#include "sim/Cta.h"

namespace gluonc::sim {

/// Slots start at multiples of this, and so must the frame.
static constexpr size_t kFrameAlignment = 64;

Cta::Cta(const Program &program, const Memory &memory, std::array<uint32_t, 3> grid,
         uint64_t maxBranches)
    : program(program), memory(memory), grid(grid), shared(program.sharedBytes),
      rangeCache(program.accessCount), frameStorage(program.frameBytes + kFrameAlignment),
      maxBranches(maxBranches) {
  uintptr_t start = reinterpret_cast<uintptr_t>(frameStorage.data());
  frame = frameStorage.data() + (kFrameAlignment - start % kFrameAlignment) % kFrameAlignment;
  for (const Constant &constant : program.constants)
    std::memcpy(frame + constant.offset, constant.bytes.data(), constant.bytes.size());
}

void Cta::run(uint64_t index) {
  programIndex = index;
  uint32_t *ids = at<uint32_t>(program.programIds);
  ids[0] = static_cast<uint32_t>(index % grid[0]);
  ids[1] = static_cast<uint32_t>(index / grid[0] % grid[1]);
  ids[2] = static_cast<uint32_t>(index / grid[0] / grid[1]);
  for (unsigned axis = 0; axis < 3; ++axis)
    ids[3 + axis] = grid[axis];
  pc = 0;
  branches = 0;
  stopped = tracking = false;
  pending.clear();
  openCopies.clear();
  copyGroups.clear();
  if (shared.size())
    shared.mark(0, shared.size(), SharedMemory::Unwritten);

  const Instruction *code = program.code.data();
  while (!stopped && !tracking) {
    const Instruction &next = code[pc++];
    next.run(next, *this);
  }
  while (!stopped) {
    const Instruction &next = code[pc++];
    next.taint(next, *this);
    if (!stopped)
      next.run(next, *this);
  }
}

void Cta::fail(const Instruction &at, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
               int64_t lane) {
  Fault fault;
  fault.kind = kind;
  fault.place = at.place;
  fault.arguments.assign(arguments.begin(), arguments.end());
  fault.lane = lane;
  fault.program = programIndex;
  faults.add(std::move(fault));
  stopped = true;
}

void Cta::taintResult(const Instruction &at, uint32_t lane, diag::Kind kind,
                      llvm::ArrayRef<std::string> arguments) {
  if (!tracking) {
    tracking = true;
    taint.assign(program.frameBytes, 0);
  }
  // A code is a byte. Later faults of a program with this many share the last one.
  constexpr size_t kMaxPending = 250;
  auto same = llvm::find_if(
      pending, [&](const Fault &fault) { return fault.place == at.place && fault.kind == kind; });
  size_t code = same - pending.begin();
  if (same == pending.end()) {
    if (pending.size() < kMaxPending) {
      Fault fault;
      fault.kind = kind;
      fault.place = at.place;
      fault.arguments.assign(arguments.begin(), arguments.end());
      fault.lane = lane;
      fault.program = programIndex;
      pending.push_back(std::move(fault));
    }
    code = pending.size() - 1;
  }
  taintAt(at.result)[lane] = static_cast<uint8_t>(code + 1);
}

void Cta::raise(const Instruction &use, uint8_t code) {
  Fault fault = pending[code - 1];
  fault.usePlace = use.place;
  faults.add(std::move(fault));
  stopped = true;
}

} // namespace gluonc::sim
