//===- TensorMover.h - What AMD's tensor mover (TDM) can do ---------------------===//
#pragma once

#include <cstdint>

namespace gluonc::target::amd::tdm {

inline constexpr unsigned maxRank = 5;
/// Extents of a block have 16 bits.
inline constexpr int64_t maxBlockLength = 65535;
inline constexpr unsigned maxElementBytes = 8;
/// Padding comes in units of so many bytes: after 2 to 256 units 1 to 128 of them.
inline constexpr int64_t padUnitBytes = 4;
inline constexpr int64_t minPadInterval = 2, maxPadInterval = 256, maxPad = 128;

} // namespace gluonc::target::amd::tdm
