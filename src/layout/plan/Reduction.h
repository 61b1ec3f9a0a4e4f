//===- Reduction.h - Planning of a reduction along one dim ------------------===//
//
// Problem: combine all elements that differ only along `axis`, wherever the
// layout put them. The elements of one result ("position") form a space of axis
// values, and each level of the machine reaches a part of it:
//
//   registers   elements of one thread with the same position
//   lanes       XORs of the lane that leave the position alone: butterflies
//   CTAs        XORs of the CTA's number that leave the position alone: partial
//               results meet through the cluster's shared memory, at the end
//   the rest    through shared memory, one slot per coset that is left over
//
// The parts are chosen independent of each other by elimination, so copies
// (zero or repeated bases) are never counted twice, and a layout that mixes the
// axis with others in any way is just one that leaves more to shared memory.
//
//     source 128 along axis 0, register 2, lane 32, warp 2:
//     groups {0 1}, laneXors {1 2 4 8 16}, slotLog2 = 1
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::layout {

/// Numbers positions anew so that neighbouring lanes have neighbouring ones, and so other banks of
/// shared memory. Linear.
class LanesFirst {
public:
  /// `laneImages`: the position that each bit of the lane adds.
  LanesFirst(llvm::ArrayRef<uint32_t> laneImages, unsigned positionLog2);
  uint32_t operator()(uint32_t position) const;

private:
  /// Which bit of a position comes lowest, and so on.
  llvm::SmallVector<unsigned, 12> order;
};

struct ReductionPlan {
  /// The registers of a thread that belong to one position, by rising axis value.
  struct Group {
    uint32_t position;
    /// Where the position's slots are, and which of them the group's partial result is, apart from
    /// what the thread adds.
    uint32_t place, slot;
    llvm::SmallVector<uint32_t, 8> registers;
  };
  llvm::SmallVector<Group, 8> groups;
  /// A butterfly step per entry: combine with lane ^ entry.
  llvm::SmallVector<uint32_t, 5> laneXors;
  /// Generators of the CTAs that share a position; what each has left is combined last. The CTA
  /// stores it at its places, behind all slots.
  llvm::SmallVector<uint32_t, 4> blockXors;
  /// log2 of the partial results that shared memory must bring together; 0: none.
  unsigned slotLog2 = 0;
  unsigned positionLog2 = 0;
  /// What the lane bits and then the warp bits add to places and to slots.
  llvm::SmallVector<uint32_t, 10> placeImages, slotImages;

  /// Slots that lie side by side, for one access: those of all places, then the next of all places.
  unsigned sideBySideLog2() const { return std::min(slotLog2, 2u); }
  /// In scratch, in elements. Linear.
  uint32_t offsetOf(uint32_t place, uint32_t slot) const {
    unsigned low = sideBySideLog2();
    return (slot & ((1u << low) - 1)) | place << low | slot >> low << (low + positionLog2);
  }

  /// Bytes of slots of one operand; a multiple of 16.
  int64_t slotBytes(int64_t elementBytes) const;
  /// With those that CTAs exchange, which lie behind them.
  int64_t scratchBytes(int64_t elementBytes) const;
};

/// `source` without zero register bases, as the registers in the plan are numbered. Nullopt where
/// a CTA's number moves the axis and other dims in ways that cannot be told apart.
std::optional<ReductionPlan> planReduction(const LinearLayout &source, unsigned axis);

/// The packed coordinates of `packed` (an output of `layout`) without those along `axis`.
uint32_t positionWithout(const LinearLayout &layout, uint64_t packed, unsigned axis);

} // namespace gluonc::layout
