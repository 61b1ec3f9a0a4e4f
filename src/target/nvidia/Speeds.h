//===- Speeds.h - How fast the units of NVIDIA's GPUs are -----------------------===//
//
// What the performance model (room model) computes with: one entry for each chip, with
// the source of its figures. Cycles are those of a multiprocessor; docs/model.md says how the
// measured ones were got.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

#include <array>

namespace gluonc::target::nvidia {

/// Units of which each quarter of a multiprocessor has its own.
enum class Pipe : uint8_t {
  /// Sums and products of floats, one number a lane or two of 16 bits.
  Float,
  /// Integers, comparisons, choices.
  Integer,
  /// Exponentials, logarithms, roots, reciprocals.
  Special,
  /// Changes of numeric types.
  Convert,
  Double,
  Tensor,
};
inline constexpr unsigned pipeCount = 6;

/// Of one instruction of a warp.
struct PipeSpeed {
  /// For so long no other one begins.
  double cycles;
  /// Until the result can be used.
  double latency;
};

struct Speeds {
  unsigned capability;
  const char *name;
  /// By the microbenchmarks of bench/gpu/model; else from what is published.
  bool areMeasured;
  unsigned multiprocessors;
  /// The clock while tensor cores idle, and while they, or the second-level cache for them, never
  /// do.
  double megahertz, productMegahertz;
  /// From one launch to the next on a busy queue, for a kernel that does nothing.
  double launchMicroseconds;
  /// From one CTA to the next, for CTAs that do nothing.
  double ctaCycles;

  /// By Pipe. Of Tensor: the latency only.
  std::array<PipeSpeed, pipeCount> pipes;
  /// Floating-point operations of a quarter's tensor core in a cycle, for operands of 16 bits; the
  /// rate is inversely proportional to their width.
  double tensorFlops;
  /// What `mma` gets of that; `wgmma` gets all of it.
  double warpProductShare;
  /// Until the sums of a `wgmma`, or of products in tensor memory, can be used, past their own
  /// cycles.
  double wgmmaLatency;
  /// Until what a warp loads from tensor memory is there; 0 without one.
  double tensorMemoryLatency = 0;

  /// Of the path that shared memory and the first-level cache have to a multiprocessor's threads.
  double sharedBytesPerCycle;
  double sharedLatency, shuffleLatency, firstLevelLatency;
  uint32_t firstLevelBytes;
  /// What a multiprocessor gets of the second-level cache: alone; while all ask, each for other
  /// sectors; and while all ask, many for the same.
  double secondLevelBytesPerCycle, distinctBytesPerCycle, commonBytesPerCycle;
  double secondLevelLatency, atomicLatency;
  double secondLevelBytes;
  /// Of a kernel that copies: reads and writes together.
  double memoryGigabytesPerSecond;
  double memoryLatency;
  /// Bytes that a load moves from memory at least.
  uint32_t memoryGranule;
  /// The time that one takes whose neighbour in its pair nobody wants, in bytes; both together take
  /// that of their own. Not less than the granule.
  uint32_t loneGranule;
  /// What the copy engine takes beyond the latency of caches and memory.
  double boxLatency;

  /// From the last arrival until those that wait go on, and how long a barrier of the CTA takes for
  /// each warp that comes.
  double barrierLatency, barrierCycles, mbarrierLatency;
  double branchLatency;
};

/// Null for a chip of which nothing is known.
const Speeds *speedsOf(const Target &target);

} // namespace gluonc::target::nvidia
