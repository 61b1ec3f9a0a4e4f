//===- EmitAtomics.cpp - Atomic read-modify-write and compare-and-swap -------------===//
//
// Each element is updated once: threads that hold copies of it stay out. Where
// the program asks for the old values, those threads get them through shared
// memory; a scalar is a tensor whose one element all threads share.
//
// The order that the program asks for is one of the whole CTA. So a release
// first waits for the accesses of all threads, and after an acquire nobody goes
// on before the atomic has happened. Where CTAs of a cluster hold copies, one
// updates for all of them, and CTA means cluster.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/Atomic.h"

#include "codegen/core/SharedMemory.h"
#include "codegen/core/Workers.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
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

namespace {

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

} // namespace

AtomicForm formOf(tt::MemSemantic order, tt::MemSyncScope scope) {
  return {orderOf(order), scopeOf(scope), /*mask=*/nullptr};
}

namespace {

/// True in the threads that update; null when all do.
Value *updaters(Emitter &emitter, mlir::Type type) {
  if (llvm::isa<mlir::RankedTensorType>(type))
    return emitter.threads.ownerMask(emitter.types.layoutOf(type), Among::Cluster);
  return emitter.threads.isFirst(Among::Cluster);
}

/// The bits of the CTA's number that the owners of elements have at 0.
uint32_t ctasWithCopies(Emitter &emitter, mlir::Type type) {
  if (llvm::isa<mlir::RankedTensorType>(type))
    return emitter.types.layoutOf(type).freeVariableMask(Dim::Block);
  return emitter.threads.clusterSize() - 1;
}

/// All threads that an atomic speaks for: of the cluster, where its CTAs hold copies.
LogicalResult synchronizeForAtomic(Emitter &emitter, mlir::Operation *op, mlir::Type type) {
  if (ctasWithCopies(emitter, type))
    return clusterBarrier(emitter, op);
  emitter.threads.barrier(/*global=*/true);
  return success();
}

/// Gives the threads without an update of their own what the owner of each element got.
LogicalResult shareResults(Emitter &emitter, mlir::Operation *op, Value *owner,
                           Registers &results) {
  Value *base = emitter.sharedOf(op);
  if (!base)
    return failure();
  Builder &builder = emitter.builder;
  SmallVector<uint32_t> constants = {0}, images;
  if (llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType())) {
    LinearLayout flat = emitter.types.layoutOf(op->getResult(0).getType()).flattenOuts(Dim::Offset);
    images = Threads::images(flat, Dim::Offset);
    constants.clear();
    for (uint32_t reg = 0; reg < flat.inSize(Dim::Register); ++reg)
      constants.push_back(flat.applyPacked(flat.packIn({{Dim::Register, reg}})));
  }
  Type *type = results.front()->getType();
  ThreadAddress address(emitter, base, emitter.threads.part(images), imageMask(images),
                        memoryBytes(type));
  BasicBlock *storing = emitter.blocks.create("share"), *after = emitter.blocks.create("shared");
  SmallVector<Value *> places;
  for (uint32_t constant : constants)
    places.push_back(address.at(constant));
  builder.CreateCondBr(owner, storing, after);
  emitter.blocks.start(storing);
  for (auto [place, result] : zip_equal(places, results))
    storeShared(builder, place, result);
  builder.CreateBr(after);
  emitter.blocks.start(after);
  mlir::Type resultType = op->getResult(0).getType();
  if (failed(synchronizeForAtomic(emitter, op, resultType)))
    return mlir::failure();
  uint32_t ctas = ctasWithCopies(emitter, resultType);
  if (!ctas) {
    for (auto [place, result] : zip_equal(places, results))
      result = loadShared(builder, place, type, 1).front();
    return success();
  }
  Value *rank = builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(~ctas));
  for (auto [place, result] : zip_equal(places, results))
    result = loadPeer(emitter, emitter.isa.peerAddress(builder, place, rank), type, 1).front();
  return success();
}

/// For every register the lowest one with the same element.
SmallVector<size_t> firstCopies(Emitter &emitter, mlir::Type type) {
  SmallVector<size_t> first;
  if (!llvm::isa<mlir::RankedTensorType>(type))
    return {0};
  const LinearLayout &layout = emitter.types.layoutOf(type);
  DenseMap<uint64_t, size_t> seen;
  for (size_t reg = 0; reg < size_t(layout.inSize(Dim::Register)); ++reg) {
    uint64_t place = layout.applyPacked(layout.packIn({{Dim::Register, uint32_t(reg)}}));
    first.push_back(seen.try_emplace(place, reg).first->second);
  }
  return first;
}

} // namespace

LogicalResult emitAtomic(Emitter &emitter, mlir::Operation *op, mlir::Type type, mlir::Value mask,
                         AtomicForm form,
                         function_ref<Value *(size_t, const AtomicForm &)> update) {
  Builder &builder = emitter.builder;
  if (form.releases() && failed(synchronizeForAtomic(emitter, op, type)))
    return mlir::failure();
  Value *owner = updaters(emitter, type);
  Registers results;
  SmallVector<size_t> copies = firstCopies(emitter, type);
  size_t updates =
      count_if(enumerate(copies), [](auto each) { return each.value() == each.index(); });
  const bool acquires = form.acquires();
  // One fence orders all updates of a thread; each would have its own.
  const bool isFenced =
      updates > 1 && form.releases() && emitter.isa.accessFence(builder, form.scope);
  if (isFenced)
    form.order = AtomicOrder::Relaxed;
  for (auto [i, first] : enumerate(copies)) {
    if (first != i) {
      results.push_back(results[first]);
      continue;
    }
    form.mask = owner;
    if (mask)
      form.mask = owner ? builder.CreateAnd(emitter.get(mask)[i], owner) : emitter.get(mask)[i];
    Value *old = update(i, form);
    if (!old)
      return emitter.unsupported(op, "`" + op->getName().getStringRef() + "` of this type");
    results.push_back(old);
  }
  if (isFenced && acquires)
    emitter.isa.accessFence(builder, form.scope);
  bool shared = owner && !op->use_empty();
  if (shared && failed(shareResults(emitter, op, owner, results)))
    return mlir::failure();
  if (acquires && !shared && failed(synchronizeForAtomic(emitter, op, type)))
    return mlir::failure();
  if (op->getNumResults())
    emitter.set(op->getResult(0), std::move(results));
  return success();
}

namespace {

LogicalResult emitUpdate(Emitter &emitter, tt::AtomicRMWOp op) {
  AtomicForm form = formOf(op.getSem(), op.getScope());
  return emitAtomic(emitter, op, op.getPtr().getType(), op.getMask(), form,
                    [&](size_t i, const AtomicForm &masked) {
                      return emitter.isa.atomicUpdate(
                          emitter.builder, kindOf(op.getAtomicRmwOp()), emitter.get(op.getPtr())[i],
                          emitter.get(op.getVal())[i], masked, !op->use_empty());
                    });
}

LogicalResult emitSwap(Emitter &emitter, tt::AtomicCASOp op) {
  AtomicForm form = formOf(op.getSem(), op.getScope());
  return emitAtomic(emitter, op, op.getPtr().getType(), /*mask=*/{}, form,
                    [&](size_t i, const AtomicForm &masked) {
                      return emitter.isa.atomicSwap(emitter.builder, emitter.get(op.getPtr())[i],
                                                    emitter.get(op.getCmp())[i],
                                                    emitter.get(op.getVal())[i], masked);
                    });
}

LogicalResult emitLoad(Emitter &emitter, tt::AtomicLoadOp op) {
  AtomicForm form = formOf(op.getSem(), op.getScope());
  Type *type = emitter.types.ofElement(mlir::getElementTypeOrSelf(op.getResult()));
  return emitAtomic(emitter, op, op.getPtr().getType(), op.getMask(), form,
                    [&](size_t i, const AtomicForm &masked) {
                      return emitter.isa.atomicLoad(emitter.builder, emitter.get(op.getPtr())[i],
                                                    type, masked);
                    });
}

LogicalResult emitStore(Emitter &emitter, tt::AtomicStoreOp op) {
  AtomicForm form = formOf(op.getSem(), op.getScope());
  return emitAtomic(emitter, op, op.getPtr().getType(), op.getMask(), form,
                    [&](size_t i, const AtomicForm &masked) {
                      Value *value = emitter.get(op.getValue())[i];
                      emitter.isa.atomicStore(emitter.builder, emitter.get(op.getPtr())[i], value,
                                              masked);
                      return value;
                    });
}

/// One thread polls. The others wait for it, and then see what it acquired. Whether time was over
/// reaches them through shared memory.
LogicalResult emitPoll(Emitter &emitter, tt::AtomicPollOp op) {
  Builder &builder = emitter.builder;
  Value *place = op.getTimeout() ? emitter.sharedOf(op) : nullptr;
  if (op.getTimeout() && !place)
    return failure();
  BasicBlock *polling = emitter.blocks.create("poll"), *after = emitter.blocks.create("polled");
  Value *first = builder.CreateICmpEQ(emitter.threads.id(), builder.getInt32(0));
  builder.CreateCondBr(first, polling, after);
  emitter.blocks.start(polling);
  AtomicForm form = formOf(op.getSem(), op.getScope());
  Value *timeout = op.getTimeout() ? emitter.scalar(op.getTimeout()) : nullptr;
  Value *found = emitter.isa.atomicPoll(builder, emitter.scalar(op.getPtr()),
                                        emitter.scalar(op.getExpected()), timeout, form);
  if (place)
    storeShared(builder, place, builder.CreateZExt(found, builder.getInt32Ty()));
  builder.CreateBr(after);
  emitter.blocks.start(after);
  emitter.threads.barrier(/*global=*/true);
  if (!place) {
    emitter.set(op.getResult(), {builder.getTrue()});
    return success();
  }
  Value *verdict = loadShared(builder, place, builder.getInt32Ty(), 1).front();
  emitter.set(op.getResult(), {builder.CreateICmpNE(verdict, builder.getInt32(0))});
  return success();
}

} // namespace

void addAtomics(EmitTable &table) {
  table.add<emitUpdate>();
  table.add<emitSwap>();
  table.add<emitLoad>();
  table.add<emitStore>();
  table.add<emitPoll>();
}

} // namespace gluonc::codegen
