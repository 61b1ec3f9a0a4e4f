//===- Observer.h - Who is told what a kernel executes ------------------------===//
//
// A launch may have an observer, which is told of each instruction of a warp, with the
// addresses of its lanes, after it was executed. Without one nothing is collected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

#include <array>

namespace gluonc::ptx {

/// Bytes that a lane accesses. Of ldmatrix and stmatrix: the row whose address it gives.
struct Touch {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint8_t lane = 0;
};

/// What one instruction of a warp accessed.
struct Touched {
  /// Lane by lane. Of shared memory: addresses in the window of the cluster.
  llvm::SmallVector<Touch, 32> global, shared;
  /// Bytes that a copy of boxes moves between global and shared memory, past the threads.
  uint64_t boxBytes = 0;

  void clear() {
    global.clear();
    shared.clear();
    boxBytes = 0;
  }
};

struct Observed {
  /// Place in the kernel's code.
  size_t instruction = 0;
  std::array<uint32_t, 3> cta = {};
  /// In its CTA.
  unsigned warp = 0;
  /// The lanes that came to the instruction, and those whose guard held.
  uint32_t reached = 0, active = 0;
  const Touched &touched;
};

class Observer {
public:
  virtual ~Observer() = default;
  /// Before the first instruction. Neither lives longer than the launch.
  virtual void begin(const Function &kernel, const Module &module) = 0;
  virtual void executed(const Observed &what) = 0;
};

} // namespace gluonc::ptx
