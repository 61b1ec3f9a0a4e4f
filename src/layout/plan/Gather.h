//===- Gather.h - Planning of a gather along one dim ------------------------===//
//
// result[.., i, ..] = source[.., index, ..]: every thread knows its own indices
// only when the program runs. But where the axis of the source lies within a
// warp, and the warp that wants an element has it, the lane and the register
// that hold it are linear in the index:
//
//   lane     = lane part of the thread  ^ lane part of the register ^ A(index)
//   register = the same with registers
//
// So one shuffle per register that may be meant brings it, and selects pick.
// All else goes through shared memory: of this CTA where it holds all that its
// threads may mean, else of whichever CTA of the cluster holds the element. Its
// number is linear in the coordinates, too.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::layout {

struct WarpGatherPlan {
  /// What each result register adds to the lane and the register to read.
  llvm::SmallVector<uint32_t, 16> lanes, registers;
  /// What the bits of the thread's lane, warp and CTA add.
  llvm::SmallVector<uint32_t, 10> laneImages, registerImages;
  /// What the bits of the index add.
  llvm::SmallVector<uint32_t, 10> indexLanes, indexRegisters;
  /// The registers that a read may mean, XOR the register's own part.
  llvm::SmallVector<uint32_t, 8> candidates;
};

/// Both layouts without zero register bases. Nullopt where elements come from other warps, or
/// where more than `maxShuffles` shuffles would be needed.
std::optional<WarpGatherPlan> planWarpGather(const LinearLayout &source, const LinearLayout &result,
                                             unsigned axis, unsigned maxShuffles = 64);

/// The CTA that holds an element of `source`, the lowest of several: what each bit of the packed
/// coordinates adds to its number.
llvm::SmallVector<uint32_t, 20> holderImages(const LinearLayout &source);

/// The packed coordinates in `source` of an element of `result`, 0 along `axis`.
uint32_t gatherPlace(const LinearLayout &source, const LinearLayout &result, uint64_t packed,
                     unsigned axis);

/// Whether each CTA holds all elements that its part of the result may mean.
bool gatherStaysInCta(const LinearLayout &source, const LinearLayout &result, unsigned axis);

} // namespace gluonc::layout
