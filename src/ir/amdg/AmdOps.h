//===- AmdOps.h - The operations of the amdg dialect --------------------------===//
//
// Operations of AMD's chips. Not part of Dialects.h: few files need them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include "ir/AMDGDialect.h.inc"
#include "ir/ROCDLDialect.h.inc"
#include "ir/ROCDLEnums.h.inc"

namespace gluonc::amdg {

/// What prefetches change.
struct Cache : mlir::SideEffects::Resource::Base<Cache> {
  llvm::StringRef getName() final { return "<Cache>"; }
};

/// Whether the module around an operation is for an AMD chip.
bool isForAmd(mlir::Operation *op);
/// The pointer to the elements of a tensor.
mlir::Type bufferPointer(mlir::Type values);
/// i32 in the shape and encoding of a tensor.
mlir::Type bufferOffsets(mlir::Type values);

/// Of a `ttg.local_load`: no copy to the buffer is under way, for a wait stands before it.
inline constexpr llvm::StringLiteral syncedByWaitAttr = "ttg.amdg.syncedViaAsyncWait";

} // namespace gluonc::amdg

namespace gluonc::rocdl {

/// Of a `rocdl.sched.barrier` that ends a stage of a warp pipeline: the name of the stage, and the
/// priority of warps in it.
inline constexpr llvm::StringLiteral borderAttr = "triton.warp_pipeline.border";
inline constexpr llvm::StringLiteral priorityAttr = "triton.warp_pipeline.priority";
/// Of a `rocdl.sched.barrier` where a stage begins: its name.
inline constexpr llvm::StringLiteral stageAttr = "triton.warp_pipeline.stage";
/// Of a loop in stages.
inline constexpr llvm::StringLiteral pipelinedAttr = "triton.warp_pipeline.pipelined_for";
/// Of a barrier between stages.
inline constexpr llvm::StringLiteral boundaryAttr = "triton.warp_pipeline.boundary";
/// Warps that are one stage ahead of the others: one for each SIMD of a compute unit.
inline constexpr unsigned earlyWarps = 4;

} // namespace gluonc::rocdl

#define GET_OP_CLASSES
#include "ir/AMDGOps.h.inc"
#define GET_OP_CLASSES
#include "ir/ROCDLOps.h.inc"
