//===- EmitHopper.h - Emitters of NVIDIA's asynchronous operations ----------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen::nvidia {

void addBarriers(EmitTable &table);
/// Fences and barriers that the copy engine takes part in, as of sm_90; so are the next two.
void addAsyncBarriers(EmitTable &table);
void addTma(EmitTable &table);
void addDescriptors(EmitTable &table);
/// Of sm_100.
void addPackedArith(EmitTable &table);
void addLaunchControl(EmitTable &table);

/// Products of tensor memory, commits and copies to it.
void addTensorProducts(EmitTable &table);

/// A fragment of PTX that keeps its place among all accesses to memory.
void emitOrdered(Emitter &emitter, const llvm::Twine &text, llvm::ArrayRef<llvm::Value *> operands);
/// The address of the barrier object in this CTA's shared memory.
llvm::Value *barrierAddress(Emitter &emitter, mlir::Value barrier);
/// The bits of the CTA's number in which CTAs differ that have one barrier, or one part of a
/// buffer, in common. A barrier lies in the least of them; each has a copy of a buffer.
uint32_t ctasInCommon(mlir::Value buffer);
/// The CTAs that differ from CTA 0 in those bits alone, as a set: 0b10 -> 0b101.
uint32_t setOfCtas(uint32_t ctas);
/// Whether this CTA has those bits at 0; null where `ctas` is 0.
llvm::Value *isLeast(Emitter &emitter, uint32_t ctas);

} // namespace gluonc::codegen::nvidia
