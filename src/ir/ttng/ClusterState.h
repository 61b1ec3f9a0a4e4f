//===- ClusterState.h - What the emitter has to know of clusters --------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace gluonc::ttg {

/// Module attribute: where the partitions, the default one first, synchronize with those of other
/// CTAs.
inline constexpr llvm::StringLiteral clusterStateAttr = "ttg.cluster-state-offset";
/// Bytes of each partition.
inline constexpr int64_t clusterStateBytes = 32;

/// Module attribute, without a value: CTAs leave nothing in memory for others of their cluster, but
/// what asynchronous units write; so arrivals at each other's barriers need not wait for the
/// memory.
inline constexpr llvm::StringLiteral clusterSilentAttr = "ttg.cluster-publishes-nothing";

} // namespace gluonc::ttg
