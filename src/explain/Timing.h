//===- Timing.h - What the performance model says of a launch ---------------------===//
//
// Plain data, which whoever has the model fills in (driver/explain/Explain.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gluonc::explain {

struct Timing {
  /// A prediction for this chip, whose figures were measured there or published.
  std::string chip;
  bool isMeasured = false;
  /// What each unit needs by itself: it takes at least as long. Parts of `busy` are of that time.
  bool isBound = false;
  double microseconds = 0, cycles = 0, megahertz = 0;
  /// Clusters that the busiest multiprocessor executes, and holds at a time.
  uint64_t clusters = 0, resident = 0;
  /// Clusters of the grid that were replayed.
  uint64_t sampled = 0;
  /// "tensor cores", "waits for copies".
  std::string limit;
  /// Parts of the time in which units are at work, and of their time that warps spend; the largest
  /// one first.
  std::vector<std::pair<std::string, double>> busy, spent;
};

} // namespace gluonc::explain
