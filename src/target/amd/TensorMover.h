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
/// Words of a descriptor of so many dims.
constexpr unsigned wordCount(unsigned rank) { return rank <= 2 ? 12 : 20; }
/// What fields of descriptors hold. Extents have 32 bits, but kernels compute with signed ones.
inline constexpr uint64_t maxAddress = (uint64_t{1} << 57) - 1;
inline constexpr int64_t maxExtent = (int64_t{1} << 31) - 1, maxStride = (int64_t{1} << 48) - 1;
/// Rows that one instruction names, by numbers of 16 bits or of 32.
inline constexpr unsigned mostRows = 16, mostWideRows = 8;
/// What each lane of a prefetch asks for.
inline constexpr unsigned prefetchedBytes = 256;

// Fields of the words of descriptors (the ISA document of gfx1250, "Tensor data mover"). Of the
// first word:
inline constexpr uint32_t isActive = 1, wideRows = uint32_t{1} << 30, rowMode = uint32_t{1} << 31;
/// Of the fourth: what the words are.
inline constexpr uint64_t isDescriptor = uint64_t{1} << 31;
/// Of the fifth, above a bit for each workgroup that gets the tile.
inline constexpr uint32_t tellsBarrier = 1 << 18, pads = 1 << 20;
inline constexpr unsigned elementShift = 16, intervalShift = 22, paddingShift = 25;

} // namespace gluonc::target::amd::tdm
