//===- EmitHints.cpp - What the scheduler may not move --------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/core/Emitter.h"
#include "ir/amdg/AmdOps.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// Stages of a pipeline are kept apart; the two halves of the waves do not take turns.
LogicalResult emitSchedBarrier(Emitter &emitter, rocdl::SchedBarrierOp op) {
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                          {builder.getInt32(uint32_t(op.getMask()))});
  return success();
}

} // namespace

void addHints(EmitTable &table) { table.add<emitSchedBarrier>(); }

} // namespace gluonc::codegen::amd
