//===- MoverShares.h - How waves share the tensor mover's work ---------------------===//
//
// Each wave moves one piece of a block by an instruction of its own. Pieces are runs of the
// block in memory, so the outermost dims are cut first, each as far as it goes:
//
//     block 64 x 32, 4 waves:  16 x 32 each        block 2 x 64, 8 waves:  1 x 16 each
//
// The bits of a wave's number that choose the piece are the lowest ones, or those that a
// hint lets vary; waves in which others differ have nothing to do.
//
// Memory in partitions cuts the block before that, and where it has more parts than there
// are waves, each moves several of them in turn.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace gluonc::codegen::amd {

struct MoverShares {
  /// By dim.
  using Place = llvm::SmallVector<uint32_t, 5>;

  layout::Ints piece;
  /// By bit of the wave's number: what it adds to the place of its piece.
  llvm::SmallVector<Place, 5> places;
  /// The same of each turn.
  llvm::SmallVector<Place, 1> turns;
  /// Waves that take part have these bits of their number as in `first`.
  uint32_t fixedBits = 0, first = 0;
};

/// The bits of their numbers in which the waves of a hint differ.
uint32_t varyingBits(uint32_t hint);

/// Parts that memory has for itself, along a dim.
struct MemoryParts {
  unsigned dim = 0;
  int64_t count = 1;
};

/// How so many waves share a block, or those that `hint` names.
MoverShares shareBlock(llvm::ArrayRef<int64_t> block, unsigned waves, std::optional<uint32_t> hint,
                       MemoryParts parts = {});

} // namespace gluonc::codegen::amd
