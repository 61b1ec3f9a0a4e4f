//===- WaveTiles.h - Sums of a wave, tile by tile ------------------------------------===//
//
// The layouts of operands and sums put into each lane exactly the registers that an
// instruction wants of it. Which register is which operand is found by the coordinates
// that it has in lane 0; the other lanes' differ by the same amounts for all registers.
//
// A transposed layout is the product of the transposed operands, in exchanged places.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/amd/MatrixInstructions.h"
#include "codegen/core/Fragment.h"

namespace gluonc::codegen::amd {

/// What the layouts of both families say.
struct MatrixLayout {
  Family family;
  int64_t version;
  bool transposed;
  unsigned rows, columns;
  /// What the layout says that an instruction adds up.
  unsigned depth;

  /// Nullopt where `type` is not in the layout of sums of a matrix core.
  static std::optional<MatrixLayout> of(mlir::Type type);
};

/// An operand as the instruction takes it.
struct WaveOperand {
  Fragment fragment;
  /// The dim of K, counted from the last.
  unsigned kDim;
  /// What lane 0 holds of K in its first row (or column), ascending.
  llvm::SmallVector<uint32_t> alongK;

  WaveOperand(Emitter &emitter, mlir::Value tensor, unsigned kDim, const MatrixLayout &layout);
  /// The coordinate of `place` that is not K.
  uint32_t line(const Place &place) const { return kDim == 0 ? place.row : place.column; }
  /// `count` elements along K for the sums at `place`, from the one numbered `first`; nullopt where
  /// they are not there.
  std::optional<Registers> elements(Place place, unsigned first, unsigned count) const;

private:
  /// Where K is shorter than what the lanes have places for, some hold what others do: zero there.
  Registers registers;
};

struct WaveTiles {
  MatrixLayout layout;
  /// What the instruction takes as A and B.
  WaveOperand left, right;
  Fragment sums;
  /// Of the sums: columns, rows.
  uint32_t extents[2];

  WaveTiles(Emitter &emitter, const MatrixLayout &layout, mlir::Value a, mlir::Value b,
            mlir::Value sum);

  /// The lanes of A and B lie along rows and columns as those of sums do. Where a tensor is smaller
  /// than an instruction's tile, lanes and registers behind its end hold what those at its begin
  /// do.
  bool linesAgree() const;
  /// The sums after `multiply`, which takes the place of a tile's first element and the tile as a
  /// vector, and gives it plus the product; null where it cannot. `bases` say how the elements of a
  /// tile lie in lane 0 along the dim that registers run over (rows, unless transposed), lowest bit
  /// first.
  std::optional<Registers>
  multiply(Builder &builder, llvm::ArrayRef<uint32_t> bases,
           llvm::function_ref<llvm::Value *(const Place &, llvm::Value *)> multiply) const;
};

} // namespace gluonc::codegen::amd
