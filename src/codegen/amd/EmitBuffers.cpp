//===- EmitBuffers.cpp - Global memory by a base and offsets -------------------------===//
//
// The hardware adds a lane's offset to a base that all lanes share, and compares it with
// the number of bytes in the resource: what lies beyond reads as zero and is not written.
// So a masked-off element gets an offset that no buffer has, and there are no branches.
//
// Sources: the ISA documents, "Buffer resource descriptor"; LLVM, AMDGPUUsage, "Buffer
// Resource Descriptor".
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/AmdIsa.h"
#include "codegen/amd/Buffers.h"
#include "codegen/core/GlobalVectors.h"
#include "codegen/core/Words.h"
#include "codegen/emit/Atomic.h"
#include "ir/amdg/AmdOps.h"
#include "ir/tt/AxisInfo.h"
#include "target/amd/Chips.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// Address spaces of resources.
constexpr unsigned resourceSpace = 8;
/// 2 GiB less two bytes: an offset has 31 bits, and one beyond is left for what is masked off.
constexpr uint64_t bufferBytes = 0x7ffffffe;

/// The last word of a resource: 32-bit floats, which untyped accesses do not look at; and on RDNA
/// and gfx1250, that offsets are compared as they are.
uint32_t resourceFlags(const target::Target &target) {
  constexpr uint32_t numberFormat = 7u << 12, dataFormat = 4u << 15;
  constexpr uint32_t compareRaw = 3u << 28, always = 1u << 24;
  bool isGfx9 = target.warpSize() == 64;
  return numberFormat | dataFormat | (isGfx9 ? 0 : compareRaw | always);
}

/// Operand `aux` of the intrinsics, by what caches do with an access.
struct CacheBits {
  unsigned loadAll, stream, bypass, storeThrough;
};
CacheBits cacheBits(const target::Target &target) {
  using target::amd::Family;
  switch (target.amdChip()->family) {
  case Family::Cdna3:
  case Family::Cdna4: {
    constexpr unsigned sc0 = 1, nt = 2, sc1 = 16;
    return {sc0 | nt, sc0 | nt, sc0 | sc1, sc0 | sc1};
  }
  case Family::Rdna3: {
    constexpr unsigned glc = 1, slc = 2, dlc = 4;
    return {glc, glc | slc | dlc, glc | slc | dlc, glc | slc | dlc};
  }
  case Family::Rdna4:
  case Family::Cdna5: {
    constexpr unsigned nonTemporal = 1, bypass = 3, device = 2 << 3, system = 3 << 3;
    return {device, nonTemporal, bypass | system, bypass | system};
  }
  }
}

} // namespace

unsigned cacheOperand(const target::Target &target, tt::CacheModifier modifier) {
  CacheBits bits = cacheBits(target);
  switch (modifier) {
  case tt::CacheModifier::CG:
    return bits.loadAll;
  case tt::CacheModifier::CS:
    return bits.stream;
  case tt::CacheModifier::CV:
    return bits.bypass;
  case tt::CacheModifier::WT:
    return bits.storeThrough;
  default:
    return 0;
  }
}

Value *resourceOf(Emitter &emitter, mlir::Value base) {
  Builder &builder = emitter.builder;
  Value *pointer = emitter.scalar(base);
  return builder.CreateIntrinsic(
      Intrinsic::amdgcn_make_buffer_rsrc,
      {PointerType::get(builder.getContext(), resourceSpace), pointer->getType()},
      {pointer, builder.getInt16(0), builder.getInt64(bufferBytes),
       builder.getInt32(resourceFlags(emitter.state.target))});
}

Value *byteOffset(Builder &builder, Value *offset, unsigned bytes, Value *mask) {
  Value *inBytes = builder.CreateMul(offset, builder.getInt32(bytes));
  return mask ? builder.CreateSelect(mask, inBytes, builder.getInt32(beyondBuffers)) : inBytes;
}

namespace {

Type *vectorOf(Type *word, unsigned count) {
  return count == 1 ? word : FixedVectorType::get(word, count);
}

layout::RegisterVectors vectorsOf(Emitter &emitter, mlir::Value base, mlir::Value offsets,
                                  mlir::Value mask, int64_t contiguity, unsigned bytes) {
  auto type = cast<mlir::RankedTensorType>(offsets.getType());
  return globalVectors(emitter, type, bytes, mask, [&](unsigned axis) {
    return std::max(contiguity, emitter.values.axes().offsetRun(base, offsets, bytes, axis));
  });
}

LogicalResult emitLoad(Emitter &emitter, amdg::BufferLoadOp op) {
  Builder &builder = emitter.builder;
  Type *element = emitter.types.ofElement(mlir::getElementTypeOrSelf(op.getResult()));
  unsigned bytes = memoryBytes(element);
  layout::RegisterVectors plan =
      vectorsOf(emitter, op.getPtr(), op.getOffsets(), op.getMask(), op.getContiguity(), bytes);
  Value *resource = resourceOf(emitter, op.getPtr());
  Type *word = wordType(element, plan.size());
  unsigned words = 8 * bytes * plan.size() / wordBits(word);
  Value *zero = builder.getInt32(0);
  Value *caches = builder.getInt32(cacheOperand(emitter.state.target, op.getCache()));

  Registers loaded(emitter.get(op.getOffsets()).size());
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    Value *offset = byteOffset(builder, emitter.get(op.getOffsets())[vector[0]], bytes, mask);
    Value *raw =
        builder.CreateIntrinsic(vectorOf(word, words), Intrinsic::amdgcn_raw_ptr_buffer_load,
                                {resource, offset, zero, caches});
    Registers elements = unpackWords(builder, wordsOf(builder, raw), element, plan.size());
    for (auto [reg, value] : zip_equal(vector, elements))
      loaded[reg] = mask && op.getOther()
                        ? builder.CreateSelect(mask, value, emitter.get(op.getOther())[reg])
                        : value;
  }
  emitter.set(op.getResult(), selectRegisters(loaded, plan.representative));
  return success();
}

LogicalResult emitStore(Emitter &emitter, amdg::BufferStoreOp op) {
  Builder &builder = emitter.builder;
  const Registers &values = emitter.get(op.getValue());
  Type *element = values.front()->getType();
  unsigned bytes = memoryBytes(element);
  layout::RegisterVectors plan =
      vectorsOf(emitter, op.getPtr(), op.getOffsets(), op.getMask(), op.getContiguity(), bytes);
  Value *resource = resourceOf(emitter, op.getPtr());
  Type *word = wordType(element, plan.size());
  Value *owner =
      emitter.threads.ownerMask(emitter.types.layoutOf(op.getValue().getType()), Among::Cluster);
  Value *caches = builder.getInt32(cacheOperand(emitter.state.target, op.getCache()));
  for (ArrayRef<uint32_t> vector : plan.vectors) {
    Value *mask = vectorMask(emitter, op.getMask(), vector[0]);
    if (owner)
      mask = mask ? builder.CreateAnd(mask, owner) : owner;
    Registers words = packWords(builder, selectRegisters(values, vector), word);
    Value *offset = byteOffset(builder, emitter.get(op.getOffsets())[vector[0]], bytes, mask);
    builder.CreateIntrinsic(
        builder.getVoidTy(), Intrinsic::amdgcn_raw_ptr_buffer_store,
        {codegen::vectorOf(builder, words), resource, offset, builder.getInt32(0), caches});
  }
  return success();
}

/// As an atomic of global memory, at the address that the offset gives: LLVM orders those itself.
LogicalResult emitUpdate(Emitter &emitter, amdg::BufferAtomicRMWOp op) {
  Builder &builder = emitter.builder;
  Type *element = emitter.types.ofElement(mlir::getElementTypeOrSelf(op.getValue()));
  AtomicForm form = formOf(op.getSem(), op.getScope());
  return emitAtomic(
      emitter, op, op.getValue().getType(), op.getMask(), form,
      [&](size_t i, const AtomicForm &masked) {
        Value *offset = builder.CreateZExt(byteOffset(builder, emitter.get(op.getOffsets())[i],
                                                      memoryBytes(element), /*mask=*/nullptr),
                                           builder.getInt64Ty());
        Value *pointer =
            builder.CreateGEP(builder.getInt8Ty(), emitter.scalar(op.getPtr()), offset);
        AtomicForm inRange = masked;
        Value *isInside =
            builder.CreateICmpULE(offset, builder.getInt64(bufferBytes - memoryBytes(element)));
        inRange.mask = masked.mask ? builder.CreateAnd(masked.mask, isInside) : isInside;
        return emitter.isa.atomicUpdate(builder, kindOf(op.getAtomicRmwOp()), pointer,
                                        emitter.get(op.getValue())[i], inRange, !op->use_empty());
      });
}

} // namespace

void addBuffers(EmitTable &table) {
  table.add<emitLoad>();
  table.add<emitStore>();
  table.add<emitUpdate>();
}

} // namespace gluonc::codegen::amd
