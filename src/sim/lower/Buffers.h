//===- Buffers.h - Operands of accesses by base and offset ----------------------===//
#pragma once

#include "sim/machine/GlobalAccess.h"

namespace gluonc::sim {

/// Addresses and mask of an access to a buffer (AMD). The mask, which is false behind the end of
/// the buffer, too, is always there.
llvm::SmallVector<Slot, 4> bufferOperands(Lowering &lowering, AccessData &data, mlir::Value base,
                                          mlir::Value offsets, mlir::Value mask);
/// What elements become that are not read: `other`, but zero behind the end.
Slot bufferOther(Lowering &lowering, mlir::Value mask, mlir::Value other, ElementKind kind);

} // namespace gluonc::sim
