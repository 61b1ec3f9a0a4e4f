//===- Atomic.h - Atomics on the elements of a tensor -----------------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::codegen {

AtomicKind kindOf(tt::RMWOp op);
/// Without a mask.
AtomicForm formOf(tt::MemSemantic order, tt::MemSyncScope scope);

/// Updates each element of a tensor (or scalar) of `type` once, whatever copies of it there are,
/// and sets the result of `op`. `update` makes the atomic of one register; null for what the chip
/// lacks.
mlir::LogicalResult
emitAtomic(Emitter &emitter, mlir::Operation *op, mlir::Type type, mlir::Value mask,
           AtomicForm form, llvm::function_ref<llvm::Value *(size_t, const AtomicForm &)> update);

} // namespace gluonc::codegen
