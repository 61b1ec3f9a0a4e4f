//===- MatrixAccess.h - Shared memory accessed by a whole warp at once ------===//
//
// A matrix access (ldmatrix, stmatrix) moves up to four matrices of 8 rows of 16
// bytes. Lane 8m+r gives the address of row r of matrix m; the data are spread as
// tensor cores want them, one 32-bit word of each matrix per lane:
//
//             16-byte row                          transposed (16-bit elements)
//   row 0     lane 0 | lane 1 | lane 2 | lane 3    row 0    0L  4L  8L .. 28L
//   row 1     lane 4 | lane 5 | lane 6 | lane 7    row 1    0H  4H  8H .. 28H
//     :                                            row 2    1L  5L  9L .. 29L
//
// Whether a tensor lies that way is a question about the bases of the map from
// (register, lane, warp) to offsets, asked by `planMatrixAccess`: with e elements
// to a word, plain access needs
//
//   register bits -> offsets 1 .. e/2;  lane bits 0, 1 -> the next two;
//   everything else -> multiples of 16 bytes
//
// and transposed access has lane bits 2, 3, 4 -> offsets 1, 2, 4 and a register
// bit and lane bits 0, 1 as bits of the row. Any swizzle or view that leaves
// 16-byte rows whole fits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include <optional>

namespace gluonc::layout {

struct MatrixAccess {
  bool transposed = false;
  /// Register bits inside a word, lowest position first, as masks of one bit.
  llvm::SmallVector<uint32_t, 2> wordBits;
  /// Register bits that number the matrices of one instruction: none to two.
  llvm::SmallVector<uint32_t, 2> matrixBits;
  /// Offsets that the bits of the lane add to the address that the lane gives.
  llvm::SmallVector<uint32_t, 5> laneImages;
  /// The registers with all of these bits 0: one instruction for each.
  llvm::SmallVector<uint32_t, 8> bases;

  unsigned matrices() const { return 1u << matrixBits.size(); }
  unsigned elementsPerWord() const { return 1u << wordBits.size(); }
  /// The register of element `element` in this lane's word of matrix `matrix`.
  uint32_t registerOf(uint32_t base, unsigned matrix, unsigned element) const;
};

/// For a map (register, lane, warp) -> offset of elements of `elementBits`. Nullopt where the data
/// lie differently. `transposable`: whether there is a transposed form for these elements.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &map, unsigned elementBits,
                                             bool transposable);

/// Wavefronts of a warp that moves a tensor so: each matrix is one, or more where rows of it lie in
/// the same banks.
int64_t countMatrixWavefronts(const LinearLayout &map, const MatrixAccess &access,
                              unsigned elementBits);

} // namespace gluonc::layout
