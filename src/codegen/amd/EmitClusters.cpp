//===- EmitClusters.cpp - Barriers of the workgroups of a cluster ---------------------===//
//
// The barrier counts workgroups: the waves that come meet, and one arrives for all. LDS of other
// workgroups cannot be accessed, so there is nothing else to it.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/AmdIsa.h"
#include "codegen/core/Emitter.h"
#include "ir/amdg/AmdOps.h"
#include "target/amd/Barriers.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

LogicalResult emitArrive(Emitter &emitter, amdg::ClusterBarrierArriveOp) {
  Builder &builder = emitter.builder;
  emitter.threads.barrier(/*global=*/true);
  fence(builder, AtomicOrdering::Release, "cluster", /*global=*/true);
  Value *isFirst = builder.CreateICmpEQ(emitter.threads.warpId(), builder.getInt32(0));
  underMask(builder, isFirst, {}, [&] {
    builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier_signal,
                            {builder.getInt32(target::amd::clusterBarrier)});
    return Registers();
  });
  return success();
}

LogicalResult emitWait(Emitter &emitter, amdg::ClusterBarrierWaitOp) {
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier_wait,
                          {builder.getInt16(target::amd::clusterBarrier)});
  fence(builder, AtomicOrdering::Acquire, "cluster", /*global=*/true);
  return success();
}

} // namespace

void addClusters(EmitTable &table) {
  table.add<emitArrive>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen::amd
