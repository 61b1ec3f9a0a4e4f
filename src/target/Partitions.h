//===- Partitions.h - Partitions of a CTA's warps, and their registers --------===//
//
// What chips say about kernels whose warps run different code (warp_specialize), and
// about the registers that a kernel may ask for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target {

struct PartitionRules {
  /// Warps that own registers together; such groups begin at multiples of this.
  unsigned groupWarps;
  /// Partitions beside the default one that can run at the same time.
  unsigned maxPartitions;
};
PartitionRules partitionRules(const Target &target);

/// Registers that the threads of a CTA share, where a kernel can say how many each may have.
struct RegisterRules {
  /// Of all threads.
  unsigned file;
  /// Threads get them in units of so many.
  unsigned unit;
  /// Of a thread: in a partition, and of all at the start.
  unsigned fewest, most, mostAtStart;
  /// Groups of warps can give them to each other while they run.
  bool areMovable;
};
/// Nullopt where no kernel can say.
std::optional<RegisterRules> registerRules(const Target &target);

} // namespace gluonc::target
