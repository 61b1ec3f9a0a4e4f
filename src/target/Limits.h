//===- Limits.h - How large launches may be ---------------------------------===//
//
// The same on every chip that has an entry. What differs between chips (shared
// memory, clusters) is a method of Target. CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"; HIP's limits of a launch are no smaller.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace gluonc::target {

/// CTAs of a grid along x, and along y and z.
inline constexpr uint32_t maxGridX = 0x7fffffff, maxGridYZ = 65535;
inline constexpr unsigned maxThreadsPerCta = 1024;
/// Threads of a warp: 32 or 64.
inline constexpr unsigned minWarpSize = 32, maxWarpSize = 64;
/// By the threads of a warp.
constexpr unsigned maxWarpsPerCta(unsigned warpSize) { return maxThreadsPerCta / warpSize; }
/// Of a chip that has clusters.
inline constexpr unsigned maxCtasPerCluster = 16;

/// Numbers of warps and of CTAs are powers of two. As long as no chip is named, its warps may be
/// the narrowest.
constexpr bool isNumWarps(uint64_t count, unsigned warpSize = minWarpSize) {
  return std::has_single_bit(count) && count <= maxWarpsPerCta(warpSize);
}
constexpr bool isNumCtas(uint64_t count) {
  return std::has_single_bit(count) && count <= maxCtasPerCluster;
}
/// Of loops that load ahead.
inline constexpr unsigned maxStages = 64;
constexpr bool isNumStages(uint64_t count) { return count >= 1 && count <= maxStages; }
/// How reports list them: "1, 2, 4 or 8".
std::string powersOfTwoUpTo(unsigned most);

} // namespace gluonc::target
