//===- GlobalVectors.h - Which registers move together to and from global memory -----===//
//
// An access moves as many elements as are certain to be neighbours, aligned to
// their total size, under one mask bit, and held by one thread:
//
//   vector = min( registers of the thread that are consecutive,
//                 contiguity and divisibility of the addresses (AxisInfo),
//                 constancy of the mask,
//                 128 bits )
//
// all along the fastest dim of the addresses' layout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "layout/plan/Vectorize.h"

namespace gluonc::codegen {

/// The registers of a tensor in vectors. `run` tells of how many elements along an axis the
/// addresses allow in one access.
layout::RegisterVectors globalVectors(Emitter &emitter, mlir::RankedTensorType type, unsigned bytes,
                                      mlir::Value mask,
                                      llvm::function_ref<int64_t(unsigned axis)> run);

/// The mask of the vector that begins with register `reg`; null where it is known to be true.
llvm::Value *vectorMask(Emitter &emitter, mlir::Value mask, uint32_t reg);

Registers selectRegisters(const Registers &registers, llvm::ArrayRef<uint32_t> which);

} // namespace gluonc::codegen
