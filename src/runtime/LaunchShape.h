//===- LaunchShape.h - What a launch is told, whatever the vendor ------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace gluonc::runtime {

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// How programs of a launch run beside each other and beside other launches.
struct LaunchMode {
  /// All programs at the same time, or not at all.
  bool cooperative = false;
  /// It may begin while the kernel before it in the stream still runs.
  bool programmaticDependent = false;
};

/// What the compiler knows about how a kernel is launched.
struct LaunchShape {
  unsigned threads = 128;
  unsigned ctasPerCluster = 1;
  unsigned sharedBytes = 0;
  LaunchMode mode = {};
  /// Global memory that each CTA needs for itself during the launch.
  unsigned scratchBytes = 0;
  /// Memory of profilers, which code that was made for them fills; 0 for other code.
  uint64_t profileAddress = 0;
  /// Parameters that are larger than a slot: their slot holds the address of their bytes.
  llvm::SmallVector<unsigned, 0> byAddress = {};
};

inline bool fits(Grid grid, Grid most) {
  return grid.x <= most.x && grid.y <= most.y && grid.z <= most.z;
}

/// Why no launch has more programs than `most`, with the numbers; "" if `grid` has not.
std::string whyTooLarge(Grid grid, Grid most);

} // namespace gluonc::runtime
