//===- Chips.h - AMD GPUs ----------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace gluonc::target::amd {

/// Chips with one instruction set, but for details.
enum class Family : uint8_t { Cdna3, Cdna4, Rdna3, Rdna4, Cdna5 };

struct Chip {
  std::string_view name;
  Family family;
  /// Lanes of a wave.
  unsigned waveSize;
  /// Of a workgroup.
  uint32_t ldsBytes;
  /// 32-bit registers of a lane, accumulation registers among them; and those that instructions
  /// name without a prefix.
  unsigned registers, namedRegisters;
  /// Banks of LDS, each 4 bytes wide, for the widest accesses.
  unsigned ldsBanks;
  /// What layouts of its matrix instructions call their version.
  int matrixVersion;
};

inline constexpr Chip chips[] = {
    {"gfx942", Family::Cdna3, 64, 64 * 1024, 512, 512, 32, 3},
    {"gfx950", Family::Cdna4, 64, 160 * 1024, 512, 512, 64, 4},
    {"gfx1100", Family::Rdna3, 32, 64 * 1024, 256, 256, 32, 1},
    {"gfx1200", Family::Rdna4, 32, 64 * 1024, 256, 256, 32, 2},
    {"gfx1250", Family::Cdna5, 32, 320 * 1024, 1024, 256, 64, 3},
};

/// Threads of a workgroup.
inline constexpr unsigned maxThreads = 1024;
/// Bytes of LDS that a buffer of one partition may take, where LDS has partitions (gfx1250).
inline constexpr uint32_t ldsPartitionBytes = 64 * 1024;

} // namespace gluonc::target::amd
