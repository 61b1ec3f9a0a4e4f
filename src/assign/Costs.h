//===- Costs.h - What conversions and computing again cost ---------------------===//
//
// In one unit, of bytes that pass through an arithmetic instruction. What is in loops
// counts more. Only comparisons matter.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/Settle.h"

namespace gluonc::assign {

class Costs {
public:
  /// Of converting a tensor of `type` where `place` is; 0 if only registers take part.
  int64_t ofConversion(mlir::RankedTensorType type, mlir::Attribute to, mlir::Operation *place);

  /// Of an operation with these results in place of its own, or beside them if those are still
  /// used. Nullopt: it cannot be made again.
  std::optional<int64_t> ofAgain(mlir::Operation *op, mlir::Attribute result, bool isStillUsed);

  /// Says that what this load gives will lie in shared memory: to read it in any layout costs
  /// nothing more.
  void readInAnyLayout(mlir::Operation *load) { copied.insert(load); }

private:
  int64_t planned(mlir::RankedTensorType from, mlir::RankedTensorType to);

  llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, int64_t> known;
  llvm::DenseSet<mlir::Operation *> copied;
};

/// 32-bit registers that a thread holds of it.
int64_t registersOf(mlir::RankedTensorType type);

/// The operation that `value` begins at: its own, or the first of its block.
mlir::Operation *placeOf(mlir::Value value);

} // namespace gluonc::assign
