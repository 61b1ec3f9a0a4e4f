//===- Occupancy.h - How many CTAs a multiprocessor holds ---------------------===//
//
// CUDA Programming Guide, "Compute Capabilities": a CTA is resident as a whole, with
// the registers of its threads, its shared memory and a kilobyte that the system takes.
// The register file has four parts; a warp's registers are in one of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Occupancy.h"
#include "target/Target.h"

#include <optional>

namespace gluonc::target::nvidia {

struct CtaNeeds {
  unsigned warps = 4;
  /// Of a thread; 0 where nobody knows.
  unsigned registers = 0;
  uint32_t sharedBytes = 0;
};

using target::Occupancy;
using target::OccupancyLimit;

/// Nullopt for a chip of which nothing is published.
std::optional<Occupancy> occupancyOf(const Target &target, const CtaNeeds &needs);

} // namespace gluonc::target::nvidia
