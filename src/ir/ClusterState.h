//===- ClusterState.h - Where parts of warp_specialize meet other CTAs --------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace gluonc::ttg {

/// Module attribute: where the parts, the default one first, meet those of other CTAs.
inline constexpr llvm::StringLiteral clusterStateAttr = "ttg.cluster-state-offset";
/// Bytes of each part.
inline constexpr int64_t clusterStateBytes = 32;

} // namespace gluonc::ttg
