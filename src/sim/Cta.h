//===- Cta.h - The machine that runs one program at a time -----------------===//
//
// Each host thread owns a Cta and runs programs on it, one after the other. All
// memory is allocated once: the frame, the shared memory, and on first need the
// taint of the frame.
//
// Taint. Poison and faulty arithmetic (x / 0) do no harm in lanes that nothing
// depends on, and masked kernels produce such lanes all the time. So they are not
// faults where they occur. From the first one on, every frame byte offset has a
// taint byte (lane i of a slot has the one at slot.offset + i) that names a
// pending fault, instructions carry taint along, and the fault is raised when a
// tainted lane reaches memory, a branch or an assertion. Until then there is no
// cost but one test per instruction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/Memory.h"
#include "sim/Program.h"
#include "sim/SharedMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace gluonc::sim {

/// Copies that were started and not waited for yet; see LowerAsync.cpp.
struct PendingCopy {
  std::vector<uint64_t> offsets;
  std::vector<uint8_t> bytes;
  uint32_t elementBytes = 0;
};

class Cta {
public:
  Cta(const Program &program, const Memory &memory, std::array<uint32_t, 3> grid,
      uint64_t maxBranches);

  /// Runs program `index` (x fastest) to its end or its first fault.
  void run(uint64_t index);

  /// Frame access.
  template <class T> T *at(uint32_t offset) { return reinterpret_cast<T *>(frame + offset); }
  template <class T> T *at(Slot slot) { return at<T>(slot.offset); }
  uint8_t *taintAt(Slot slot) { return taint.data() + slot.offset; }

  /// Ends the program with a fault.
  void fail(const Instruction &at, diag::Kind kind, llvm::ArrayRef<std::string> arguments,
            int64_t lane = -1);
  /// Marks lane `lane` of the result of `at` as the outcome of a fault that counts
  /// only if something depends on it. Call after the result has been written.
  void taintResult(const Instruction &at, uint32_t lane, diag::Kind kind,
                   llvm::ArrayRef<std::string> arguments);
  /// Raises the pending fault that `code` names.
  void raise(const Instruction &use, uint8_t code);

  /// Counts a branch; fails when there were too many.
  void countBranch(const Instruction &at) {
    if (++branches == maxBranches) [[unlikely]]
      fail(at, diag::Kind::BranchLimitReached, {std::to_string(maxBranches)});
  }

  const Program &program;
  const Memory &memory;
  std::array<uint32_t, 3> grid;
  uint64_t programIndex = 0;
  uint32_t pc = 0;
  bool stopped = false;
  bool tracking = false;
  SharedMemory shared;
  /// For each global access the range that served it last.
  std::vector<const Range *> rangeCache;
  /// The range that each parameter points into, or null.
  std::vector<const Range *> parameterRanges;
  /// Copies not committed yet, then committed groups, oldest first.
  std::vector<PendingCopy> openCopies;
  std::vector<std::vector<PendingCopy>> copyGroups;
  FaultLog faults;
  /// Output of tt.print, one entry for each program that printed.
  std::vector<std::pair<uint64_t, std::string>> printed;

private:
  std::vector<uint8_t> frameStorage;
  uint8_t *frame;
  std::vector<uint8_t> taint;
  std::vector<Fault> pending;
  uint64_t branches = 0;
  uint64_t maxBranches;
};

} // namespace gluonc::sim
