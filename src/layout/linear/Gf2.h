//===- Gf2.h - Spans of bit vectors ----------------------------------------===//
//
// The one elimination routine that everything in this room is built on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/bit.h"

#include <array>
#include <cstdint>

namespace gluonc::layout {

/// A growing span of vectors over the two-element field, at most 64 components, which remembers for
/// each vector how it is made of those inserted.
class Gf2Span {
public:
  struct Reduced {
    /// What is left of the vector: 0 exactly if it lies in the span.
    uint64_t rest;
    /// XOR of the tags of the inserted vectors that were subtracted.
    uint64_t combination;
  };

  Reduced reduce(uint64_t vector) const {
    Reduced result{vector, 0};
    // Rows are in echelon form by leading bit: one pass from the top is enough.
    for (uint64_t open = vector & pivots; open;) {
      unsigned pivot = leading(open);
      result.rest ^= rows[pivot];
      result.combination ^= tags[pivot];
      open = result.rest & pivots & ((uint64_t{1} << pivot) - 1);
    }
    return result;
  }

  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }

  /// Returns whether the vector was new to the span; otherwise nothing changes.
  bool insert(uint64_t vector, uint64_t tag = 0) {
    Reduced reduced = reduce(vector);
    if (!reduced.rest)
      return false;
    unsigned pivot = leading(reduced.rest);
    rows[pivot] = reduced.rest;
    tags[pivot] = tag ^ reduced.combination;
    pivots |= uint64_t{1} << pivot;
    return true;
  }

  unsigned dimension() const { return llvm::popcount(pivots); }

private:
  static unsigned leading(uint64_t vector) { return 63 - llvm::countl_zero(vector); }

  // Only rows with their bit in `pivots` are ever read, so nothing is cleared.
  std::array<uint64_t, 64> rows;
  std::array<uint64_t, 64> tags;
  uint64_t pivots = 0;
};

} // namespace gluonc::layout
