//===- Occupancy.h - How many CTAs a multiprocessor holds ---------------------===//
//
// CUDA Programming Guide, "Compute Capabilities": a CTA is resident as a whole, with
// the registers of its threads, its shared memory and a kilobyte that the system takes.
// The register file has four parts; a warp's registers are in one of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

#include <optional>
#include <string_view>

namespace gluonc::target::nvidia {

struct CtaNeeds {
  unsigned warps = 4;
  /// Of a thread; 0 where nobody knows.
  unsigned registers = 0;
  uint32_t sharedBytes = 0;
};

enum class OccupancyLimit : uint8_t { Warps, Ctas, Registers, SharedMemory };
std::string_view nameOf(OccupancyLimit limit);

struct Occupancy {
  /// CTAs that are resident at a time, and their warps.
  unsigned ctas = 0, warps = 0;
  /// Warps that the multiprocessor could hold.
  unsigned mostWarps = 0;
  /// What there is too little of for one CTA more.
  OccupancyLimit limit = OccupancyLimit::Warps;

  unsigned percent() const { return mostWarps ? 100 * warps / mostWarps : 0; }
};

/// Nullopt for a chip of which nothing is published.
std::optional<Occupancy> occupancyOf(const Target &target, const CtaNeeds &needs);

} // namespace gluonc::target::nvidia
