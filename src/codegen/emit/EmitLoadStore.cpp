//===- EmitLoadStore.cpp - Global memory ------------------------------------------===//
//
// In vectors, see GlobalVectors.h. Threads that hold copies load them too (they need
// them) but do not store.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/GlobalVectors.h"
#include "codegen/core/Words.h"
#include "ir/Dialects.h"
#include "ir/tt/AxisInfo.h"

using namespace llvm;
using gluonc::layout::Dim;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// The registers of a tensor of pointers in vectors; one scalar is one vector.
layout::RegisterVectors vectorsOf(Emitter &emitter, mlir::Value pointers, mlir::Value mask,
                                  unsigned bytes) {
  mlir::RankedTensorType type = dyn_cast<mlir::RankedTensorType>(pointers.getType());
  if (!type) {
    layout::RegisterVectors scalar;
    scalar.vectors = {{0}};
    scalar.representative = {0};
    return scalar;
  }
  return globalVectors(emitter, type, bytes, mask, [&](unsigned axis) {
    return emitter.values.axes().pointerRun(pointers, axis);
  });
}

Type *pointeeOf(Emitter &emitter, mlir::Value pointers) {
  return emitter.types.ofElement(tt::pointeeTypeOf(mlir::getElementTypeOrSelf(pointers.getType())));
}

/// Bits of the CTA's number on which the elements that it loads do not depend.
uint32_t sharingCtas(Emitter &emitter, tt::LoadOp op) {
  if (emitter.threads.clusterSize() == 1 || !isa<mlir::RankedTensorType>(op.getType()))
    return 0;
  return emitter.types.layoutOf(op.getType()).freeVariableMask(Dim::Block);
}

LogicalResult emitLoad(Emitter &emitter, tt::LoadOp op) {
  Builder &builder = emitter.builder;
  Type *element = pointeeOf(emitter, op.getPtr());
  layout::RegisterVectors plan =
      vectorsOf(emitter, op.getPtr(), op.getMask(), memoryBytes(element));
  MemoryHints hints{tt::cachePolicyOf(op), op.getIsVolatile(), sharingCtas(emitter, op)};
  const Registers &pointers = emitter.get(op.getPtr());
  Type *word = wordType(element, plan.size());
  unsigned words = 8 * memoryBytes(element) * plan.size() / wordBits(word);

  Registers loaded(pointers.size());
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    Registers other;
    if (mask && op.getOther())
      other = packWords(builder, selectRegisters(emitter.get(op.getOther()), vector), word);
    Registers raw =
        emitter.isa.loadWords(builder, pointers[vector[0]], word, mask, other, words, hints);
    Registers elements = unpackWords(builder, raw, element, plan.size());
    for (auto [reg, value] : zip_equal(vector, elements))
      loaded[reg] = value;
  }
  Registers results;
  for (uint32_t reg : plan.representative)
    results.push_back(loaded[reg]);
  emitter.set(op.getResult(), std::move(results));
  return success();
}

/// True in the threads that are to store: one of those that hold the same.
Value *storeOwner(Emitter &emitter, tt::StoreOp op) {
  auto among = op.getIgnoreCta() ? Among::Cta : Among::Cluster;
  mlir::Type type = op.getPtr().getType();
  if (llvm::isa<mlir::RankedTensorType>(type))
    return emitter.threads.ownerMask(emitter.types.layoutOf(type), among);
  return emitter.threads.isFirst(among);
}

LogicalResult emitStore(Emitter &emitter, tt::StoreOp op) {
  Builder &builder = emitter.builder;
  Type *element = pointeeOf(emitter, op.getPtr());
  layout::RegisterVectors plan =
      vectorsOf(emitter, op.getPtr(), op.getMask(), memoryBytes(element));
  MemoryHints hints{tt::cachePolicyOf(op)};
  const Registers &pointers = emitter.get(op.getPtr());
  const Registers &values = emitter.get(op.getValue());
  Type *word = wordType(element, plan.size());
  Value *owner = storeOwner(emitter, op);
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    if (owner)
      mask = mask ? builder.CreateAnd(mask, owner) : owner;
    Registers words = packWords(builder, selectRegisters(values, vector), word);
    emitter.isa.storeWords(builder, pointers[vector[0]], words, mask, hints);
  }
  return success();
}

} // namespace

void addLoadStore(EmitTable &table) {
  table.add<emitLoad>();
  table.add<emitStore>();
}

} // namespace gluonc::codegen
