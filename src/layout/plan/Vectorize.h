//===- Vectorize.h - Registers that one access can move together -----------===//
//
// A load or store instruction moves 2^k consecutive elements.  Which registers
// of a thread are consecutive is read off the bases: bit 0 of the position must
// be one register bit, bit 1 another, and nothing else may touch these low
// bits, or the access would not be aligned.  The register bits need not be the
// lowest ones, so the answer is explicit lists of registers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

namespace gluonc::layout {

/// The registers of a thread as a list of vectors.
struct RegisterVectors {
  /// Every vector has 2^log2 elements.
  unsigned log2 = 0;
  /// Each inner list names the registers of one vector by rising position. Redundant registers
  /// (zero bases) appear in none; vectors are ordered by their first register.
  llvm::SmallVector<llvm::SmallVector<uint32_t, 8>, 8> vectors;
  /// For every register the one that holds the same element and appears in `vectors`.
  llvm::SmallVector<uint32_t, 16> representative;

  unsigned size() const { return 1u << log2; }
};

/// Groups the registers of `map` (register, ... -> out, ...) into the widest vectors of at most
/// 2^maxLog2 elements that are consecutive and aligned along `out`.
///   map with register 1 -> dim1: 1, register 2 -> dim1: 2, register 4 -> dim0: 1, along dim1:
///   {0 1 2 3} {4 5 6 7}
RegisterVectors vectorizeAlong(const LinearLayout &map, Dim out, unsigned maxLog2);

/// How many registers of a thread are consecutive along tensor dim `axis`, as a power of two's log.
unsigned contiguousLog2(const LinearLayout &distributed, unsigned axis);

/// Registers to offsets: the address algebra of a shared load or store.
struct SharedAccessMap {
  /// register, lane, warp (, block) -> offset (, block).
  LinearLayout map;
  RegisterVectors vectors;
};

/// For a tensor in layout `distributed` that moves to or from memory in layout `shared`: where each
/// register goes, in vectors of at most `maxVectorBits`. `maxElements` further limits a vector (0:
/// no limit), see PaddedSharedLayout::maxVector. Nullopt if the memory does not hold some element.
std::optional<SharedAccessMap> mapToShared(const LinearLayout &distributed,
                                           const LinearLayout &shared, unsigned elementBits,
                                           unsigned maxVectorBits = 128, int64_t maxElements = 0);

} // namespace gluonc::layout
