//===- Memory.h - What an access of a warp costs the memory -------------------===//
//
// Global memory moves in sectors of 32 bytes. Shared memory has 32 banks of 4 bytes,
// each of which gives one word a wavefront; accesses of 8 and 16 bytes run in phases
// of 16 and 8 lanes, as do the rows of ldmatrix and stmatrix. Two phases of a load are one where
// each lane's neighbour, or each lane's second neighbour, wants the same or nothing (counted by
// Nsight Compute on an H200).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Observer.h"

#include <optional>

namespace gluonc::explain {

inline constexpr unsigned sectorBytes = 32;

struct SectorCount {
  unsigned sectors = 0;
  /// What as many bytes would take if they were neighbours and began with a sector.
  unsigned idealSectors = 0;
  /// Different bytes that the lanes access.
  unsigned usedBytes = 0;
  /// Runs of neighbouring bytes, and those of them that begin within a sector.
  unsigned pieces = 0, misalignedPieces = 0;
  /// From a lane's address to the next one's, if half of the lanes agree; nothing for one lane.
  std::optional<int64_t> stride;
};
/// By sectors of `unit` bytes: those of NVIDIA's chips, or cache lines of AMD's.
SectorCount countSectors(llvm::ArrayRef<ptx::Touch> touches, unsigned unit = sectorBytes);

struct WavefrontCount {
  unsigned wavefronts = 0;
  /// One for each phase that accesses anything.
  unsigned ideal = 0;
};
WavefrontCount countWavefronts(llvm::ArrayRef<ptx::Touch> touches, bool reads = true);

/// LDS of AMD's chips: as many lanes at a time as its banks, of 4 bytes each, have words for.
/// Reads of 16 bytes from 32 banks go by fours of lanes: 0 to 3 with 20 to 23, 4 to 7 with 16 to 19
/// and so on ("Avoiding LDS Bank Conflicts on AMD GPUs", ROCm blogs, 2025).
WavefrontCount countLdsCycles(llvm::ArrayRef<ptx::Touch> touches, unsigned banks, bool reads);

} // namespace gluonc::explain
