//===- EmitLoadStore.cpp - Global memory ------------------------------------------===//
//
// An access moves as many elements as are certain to be neighbours, aligned to
// their total size, under one mask bit, and held by one thread:
//
//   vector = min( registers of the thread that are consecutive,
//                 contiguity and divisibility of the pointers (AxisInfo),
//                 constancy of the mask,
//                 128 bits )
//
// all along the fastest dim of the pointers' layout. Threads that hold copies
// load them too (they need them) but do not store.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Emitter.h"

#include "codegen/core/Words.h"
#include "ir/Dialects.h"
#include "ir/tt/AxisInfo.h"
#include "layout/named/Layouts.h"
#include "layout/plan/Vectorize.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// log2 of the elements that one access may move.
unsigned vectorLog2(Emitter &emitter, mlir::RankedTensorType type, mlir::Value pointers,
                    mlir::Value mask, unsigned bytes, unsigned axis) {
  unsigned limit =
      std::max(1u, std::min(128u, emitter.state.target.maxGlobalAccessBits()) / (8 * bytes));
  unsigned registers = 1u << layout::contiguousLog2(emitter.types.layoutOf(type), axis);
  limit = std::min(limit, registers);
  // The analysis of the function is made for the first access that can use it.
  if (limit > 1)
    limit = std::min<int64_t>(limit, emitter.values.axes().pointerRun(pointers, axis));
  if (limit > 1 && mask)
    limit = std::min<int64_t>(limit, emitter.values.axes().maskRun(mask, axis));
  return Log2_32(limit);
}

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
  const LinearLayout &layout = emitter.types.layoutOf(type);
  unsigned axis = layout::orderOf(layout)[0];
  unsigned log2 = vectorLog2(emitter, type, pointers, mask, bytes, axis);
  return layout::vectorizeAlong(layout, Dim::axis(axis), log2);
}

/// The mask of one vector; null where it is known to be true.
Value *vectorMask(Emitter &emitter, mlir::Value mask, uint32_t reg) {
  if (!mask)
    return nullptr;
  Value *bit = emitter.get(mask)[reg];
  ConstantInt *known = dyn_cast<ConstantInt>(bit);
  return known && known->isOne() ? nullptr : bit;
}

Registers select(const Registers &registers, ArrayRef<uint32_t> which) {
  Registers chosen;
  for (uint32_t reg : which)
    chosen.push_back(registers[reg]);
  return chosen;
}

Type *pointeeOf(Emitter &emitter, mlir::Value pointers) {
  return emitter.types.ofElement(tt::pointeeTypeOf(mlir::getElementTypeOrSelf(pointers.getType())));
}

LogicalResult emitLoad(Emitter &emitter, tt::LoadOp op) {
  Builder &builder = emitter.builder;
  Type *element = pointeeOf(emitter, op.getPtr());
  layout::RegisterVectors plan =
      vectorsOf(emitter, op.getPtr(), op.getMask(), memoryBytes(element));
  MemoryHints hints{tt::cachePolicyOf(op), op.getIsVolatile()};
  const Registers &pointers = emitter.get(op.getPtr());
  Type *word = wordType(element, plan.size());
  unsigned words = 8 * memoryBytes(element) * plan.size() / wordBits(word);

  Registers loaded(pointers.size());
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    Registers other;
    if (mask && op.getOther())
      other = packWords(builder, select(emitter.get(op.getOther()), vector), word);
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
  MemoryHints hints{tt::cachePolicyOf(op), /*isVolatile=*/false};
  const Registers &pointers = emitter.get(op.getPtr());
  const Registers &values = emitter.get(op.getValue());
  Type *word = wordType(element, plan.size());
  Value *owner = storeOwner(emitter, op);
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    if (owner)
      mask = mask ? builder.CreateAnd(mask, owner) : owner;
    Registers words = packWords(builder, select(values, vector), word);
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
