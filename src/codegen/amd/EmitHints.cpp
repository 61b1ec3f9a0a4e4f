//===- EmitHints.cpp - What the scheduler may not move, and stages of warps -----------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/AmdIsa.h"
#include "codegen/core/Emitter.h"
#include "ir/amdg/AmdOps.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

LogicalResult emitSchedBarrier(Emitter &emitter, rocdl::SchedBarrierOp op) {
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_sched_barrier,
                          {builder.getInt32(uint32_t(op.getMask()))});
  return success();
}

/// Loads may end behind it, but none moves across it: another stage would do them.
void emitMeeting(Builder &builder) {
  fence(builder, AtomicOrdering::AcquireRelease, "wavefront", /*global=*/true);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
  fence(builder, AtomicOrdering::AcquireRelease, "wavefront", /*global=*/true);
}

LogicalResult emitSBarrier(Emitter &emitter, rocdl::SBarrierOp) {
  emitMeeting(emitter.builder);
  return success();
}

LogicalResult emitHalfBarrier(Emitter &emitter, amdg::HalfBarrierOp op) {
  Builder &builder = emitter.builder;
  CmpInst::Predicate isOfHalf = op.getLate() ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULT;
  Value *meets =
      builder.CreateICmp(isOfHalf, emitter.threads.warpId(), builder.getInt32(rocdl::earlyWarps));
  underMask(builder, meets, {}, [&] {
    emitMeeting(builder);
    return Registers();
  });
  return success();
}

LogicalResult emitSetPrio(Emitter &emitter, rocdl::SetPrioOp op) {
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_setprio,
                          {builder.getInt16(op.getPriority())});
  return success();
}

} // namespace

void addHints(EmitTable &table) {
  table.add<emitSchedBarrier>();
  table.add<emitSBarrier>();
  table.add<emitHalfBarrier>();
  table.add<emitSetPrio>();
}

} // namespace gluonc::codegen::amd
