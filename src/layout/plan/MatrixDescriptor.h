//===- MatrixDescriptor.h - Operands of wgmma in shared memory -----------------===//
//
// wgmma finds an operand in shared memory by a 64-bit descriptor:
//
//   bits  0-13  address of the first element        in 16 bytes
//   bits 16-29  LBO, bits 32-45 SBO                 in 16 bytes
//   bits 62-63  swizzle: 0 none, 1 128 bytes, 2 64, 3 32
//
// The memory is a grid of tiles. A tile has 8 lines of S bytes (16 without
// swizzle) along the contiguous dim, line r XORed by its number as the swizzle
// says. SBO leads from a tile to the next one across the lines, LBO to the next
// one along them; for operands that are contiguous along M or N and not swizzled
// it is the other way round.
//
// Whether a buffer is such a grid is read off its layout: the offsets of 1, 2, 4
// lines, of the elements of a line, and whether those beyond a tile are multiples
// of one step. So any layout qualifies that puts the bytes there, under any name,
// transposed or cut to a window.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include <optional>

namespace gluonc::layout {

struct MatrixDescriptor {
  /// Whether K is the contiguous dim.
  bool contiguousK = true;
  /// 128, 64, 32 or 0.
  unsigned swizzleBytes = 0;
  /// Everything but the address.
  uint64_t bits = 0;
};

/// For the operand of one instruction: `outer` elements along M or N times `depth` along K, of a
/// buffer in layout `memory` (offset -> dims). Nullopt where the buffer lies differently.
std::optional<MatrixDescriptor> describeMatrix(const LinearLayout &memory, unsigned outerAxis,
                                               unsigned kAxis, unsigned elementBytes,
                                               unsigned outer, unsigned depth);

/// The same where `places` maps those two dims to the offset.
std::optional<MatrixDescriptor> describePlaces(const LinearLayout &places, Dim outerDim, Dim kDim,
                                               unsigned elementBytes, unsigned outer,
                                               unsigned depth);

/// A buffer whose groups of 8 bytes along K are followed by 8 bytes of nothing, with these counted
/// as elements: as tensor cores read bytes with 4-bit elements.
LinearLayout countPadding(const LinearLayout &memory, unsigned kAxis);

} // namespace gluonc::layout
