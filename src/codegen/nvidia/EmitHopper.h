//===- EmitHopper.h - Emitters of NVIDIA's asynchronous operations ----------------===//
#pragma once

#include "codegen/Emitter.h"

namespace gluonc::codegen::nvidia {

void addBarriers(EmitTable &table);
void addTma(EmitTable &table);

/// A fragment of PTX that keeps its place among all accesses to memory.
void emitOrdered(Emitter &emitter, const llvm::Twine &text, llvm::ArrayRef<llvm::Value *> operands);
/// The address of a barrier object in shared memory.
llvm::Value *barrierAddress(Emitter &emitter, mlir::Value barrier);

} // namespace gluonc::codegen::nvidia
