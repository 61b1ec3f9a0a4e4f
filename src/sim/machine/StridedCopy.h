//===- StridedCopy.h - Moving boxes of elements between tiles ---------------===//
//
// Broadcast, transpose, join, split and the steps of reductions are one thing: a
// box of elements read with some strides and written with others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/lower/Lowering.h"

namespace gluonc::sim {

/// A box in row-major order; offsets and strides count elements. A source stride of 0
/// repeats.
struct StridedBox {
  llvm::SmallVector<uint32_t, 4> sizes;
  llvm::SmallVector<uint32_t, 4> sourceStrides;
  llvm::SmallVector<uint32_t, 4> targetStrides;
  uint32_t sourceOffset = 0;
  uint32_t targetOffset = 0;
};

/// Strides of a dense row-major tile.
llvm::SmallVector<uint32_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

void emitStridedCopy(Lowering &lowering, Slot source, Slot target, ElementKind kind,
                     StridedBox box);

} // namespace gluonc::sim
