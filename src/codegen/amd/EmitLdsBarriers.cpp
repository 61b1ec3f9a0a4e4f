//===- EmitLdsBarriers.cpp - Barriers in LDS that count arrivals ----------------------===//
//
// A barrier is a word of 64 bits: arrivals that are still to come less one in bits 0 to 28, the
// phase, which counts down, in bits 29 to 31, and the number that a phase begins with from bit 32.
// An arrival that finds zero ends the phase. Sources: the ISA document of gfx1250, "LDS barriers";
// LLVM's IntrinsicsAMDGPU.td.
//
//===----------------------------------------------------------------------===//
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

constexpr unsigned phaseBit = 29, initialBit = 32;

Value *parityOf(Builder &builder, Value *state) {
  Value *phase = builder.CreateTrunc(builder.CreateLShr(state, phaseBit), builder.getInt32Ty());
  return builder.CreateAnd(phase, 1);
}

/// By one thread; all see it.
LogicalResult emitInit(Emitter &emitter, amdg::InitBarrierOp op) {
  Builder &builder = emitter.builder;
  uint64_t arrivals = op.getCount() - 1;
  underMask(builder, emitter.threads.isFirst(Among::Cta), {}, [&] {
    builder.CreateStore(builder.getInt64(arrivals | arrivals << initialBit),
                        emitter.get(op.getAlloc())[0]);
    return Registers();
  });
  emitter.threads.barrier();
  return success();
}

/// Every lane arrives, behind what it did before.
LogicalResult emitArrive(Emitter &emitter, amdg::ArriveBarrierOp op) {
  Builder &builder = emitter.builder;
  fence(builder, AtomicOrdering::Release, "workgroup", /*global=*/true);
  Value *before = builder.CreateIntrinsic(
      builder.getInt64Ty(), Intrinsic::amdgcn_ds_atomic_barrier_arrive_rtn_b64,
      {emitter.get(op.getAlloc())[0], builder.getInt64(op.getCount())});
  emitter.set(op.getPriorPhase(), {parityOf(builder, before)});
  return success();
}

LogicalResult emitArriveByCopies(Emitter &emitter, amdg::AsyncCopyMbarrierArriveOp op) {
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_ds_atomic_async_barrier_arrive_b64,
                          {emitter.get(op.getBarrier())[0]});
  return success();
}

/// Nothing wakes a wave: it asks again and again.
LogicalResult emitWait(Emitter &emitter, amdg::WaitBarrierOp op) {
  Builder &builder = emitter.builder;
  BasicBlock *asking = emitter.blocks.create("ask"), *after = emitter.blocks.create("over");
  Value *phase = builder.CreateAnd(emitter.scalar(op.getPhase()), 1);
  builder.CreateBr(asking);
  emitter.blocks.start(asking);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_sleep, {builder.getInt32(1)});
  LoadInst *state =
      builder.CreateAlignedLoad(builder.getInt64Ty(), emitter.get(op.getAlloc())[0], Align(8));
  state->setAtomic(AtomicOrdering::Monotonic,
                   builder.getContext().getOrInsertSyncScopeID("workgroup"));
  builder.CreateCondBr(builder.CreateICmpEQ(parityOf(builder, state), phase), asking, after);
  emitter.blocks.start(after);
  fence(builder, AtomicOrdering::Acquire, "workgroup", /*global=*/true);
  return success();
}

} // namespace

void addLdsBarriers(EmitTable &table) {
  table.add<emitInit>();
  table.add<emitArrive>();
  table.add<emitArriveByCopies>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen::amd
