//===- Occupancy.h - What keeps more CTAs from being resident -------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace gluonc::target {

enum class OccupancyLimit : uint8_t { Warps, Ctas, Registers, SharedMemory };
std::string_view nameOf(OccupancyLimit limit);

/// Of a multiprocessor (compute unit).
struct Occupancy {
  /// CTAs that are resident at a time, and their warps.
  unsigned ctas = 0, warps = 0;
  /// Warps that the multiprocessor could hold.
  unsigned mostWarps = 0;
  /// What there is too little of for one CTA more.
  OccupancyLimit limit = OccupancyLimit::Warps;

  unsigned percent() const { return mostWarps ? 100 * warps / mostWarps : 0; }
};

} // namespace gluonc::target
