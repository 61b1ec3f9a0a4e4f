//===- Barrier.h - mbarrier objects -----------------------------------------===//
//
// A barrier counts the arrivals that its current phase still needs and the bytes
// that asynchronous copies still owe it. When both are zero the phase is complete:
// the parity flips and the count starts anew. The object lives in eight bytes of
// shared memory, so a kernel that loses track of them bears the consequences.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/nvidia/Barriers.h"

namespace gluonc::sim {

struct Barrier {
  /// What the hardware's fields hold.
  static constexpr uint32_t kMaxCount = target::nvidia::maxArrivals;
  static constexpr int32_t kMaxBytes = target::nvidia::maxPendingBytes;

  /// Arrivals of each phase, and those that the current one still needs.
  uint32_t count = 0;
  uint32_t pending = 0;
  /// Bytes announced and not arrived yet; negative where bytes came first.
  int32_t bytes = 0;
  /// Parity of the current, incomplete phase.
  bool phase = false;

  static Barrier initialized(uint32_t count) { return {count, count, 0, false}; }
  static Barrier unpack(uint64_t word);
  uint64_t pack() const;

  /// Whether the phase of this parity is behind us, which is what a wait waits for.
  bool isComplete(bool parity) const { return phase != parity; }
  /// False, and nothing changes, if the phase needs fewer arrivals than that.
  [[nodiscard]] bool arrive(uint32_t arrivals);
  /// Announces bytes (positive) or notes their coming (negative); false, and nothing
  /// changes, if the count leaves the hardware's range.
  [[nodiscard]] bool addBytes(int64_t delta);

private:
  void completeIfDone();
};

} // namespace gluonc::sim
