//===- Features.h - What chips have, by name ------------------------------------===//
//
// What a builtin of the language asks of a chip. Which chips have it is said in
// Features.cpp, and nowhere else.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target {

enum class Feature : uint8_t {
  /// cp.async: global to shared memory past the registers.
  AsyncCopy,
  /// Barriers in shared memory that count arrivals.
  MBarrier,
  /// Barriers that also count bytes, the asynchronous proxy and its fences.
  AsyncProxy,
  /// The engine that copies boxes of tensors.
  TensorCopies,
  Clusters,
  /// A grid that begins while the one before it ends.
  GridDependency,
  /// Warps that give registers to each other.
  RegisterReallocation,
  MmaSync,
  MmaSyncFp8,
  WarpgroupMma,
};

bool has(const Target &target, Feature feature);
/// "cuda:90 or newer"
std::string_view targetsWith(Feature feature);

} // namespace gluonc::target
