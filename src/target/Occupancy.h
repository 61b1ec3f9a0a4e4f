//===- Occupancy.h - What keeps more CTAs from being resident -------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

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
  /// What there would then be too little of, too.
  std::optional<OccupancyLimit> otherLimit = std::nullopt;

  bool isLimitedBy(OccupancyLimit which) const { return limit == which || otherLimit == which; }
  unsigned percent() const { return mostWarps ? 100 * warps / mostWarps : 0; }
};

/// Of CTAs of `warps` as many as all limits let in; of limits that let in as many the first two
/// count. `mostWarps`: as in Occupancy.
Occupancy occupancyWithin(std::span<const std::pair<unsigned, OccupancyLimit>> limits,
                          unsigned warps, unsigned mostWarps);

} // namespace gluonc::target
