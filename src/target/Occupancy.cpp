#include "target/Occupancy.h"

#include <algorithm>

namespace gluonc::target {

std::string_view nameOf(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Warps:
    return "warps";
  case OccupancyLimit::Ctas:
    return "CTAs";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  }
  return "";
}

Occupancy occupancyWithin(std::span<const std::pair<unsigned, OccupancyLimit>> limits,
                          unsigned warps, unsigned mostWarps) {
  auto least = std::ranges::min_element(limits, {}, [](const auto &each) { return each.first; });
  const unsigned ctas = least->first;
  Occupancy found{ctas, ctas * warps, mostWarps, least->second};
  auto other =
      std::find_if(least + 1, limits.end(), [&](const auto &each) { return each.first == ctas; });
  if (other != limits.end())
    found.otherLimit = other->second;
  return found;
}

} // namespace gluonc::target
