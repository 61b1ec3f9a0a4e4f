//===- Positions.h - Which element a register of a thread holds ---------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace gluonc::sim {

/// Row-major position of the element of a tile of this shape at a packed place, which
/// `LinearLayout::applyPacked` gives.
inline uint32_t positionOf(const layout::LinearLayout &layout, llvm::ArrayRef<int64_t> shape,
                           uint64_t packed) {
  uint32_t position = 0;
  for (auto [dim, size] : llvm::enumerate(shape))
    position =
        position * uint32_t(size) + layout.outComponent(packed, layout::Dim::axis(unsigned(dim)));
  return position;
}

} // namespace gluonc::sim
