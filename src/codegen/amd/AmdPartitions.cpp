//===- AmdPartitions.cpp - Barriers of some waves ----------------------------------------===//
//
// gfx1250 has 16 barriers by number. A wave belongs to the one that it joined last, and each that
// arrives says how many are to come.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "codegen/core/Workers.h"
#include "target/amd/Barriers.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// The barrier of a group of warps: that of the default ones is the first.
Constant *barrierOf(Builder &builder, unsigned id) {
  Module &module = *builder.GetInsertBlock()->getModule();
  Type *barrier = TargetExtType::get(module.getContext(), "amdgcn.named.barrier", {}, {0});
  Type *type = ArrayType::get(barrier, target::amd::namedBarriers);
  GlobalVariable *barriers = module.getNamedGlobal("barriers");
  if (!barriers)
    barriers = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                  PoisonValue::get(type), "barriers", nullptr,
                                  GlobalValue::NotThreadLocal, SharedSpace);
  unsigned index = id < firstPartitionBarrier ? 0 : id - firstPartitionBarrier + 1;
  return ConstantExpr::getGetElementPtr(
      type, barriers, ArrayRef<Constant *>{builder.getInt32(0), builder.getInt32(index)});
}

} // namespace

void AmdIsa::joinGroup(Builder &builder, unsigned id) const {
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier_join,
                          {barrierOf(builder, id)});
}

void AmdIsa::groupBarrier(Builder &builder, unsigned id, unsigned threads, bool global) const {
  fence(builder, AtomicOrdering::Release, "workgroup", global);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier_signal_var,
                          {barrierOf(builder, id), builder.getInt32(threads / target.warpSize())});
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier_wait,
                          {builder.getInt16(target::amd::joinedBarrier)});
  fence(builder, AtomicOrdering::Acquire, "workgroup", global);
}

void AmdIsa::workersBarrier(Builder &builder, unsigned, unsigned) const {
  ctaBarrier(builder, /*global=*/true);
}

} // namespace gluonc::codegen::amd
