//===- BankPhases.h - What banks are asked for -------------------------------===//
//
// An access of a warp to shared memory runs in phases of consecutive lanes
// (lanesPerPhase in Conversion.h); each phase takes as many wavefronts as its
// busiest bank is asked for different words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/plan/Vectorize.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace gluonc::layout {

struct SharedPhase {
  /// Which of the vectors of registers moves, and the first of the lanes that move theirs.
  unsigned access;
  int64_t firstLane, wordsPerLane;
  /// Words of 4 bytes, those of one lane after those of another.
  llvm::SmallVector<int64_t, 32> words;
};

/// The phases of warp 0's accesses by `vectors`, in order. `physical` maps logical to physical
/// element offsets (padding); elements have 8 bits or more.
std::vector<SharedPhase> phasesOf(const LinearLayout &map, const RegisterVectors &vectors,
                                  unsigned elementBits,
                                  llvm::function_ref<int64_t(int64_t)> physical = {});

} // namespace gluonc::layout
