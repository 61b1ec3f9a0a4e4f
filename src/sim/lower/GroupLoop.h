//===- GroupLoop.h - Scalar code for the elements of tiles ---------------------===//
//
// A region of scalar code becomes a loop over groups of `pack` elements: the group's
// elements go to scalar slots, the region runs on them as if it were a kernel's own
// code (with its branches), its results go back into the tiles.
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

} // namespace gluonc::sim
