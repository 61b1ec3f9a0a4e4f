//===- Chips.h - NVIDIA GPUs -------------------------------------------------===//
#pragma once

#include <cstdint>

namespace gluonc::target::nvidia {

struct Chip {
  /// Compute capability times ten.
  unsigned capability;
  /// Of a CTA.
  uint32_t sharedBytes;
  /// The lowest PTX ISA version that knows the chip, times ten; 0 where it has no code generation.
  unsigned minPtxVersion;
  bool hasCodegen;
};

inline constexpr Chip chips[] = {
    {80, 163 * 1024, 70, true},  {86, 99 * 1024, 71, true},   {89, 99 * 1024, 78, true},
    {90, 227 * 1024, 80, true},  {100, 227 * 1024, 88, true}, {103, 227 * 1024, 88, true},
    {107, 227 * 1024, 0, false}, {110, 227 * 1024, 90, true}, {120, 99 * 1024, 87, true},
    {121, 99 * 1024, 88, true},
};

/// Threads of a warp.
inline constexpr unsigned warpSize = 32;
/// Dynamic shared memory that a kernel may have without asking the driver.
inline constexpr unsigned plainSharedBytes = 48 * 1024;
/// CTAs of a cluster that every chip with clusters takes; for more the driver must be asked.
inline constexpr unsigned portableCtasPerCluster = 8;

} // namespace gluonc::target::nvidia
