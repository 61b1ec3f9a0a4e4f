//===- Fragment.h - Registers by the coordinates of their elements ------------===//
//
// Tensor-core layouts put into a thread exactly the registers that the
// instructions want of it. Which register is which operand is found by the
// coordinates that it has in thread 0; what another thread adds to these is the
// same for all registers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

#include <map>

namespace gluonc::codegen {

/// Batch (0 without that dim), row and column.
struct Place {
  uint32_t batch = 0, row = 0, column = 0;
  auto operator<=>(const Place &) const = default;
};

class Fragment {
public:
  Fragment(Emitter &emitter, mlir::Value tensor);

  /// The register of a place; nullopt if this thread does not hold it.
  std::optional<uint32_t> find(Place place) const;
  /// `count` elements along the row (or column) as one word of type `word`; null if they are not
  /// all there.
  llvm::Value *word(Builder &builder, Place place, unsigned count, llvm::Type *word,
                    bool alongRows = false) const;
  /// What a bit of lane or warp adds to a coordinate, counted from the last dim: 0 is the column.
  uint32_t basis(layout::Dim in, unsigned bit, unsigned fromLast) const;

  const layout::LinearLayout &layout;
  const Registers &registers;
  const std::map<Place, uint32_t> &places() const { return byPlace; }
  /// The columns of the registers, ascending.
  llvm::SmallVector<uint32_t> columns() const;

private:
  uint32_t coordinate(uint32_t reg, unsigned fromLast) const;

  unsigned rank;
  std::map<Place, uint32_t> byPlace;
};

} // namespace gluonc::codegen
