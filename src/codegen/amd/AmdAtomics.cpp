//===- AmdAtomics.cpp - Atomics, polling --------------------------------------===//
//
// LLVM's own atomic instructions, under a branch where masked. Scopes are those of
// LLVM's AMDGPU memory model: workgroup, agent (the GPU), and the system.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// The clock that polls are measured by.
constexpr uint64_t nanosecondsPerTick = 10;

AtomicOrdering orderingOf(AtomicOrder order) {
  switch (order) {
  case AtomicOrder::Relaxed:
    return AtomicOrdering::Monotonic;
  case AtomicOrder::Acquire:
    return AtomicOrdering::Acquire;
  case AtomicOrder::Release:
    return AtomicOrdering::Release;
  case AtomicOrder::AcquireRelease:
    return AtomicOrdering::AcquireRelease;
  }
}

/// What a load, or a store, can have of it.
AtomicOrdering loadOrdering(const AtomicForm &form) {
  return form.acquires() ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic;
}
AtomicOrdering storeOrdering(const AtomicForm &form) {
  return form.releases() ? AtomicOrdering::Release : AtomicOrdering::Monotonic;
}

SyncScope::ID scopeOf(Builder &builder, AtomicScope scope) {
  StringRef name = scope == AtomicScope::Cta      ? "workgroup"
                   : scope == AtomicScope::System ? ""
                                                  : "agent";
  return name.empty() ? SyncScope::ID(SyncScope::System)
                      : builder.getContext().getOrInsertSyncScopeID(name);
}

std::optional<AtomicRMWInst::BinOp> operationOf(AtomicKind kind, bool isFloat) {
  switch (kind) {
  case AtomicKind::And:
    return AtomicRMWInst::And;
  case AtomicKind::Or:
    return AtomicRMWInst::Or;
  case AtomicKind::Xor:
    return AtomicRMWInst::Xor;
  case AtomicKind::Add:
    return AtomicRMWInst::Add;
  case AtomicKind::FloatAdd:
    return AtomicRMWInst::FAdd;
  case AtomicKind::Max:
    return isFloat ? AtomicRMWInst::FMax : AtomicRMWInst::Max;
  case AtomicKind::Min:
    return isFloat ? AtomicRMWInst::FMin : AtomicRMWInst::Min;
  case AtomicKind::UnsignedMax:
    return AtomicRMWInst::UMax;
  case AtomicKind::UnsignedMin:
    return AtomicRMWInst::UMin;
  case AtomicKind::Exchange:
    return AtomicRMWInst::Xchg;
  }
}

unsigned bytesOf(Type *type) {
  return type->isPointerTy() ? 8 : type->getPrimitiveSizeInBits().getFixedValue() / 8;
}

/// Device memory that the host does not share page by page: there the hardware adds floats itself.
void allowHardware(Builder &builder, Instruction *update) {
  MDNode *yes = MDNode::get(builder.getContext(), {});
  for (StringRef name :
       {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory", "amdgpu.ignore.denormal.mode"})
    update->setMetadata(name, yes);
}

} // namespace

Value *AmdIsa::atomicUpdate(Builder &builder, AtomicKind kind, Value *pointer, Value *value,
                            const AtomicForm &form, bool) const {
  Type *type = value->getType();
  unsigned bytes = bytesOf(type);
  std::optional<AtomicRMWInst::BinOp> operation = operationOf(kind, type->isFloatingPointTy());
  if (!operation || (kind != AtomicKind::FloatAdd && bytes < 4))
    return nullptr;
  return underMask(builder, form.mask, {},
                   [&] {
                     AtomicRMWInst *update = builder.CreateAtomicRMW(
                         *operation, pointer, value, Align(bytes), orderingOf(form.order),
                         scopeOf(builder, form.scope));
                     if (type->isFloatingPointTy())
                       allowHardware(builder, update);
                     return Registers{update};
                   })
      .front();
}

Value *AmdIsa::atomicLoad(Builder &builder, Value *pointer, Type *type,
                          const AtomicForm &form) const {
  return underMask(builder, form.mask, {},
                   [&] {
                     LoadInst *load =
                         builder.CreateAlignedLoad(type, pointer, Align(bytesOf(type)));
                     load->setAtomic(loadOrdering(form), scopeOf(builder, form.scope));
                     return Registers{load};
                   })
      .front();
}

void AmdIsa::atomicStore(Builder &builder, Value *pointer, Value *value,
                         const AtomicForm &form) const {
  underMask(builder, form.mask, {}, [&] {
    StoreInst *store = builder.CreateAlignedStore(value, pointer, Align(bytesOf(value->getType())));
    store->setAtomic(storeOrdering(form), scopeOf(builder, form.scope));
    return Registers();
  });
}

Value *AmdIsa::atomicSwap(Builder &builder, Value *pointer, Value *expected, Value *desired,
                          const AtomicForm &form) const {
  Type *type = expected->getType();
  unsigned bytes = bytesOf(type);
  if (bytes < 2)
    return nullptr;
  Type *bits = type->isPointerTy() ? type : builder.getIntNTy(8 * bytes);
  Value *old =
      underMask(builder, form.mask, {}, [&] {
        Value *pair = builder.CreateAtomicCmpXchg(
            pointer, builder.CreateBitCast(expected, bits), builder.CreateBitCast(desired, bits),
            Align(bytes), orderingOf(form.order), loadOrdering(form), scopeOf(builder, form.scope));
        return Registers{builder.CreateExtractValue(pair, 0)};
      }).front();
  return builder.CreateBitCast(old, type);
}

Value *AmdIsa::atomicPoll(Builder &builder, Value *pointer, Value *expected, Value *timeout,
                          const AtomicForm &form) const {
  Function *function = builder.GetInsertBlock()->getParent();
  auto newBlock = [&](StringRef name) {
    return BasicBlock::Create(builder.getContext(), name, function);
  };
  BasicBlock *look = newBlock("look"), *again = newBlock("again"), *done = newBlock("done");
  auto now = [&]() -> Value * {
    return builder.CreateIntrinsic(builder.getInt64Ty(), Intrinsic::readsteadycounter, {});
  };
  Value *start = timeout ? now() : nullptr;
  builder.CreateBr(look);
  builder.SetInsertPoint(look);
  Value *seen = atomicLoad(builder, pointer, expected->getType(),
                           {AtomicOrder::Relaxed, form.scope, /*mask=*/nullptr});
  builder.CreateCondBr(builder.CreateICmpEQ(seen, expected), done, again);
  builder.SetInsertPoint(again);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_sleep, {builder.getInt32(1)});
  if (timeout) {
    Value *passed =
        builder.CreateMul(builder.CreateSub(now(), start), builder.getInt64(nanosecondsPerTick));
    builder.CreateCondBr(builder.CreateICmpULT(passed, timeout), look, done);
  } else {
    builder.CreateBr(look);
  }
  builder.SetInsertPoint(done);
  PHINode *found = builder.CreatePHI(builder.getInt1Ty(), 2);
  found->addIncoming(builder.getTrue(), look);
  if (timeout)
    found->addIncoming(builder.getFalse(), again);
  if (form.acquires())
    builder.CreateFence(AtomicOrdering::Acquire, scopeOf(builder, form.scope));
  return found;
}

} // namespace gluonc::codegen::amd
