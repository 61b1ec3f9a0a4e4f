//===- Barriers.h - Who waits for whom in the replay ------------------------------===//
#pragma once

#include "ptx/Observer.h"

namespace gluonc::model {

/// Numbers of warps that wait.
using Waiting = llvm::SmallVector<uint32_t, 4>;

/// A barrier object in shared memory (PTX ISA 9.7.13.15).
struct Mbarrier {
  int64_t pending = 0, expected = 0, bytes = 0;
  uint64_t phase = 0;
  Waiting waiting;

  /// Whether a phase ends by it.
  bool apply(ptx::Signal::Kind kind, int64_t count) {
    switch (kind) {
    case ptx::Signal::Kind::Begin:
      pending = expected = count;
      phase = 0;
      bytes = 0;
      return false;
    case ptx::Signal::Kind::Arrive:
      pending -= count;
      break;
    case ptx::Signal::Kind::Expect:
      bytes += count;
      break;
    case ptx::Signal::Kind::Deliver:
      bytes -= count;
      break;
    default:
      return false;
    }
    if (pending > 0 || bytes != 0)
      return false;
    ++phase;
    pending = expected;
    return true;
  }
  bool isOver(int64_t parity) const { return int64_t(phase & 1) != parity; }
};

/// One of a CTA's barriers, or the cluster's: so many threads have come.
struct Meeting {
  int64_t arrived = 0;
  uint64_t phase = 0;
  Waiting waiting;

  /// Whether all have come with these.
  bool arrive(int64_t threads, int64_t all) {
    arrived += threads;
    if (arrived < all)
      return false;
    arrived = 0;
    ++phase;
    return true;
  }
};

} // namespace gluonc::model
