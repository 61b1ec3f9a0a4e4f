//===- Chips.h - AMD GPUs ----------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace gluonc::target::amd {

struct Chip {
  std::string_view name;
  /// Lanes of a wave.
  unsigned waveSize;
  /// Of a workgroup.
  uint32_t ldsBytes;
};

inline constexpr Chip chips[] = {
    {"gfx942", 64, 64 * 1024},  {"gfx950", 64, 160 * 1024},  {"gfx1100", 32, 64 * 1024},
    {"gfx1200", 32, 64 * 1024}, {"gfx1250", 32, 320 * 1024},
};

} // namespace gluonc::target::amd
