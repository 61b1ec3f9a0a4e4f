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

/// What happens to a barrier: an mbarrier in shared memory, or one of the CTA's sixteen.
struct Signal {
  enum class Kind : uint8_t {
    /// An mbarrier whose phases need `count` arrivals.
    Begin,
    /// `count` arrivals.
    Arrive,
    /// `count` bytes are to come.
    Expect,
    /// `count` bytes of a copy come.
    Deliver,
    /// Asks for the phase of parity `count`.
    Ask,
    /// A warp comes to a barrier of the CTA, which is for `count` threads, and waits or goes on.
    Meet,
    Pass,
  };
  Kind kind = Kind::Arrive;
  /// An address in the window of the cluster, or a number.
  uint64_t barrier = 0;
  int64_t count = 0;
  /// Of Ask: the phase is over.
  bool isOver = false;
};

/// A product of tensor memory (tcgen05.mma): its shape, of both CTAs of a pair, bits of an
/// operand's element. Without rows there is none.
struct TensorProduct {
  unsigned rows = 0, columns = 0, depth = 0, bits = 0;
  unsigned ctas = 1;
  /// A comes from shared memory, as B does.
  bool readsA = true;
};

/// What one instruction of a warp accessed.
struct Touched {
  /// Lane by lane. Of shared memory: addresses in the window of the cluster.
  llvm::SmallVector<Touch, 32> global, shared;
  /// Bytes that a copy of boxes moves between global and shared memory, past the threads, and where
  /// it finds them or puts them in global memory.
  uint64_t boxBytes = 0;
  llvm::SmallVector<Touch, 0> box;
  /// Lane by lane.
  llvm::SmallVector<Signal, 1> signals;
  TensorProduct product;

  void clear() {
    global.clear();
    shared.clear();
    boxBytes = 0;
    box.clear();
    signals.clear();
    product = {};
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
