#include "codegen/amd/ReleaseWaits.h"

#include "target/amd/Chips.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

AtomicOrdering withoutRelease(AtomicOrdering order) {
  return order == AtomicOrdering::Release ? AtomicOrdering::Monotonic : AtomicOrdering::Acquire;
}

/// Puts a fence in front of an atomic that releases, and takes that from it.
void split(Instruction &instruction) {
  auto apart = [&](AtomicOrdering order, SyncScope::ID scope) {
    IRBuilder<>(&instruction).CreateFence(AtomicOrdering::Release, scope);
    return withoutRelease(order);
  };
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction);
      update && isReleaseOrStronger(update->getOrdering()))
    update->setOrdering(apart(update->getOrdering(), update->getSyncScopeID()));
  if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction);
      swap && isReleaseOrStronger(swap->getSuccessOrdering()))
    swap->setSuccessOrdering(apart(swap->getSuccessOrdering(), swap->getSyncScopeID()));
  if (auto *store = dyn_cast<StoreInst>(&instruction);
      store && isReleaseOrStronger(store->getOrdering())) {
    apart(store->getOrdering(), store->getSyncScopeID());
    store->setOrdering(AtomicOrdering::Monotonic);
  }
}

void call(IRBuilder<> &builder, Intrinsic::ID wait, Value *operand) {
  builder.CreateIntrinsic(builder.getVoidTy(), wait, {operand});
}

/// What is said of other counters is that they may hold what they can.
void wait(IRBuilder<> &builder, const target::Target &target, bool global) {
  using target::amd::Family;
  switch (target.amdChip()->family) {
  case Family::Cdna3:
  case Family::Cdna4:
    return call(builder, Intrinsic::amdgcn_s_waitcnt, builder.getInt32(global ? 0x0070 : 0xc07f));
  case Family::Rdna3:
    call(builder, Intrinsic::amdgcn_s_waitcnt, builder.getInt32(global ? 0x0007 : 0xfc07));
    // Stores have a counter of their own, which no intrinsic names.
    if (global)
      builder.CreateCall(InlineAsm::get(FunctionType::get(builder.getVoidTy(), false),
                                        "s_waitcnt_vscnt null, 0x0", "~{memory}",
                                        /*hasSideEffects=*/true));
    return;
  case Family::Rdna4:
  case Family::Cdna5:
    if (global) {
      call(builder, Intrinsic::amdgcn_s_wait_loadcnt, builder.getInt16(0));
      call(builder, Intrinsic::amdgcn_s_wait_storecnt, builder.getInt16(0));
    }
    return call(builder, Intrinsic::amdgcn_s_wait_dscnt, builder.getInt16(0));
  }
}

} // namespace

void waitAtReleases(Module &module, const target::Target &target) {
  SyncScope::ID wave = module.getContext().getOrInsertSyncScopeID("wavefront");
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function))
      split(instruction);
    SmallVector<FenceInst *> releases;
    for (Instruction &instruction : instructions(function))
      if (auto *fence = dyn_cast<FenceInst>(&instruction);
          fence && isReleaseOrStronger(fence->getOrdering()) && fence->getSyncScopeID() != wave)
        releases.push_back(fence);
    for (FenceInst *fence : releases) {
      IRBuilder<> builder(fence->getNextNode());
      wait(builder, target, !fence->hasMetadata(LLVMContext::MD_mmra));
    }
  }
}

} // namespace gluonc::codegen::amd
