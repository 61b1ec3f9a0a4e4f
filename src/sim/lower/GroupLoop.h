//===- GroupLoop.h - Scalar code for the elements of tiles ---------------------===//
//
// A region of scalar code runs on all elements at once where none of its operations cares: a
// scalar of it is as many elements then, and a tile of it as many tiles, of which those of one
// place follow each other (`Lowering::copies`).
//
// Elsewhere it becomes a loop over groups of `pack` elements: the group's elements go to scalar
// slots, the region runs on them as if it were a kernel's own code (with its branches), its results
// go back into the tiles.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/lower/Lowering.h"

namespace gluonc::sim {

/// Elements by group, `pack` each.
struct GroupData : OpData {
  uint32_t pack = 1, count = 1;
  std::vector<uint32_t> elements;
  /// Empty where groups are the elements in order.
  uint32_t element(uint32_t group, uint32_t position) const {
    return elements.empty() ? group * pack + position : elements[group * pack + position];
  }
};

/// Argument `i` of the body is element `i % pack` of the group in tile `i / pack`; what it yields
/// goes to `results` in the same way.
bool lowerGroups(Lowering &lowering, mlir::Block &body, const GroupData *groups,
                 llvm::ArrayRef<Slot> tiles, llvm::ArrayRef<Slot> results);

/// Runs the region once for each element of the operands, which have as many or are uniform, and
/// gives slots of `elements` elements each, which the caller must free.
bool lowerEachElement(Lowering &lowering, mlir::Block &block, llvm::ArrayRef<Slot> operands,
                      uint32_t elements, llvm::SmallVectorImpl<Slot> &results);

} // namespace gluonc::sim
