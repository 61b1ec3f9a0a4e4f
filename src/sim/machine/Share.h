//===- Share.h - What each CTA of a cluster holds of a tile ------------------===//
//
// A tensor over a cluster is divided: the bits of an element's row-major number that
// its layout's `block` dim reaches, and nothing else does, tell the CTAs apart. A
// share is the tile without these bits, itself row-major, so that an operation on
// shares is the operation on a smaller tile:
//
//     4 x 8, CTAs over the upper half of columns:   number = r r C c c
//         share 4 x 4                               number = r r   c c
//         CTA 1 begins at                               0 0 1 0 0 = 4
//
// CTAs whose shares begin at the same element hold copies.
//
// Where the other bases are sums that reach these bits, too, a share is no box: the
// bits that it lacks then depend on those that it has. Operations that look at shapes
// are done on whole tiles for such.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Program.h"

#include <optional>

namespace gluonc::layout {
class LinearLayout;
} // namespace gluonc::layout

namespace gluonc::sim {

struct Share : OpData {
  llvm::SmallVector<int64_t, 4> shape;
  uint32_t elements = 1, wholeElements = 1;
  /// Bits of the number of an element of the tile that a share lacks.
  uint32_t split = 0;
  /// For each bit of the number of an element of a share the bits of `split` that it changes;
  /// empty for boxes.
  llvm::SmallVector<uint32_t, 16> skew;
  /// Elements from a multiple of this on, a power of two, that follow each other in the tile, too.
  uint32_t run = 1;
  /// For each CTA the number of its first element.
  llvm::SmallVector<uint32_t, 16> begins;
  /// Bits of a CTA's number in which CTAs differ whose parts one of them writes.
  uint32_t together = 0;

  /// The number in the tile of an element of a CTA's share.
  uint32_t toWhole(uint32_t element, uint32_t rank) const;
  /// The number in the share that begins at 0 of an element of the tile.
  uint32_t toShare(uint32_t whole) const;
  /// Whether no CTA before this one holds the same share, among those with its bits of `among`.
  bool isLeast(uint32_t rank, uint32_t among = 0) const;
  /// Whether all CTAs hold different shares.
  bool hasCopies() const;
  bool isBox() const { return skew.empty(); }
  /// Whether elements of one number lie in the same CTAs, at the same places of their shares.
  bool agreesWith(const Share &other) const {
    return split == other.split && begins == other.begins && skew == other.skew;
  }
};

/// The shares of a tile with this shape. The layout may be of fewer dims, the last ones, and
/// larger, where the tile is a window at its beginning. Nullopt where shares are no tiles, or
/// where the window leaves out some CTAs.
std::optional<Share> shareOf(llvm::ArrayRef<int64_t> shape, const layout::LinearLayout &linear,
                             uint32_t ctas);
/// The whole tile in every CTA.
Share wholeShare(llvm::ArrayRef<int64_t> shape, uint32_t ctas);

} // namespace gluonc::sim
