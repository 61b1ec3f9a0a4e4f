//===- EmitAtomics.cpp - Atomic read-modify-write and compare-and-swap -------------===//
//
// Each element is updated once: threads that hold copies of it stay out. Where
// the program asks for the old values, those threads get them through shared
// memory; a scalar is a tensor whose one element all threads share.
//
// The order that the program asks for is one of the whole CTA. So a release
// first waits for the accesses of all threads, and after an acquire nobody goes
// on before the atomic has happened.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emitter.h"

#include "codegen/SharedMemory.h"
#include "ir/Dialects.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

AtomicKind kindOf(tt::RMWOp op) {
  switch (op) {
  case tt::RMWOp::AND:
    return AtomicKind::And;
  case tt::RMWOp::OR:
    return AtomicKind::Or;
  case tt::RMWOp::XOR:
    return AtomicKind::Xor;
  case tt::RMWOp::ADD:
    return AtomicKind::Add;
  case tt::RMWOp::FADD:
    return AtomicKind::FloatAdd;
  case tt::RMWOp::MAX:
    return AtomicKind::Max;
  case tt::RMWOp::MIN:
    return AtomicKind::Min;
  case tt::RMWOp::UMAX:
    return AtomicKind::UnsignedMax;
  case tt::RMWOp::UMIN:
    return AtomicKind::UnsignedMin;
  case tt::RMWOp::XCHG:
    return AtomicKind::Exchange;
  }
}

AtomicOrder orderOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return AtomicOrder::Relaxed;
  case tt::MemSemantic::ACQUIRE:
    return AtomicOrder::Acquire;
  case tt::MemSemantic::RELEASE:
    return AtomicOrder::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return AtomicOrder::AcquireRelease;
  }
}

AtomicScope scopeOf(tt::MemSyncScope scope) {
  switch (scope) {
  case tt::MemSyncScope::CTA:
    return AtomicScope::Cta;
  case tt::MemSyncScope::GPU:
    return AtomicScope::Gpu;
  case tt::MemSyncScope::SYSTEM:
    return AtomicScope::System;
  }
}

/// True in the threads that update; null when all do.
Value *updaters(Emitter &emitter, mlir::Type type) {
  if (llvm::isa<mlir::RankedTensorType>(type))
    return emitter.ownerMask(emitter.layoutOf(type));
  return emitter.builder.CreateICmpEQ(emitter.threadId(), emitter.builder.getInt32(0));
}

/// Gives the threads without an update of their own what the owner of each element got.
LogicalResult shareResults(Emitter &emitter, mlir::Operation *op, Value *owner,
                           Registers &results) {
  mlir::IntegerAttr begin = op->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
  if (!begin)
    return emitter.unsupported(op, "an atomic without allocated scratch memory");
  Builder &builder = emitter.builder;
  SmallVector<uint32_t> constants = {0}, images;
  if (llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType())) {
    LinearLayout flat = emitter.layoutOf(op->getResult(0).getType()).flattenOuts(Dim::Offset);
    images = emitter.threadImages(flat, Dim::Offset);
    constants.clear();
    for (uint32_t reg = 0; reg < flat.inSize(Dim::Register); ++reg)
      constants.push_back(flat.applyPacked(flat.packIn({{Dim::Register, reg}})));
  }
  Type *type = results.front()->getType();
  Value *base =
      builder.CreateConstGEP1_32(builder.getInt8Ty(), emitter.state.shared, begin.getInt());
  ThreadAddress address(emitter, base, emitter.threadPart(images), imageMask(images),
                        memoryBytes(type));
  BasicBlock *storing = emitter.newBlock("share"), *after = emitter.newBlock("shared");
  SmallVector<Value *> places;
  for (uint32_t constant : constants)
    places.push_back(address.at(constant));
  builder.CreateCondBr(owner, storing, after);
  emitter.startBlock(storing);
  for (auto [place, result] : zip_equal(places, results))
    storeShared(builder, place, result);
  builder.CreateBr(after);
  emitter.startBlock(after);
  emitter.barrier();
  for (auto [place, result] : zip_equal(places, results))
    result = loadShared(builder, place, type, 1).front();
  return success();
}

/// `update` makes the atomic of one register.
template <typename Update>
LogicalResult emitAtomic(Emitter &emitter, mlir::Operation *op, mlir::Value pointers,
                         mlir::Value mask, AtomicForm form, Update update) {
  Builder &builder = emitter.builder;
  if (llvm::isa<mlir::RankedTensorType>(pointers.getType()) &&
      emitter.layoutOf(pointers.getType()).freeVariableMask(Dim::Register))
    return emitter.unsupported(op, "an atomic on a layout that repeats elements in a thread");
  if (form.releases())
    emitter.barrier();
  Value *owner = updaters(emitter, pointers.getType());
  Registers results;
  for (size_t i = 0, count = emitter.get(pointers).size(); i < count; ++i) {
    form.mask = owner;
    if (mask)
      form.mask = owner ? builder.CreateAnd(emitter.get(mask)[i], owner) : emitter.get(mask)[i];
    Value *old = update(i, form);
    if (!old)
      return emitter.unsupported(op, "`" + op->getName().getStringRef() + "` of this type");
    results.push_back(old);
  }
  bool shared = owner && !op->use_empty();
  if (shared && failed(shareResults(emitter, op, owner, results)))
    return mlir::failure();
  if (form.acquires() && !shared)
    emitter.barrier();
  emitter.set(op->getResult(0), std::move(results));
  return success();
}

LogicalResult emitUpdate(Emitter &emitter, tt::AtomicRMWOp op) {
  AtomicForm form{orderOf(op.getSem()), scopeOf(op.getScope())};
  return emitAtomic(
      emitter, op, op.getPtr(), op.getMask(), form, [&](size_t i, const AtomicForm &masked) {
        return emitter.isa.atomicUpdate(emitter.builder, kindOf(op.getAtomicRmwOp()),
                                        emitter.get(op.getPtr())[i], emitter.get(op.getVal())[i],
                                        masked, !op->use_empty());
      });
}

LogicalResult emitSwap(Emitter &emitter, tt::AtomicCASOp op) {
  AtomicForm form{orderOf(op.getSem()), scopeOf(op.getScope())};
  return emitAtomic(emitter, op, op.getPtr(), /*mask=*/{}, form,
                    [&](size_t i, const AtomicForm &masked) {
                      return emitter.isa.atomicSwap(emitter.builder, emitter.get(op.getPtr())[i],
                                                    emitter.get(op.getCmp())[i],
                                                    emitter.get(op.getVal())[i], masked);
                    });
}

} // namespace

void addAtomics(EmitTable &table) {
  table.add<emitUpdate>();
  table.add<emitSwap>();
}

} // namespace gluonc::codegen
