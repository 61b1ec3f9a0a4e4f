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
  /// What a multiprocessor holds at a time (CUDA Programming Guide, "Compute Capabilities",
  /// technical specifications); 0 where nothing is published.
  unsigned residentWarps, residentCtas;
  uint32_t residentSharedBytes;
};

inline constexpr Chip chips[] = {
    {80, 163 * 1024, 70, true, 64, 32, 164 * 1024},
    {86, 99 * 1024, 71, true, 48, 16, 100 * 1024},
    {89, 99 * 1024, 78, true, 48, 24, 100 * 1024},
    {90, 227 * 1024, 80, true, 64, 32, 228 * 1024},
    {100, 227 * 1024, 88, true, 64, 32, 228 * 1024},
    {103, 227 * 1024, 88, true, 64, 32, 228 * 1024},
    {107, 227 * 1024, 0, false, 0, 0, 0},
    {110, 227 * 1024, 90, true, 48, 24, 228 * 1024},
    {120, 99 * 1024, 87, true, 48, 24, 100 * 1024},
    {121, 99 * 1024, 88, true, 48, 24, 100 * 1024},
};

/// The entry of a compute capability; null without one.
constexpr const Chip *findChip(unsigned capability) {
  for (const Chip &chip : chips)
    if (chip.capability == capability)
      return &chip;
  return nullptr;
}

/// Threads of a warp.
inline constexpr unsigned warpSize = 32;
/// Dynamic shared memory that a kernel may have without asking the driver.
inline constexpr unsigned plainSharedBytes = 48 * 1024;
/// CTAs of a cluster that every chip with clusters takes; for more the driver must be asked.
inline constexpr unsigned portableCtasPerCluster = 8;

} // namespace gluonc::target::nvidia
