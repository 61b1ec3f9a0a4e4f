//===- Scan.h - Planning of a running combination along one dim ------------===//
//
// Blocks of 2^b elements are scanned already; to scan blocks of 2^(b+1), every
// element of the upper half takes in the last element of the lower one:
//
//     b = 1    [0 1] [2 3]   2 and 3 take in 1
//
// So each bit of the axis is one step, and whichever bit of register or lane
// holds it says how far the value travels. From the first bit that a warp holds
// the totals of the blocks go through shared memory, all at once: every thread
// combines those before its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::layout {

struct ScanPlan {
  /// One bit of the axis that lies in a register bit or lane bit.
  struct Step {
    bool inLane;
    /// The bit itself, and the register and lane bits of all lower bits of the axis, as masks.
    uint32_t bit, lowRegisters, lowLanes;
  };
  llvm::SmallVector<Step, 10> steps;
  /// Register and lane bits that the steps covered.
  uint32_t lowRegisters = 0, lowLanes = 0;
  /// log2 of the blocks along the axis that shared memory brings together; 0: none.
  unsigned slotLog2 = 0;
  unsigned positionLog2 = 0;
  /// Of each register: a number for its coordinates across the axis, and the number of its block,
  /// without what the thread adds. In scratch, blocks lie one behind another, each by position;
  /// positions are numbered so that the lanes of a warp take different banks.
  llvm::SmallVector<uint32_t, 16> positions, slots;
  /// The same of the lane bits and then the warp bits.
  llvm::SmallVector<uint32_t, 10> positionImages, slotImages;

  /// Bytes of scratch of one operand; a multiple of 16. 0 without slots.
  int64_t scratchBytes(int64_t elementBytes) const;
};

/// `source` without zero register bases. Nullopt where some bit of the axis is not one bit of
/// register, lane or warp, and that bit alone.
std::optional<ScanPlan> planScan(const LinearLayout &source, unsigned axis);

} // namespace gluonc::layout
