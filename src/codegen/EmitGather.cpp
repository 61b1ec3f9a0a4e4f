//===- EmitGather.cpp - gather and histogram --------------------------------------===//
//
// A gather within a warp shuffles (layout/Gather.h); any other one, and every
// histogram, goes through shared memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/SharedMemory.h"
#include "codegen/Shuffle.h"
#include "ir/Dialects.h"
#include "layout/Gather.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// An index as i32 that lies in [0, size), whatever the program computed.
Value *boundedIndex(Builder &builder, Value *index, uint32_t size) {
  Value *bits = builder.CreateZExtOrTrunc(index, builder.getInt32Ty());
  return builder.CreateAnd(bits, builder.getInt32(size - 1));
}

// -- gather ----------------------------------------------------------------------

Registers gatherInWarp(Emitter &emitter, const layout::WarpGatherPlan &plan, uint32_t axisSize,
                       const Registers &source, const Registers &indices) {
  Builder &builder = emitter.builder;
  Value *threadLane = emitter.threadPart(plan.laneImages);
  Value *threadRegister = emitter.threadPart(plan.registerImages);
  Registers results;
  for (auto [reg, index] : enumerate(indices)) {
    Value *bounded = boundedIndex(builder, index, axisSize);
    Value *lane = builder.CreateXor(threadLane, applyLinear(builder, bounded, plan.indexLanes));
    lane = builder.CreateXor(lane, builder.getInt32(plan.lanes[reg]));
    Value *which =
        builder.CreateXor(threadRegister, applyLinear(builder, bounded, plan.indexRegisters));
    Value *result = nullptr;
    for (uint32_t candidate : plan.candidates) {
      // The lane that is read holds the register that the reader means.
      Value *value = shuffle(emitter, source[candidate ^ plan.registers[reg]], lane);
      Value *isMeant = builder.CreateICmpEQ(which, builder.getInt32(candidate));
      result = result ? builder.CreateSelect(isMeant, value, result) : value;
    }
    results.push_back(result);
  }
  return results;
}

/// Places in the scratch: the packed coordinates of the source.
Registers gatherThroughShared(Emitter &emitter, tt::GatherOp op, Value *scratch) {
  Builder &builder = emitter.builder;
  const LinearLayout &source = emitter.layoutOf(op.getSrc().getType());
  const LinearLayout &result = emitter.layoutOf(op.getType());
  const Registers &values = emitter.get(op.getSrc());
  Type *element = values.front()->getType();
  unsigned bytes = memoryBytes(element);

  LinearLayout flat = source.flattenOuts(Dim::Offset);
  SmallVector<uint32_t> images = emitter.threadImages(flat, Dim::Offset);
  ThreadAddress store(emitter, scratch, emitter.threadPart(images), imageMask(images), bytes);
  for (auto [reg, value] : enumerate(values))
    storeShared(builder, store.at(flat.applyPacked(flat.packIn({{Dim::Register, uint32_t(reg)}}))),
                value);
  emitter.barrier();

  // Of the result's own coordinates all but the one along the axis count.
  unsigned axis = op.getAxis();
  auto place = [&](uint64_t packed) {
    uint32_t offset = 0;
    for (layout::DimSize out : result.outDims())
      if (out.dim != Dim::axis(axis))
        offset |= result.outComponent(packed, out.dim) << source.outShift(out.dim);
    return offset;
  };
  SmallVector<uint32_t> own;
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < result.inLog2(in); ++bit)
      own.push_back(place(result.packedBasis(in, bit)));
  uint32_t axisSize = source.outSize(Dim::axis(axis)), shift = source.outShift(Dim::axis(axis));
  uint32_t mask = imageMask(own) | (axisSize - 1) << shift;
  Registers results;
  for (auto [reg, index] : enumerate(emitter.get(op.getIndices()))) {
    Value *along = builder.CreateShl(boundedIndex(builder, index, axisSize), shift);
    ThreadAddress load(emitter, scratch, disjointOr(builder, emitter.threadPart(own), along), mask,
                       bytes);
    uint32_t constant = place(result.applyPacked(result.packIn({{Dim::Register, uint32_t(reg)}})));
    results.push_back(loadShared(builder, load.at(constant), element, 1).front());
  }
  return results;
}

LogicalResult emitGather(Emitter &emitter, tt::GatherOp op) {
  const LinearLayout &source = emitter.layoutOf(op.getSrc().getType());
  const LinearLayout &result = emitter.layoutOf(op.getType());
  if (source.inLog2(Dim::Block) || result.inLog2(Dim::Block))
    return emitter.unsupported(op, "`tt.gather` in a cluster");
  if (std::optional<layout::WarpGatherPlan> plan =
          layout::planWarpGather(source, result, op.getAxis())) {
    uint32_t axisSize = source.outSize(Dim::axis(op.getAxis()));
    emitter.set(op.getResult(), gatherInWarp(emitter, *plan, axisSize, emitter.get(op.getSrc()),
                                             emitter.get(op.getIndices())));
    return success();
  }
  Value *scratch = emitter.sharedOf(op);
  if (!scratch)
    return failure();
  emitter.set(op.getResult(), gatherThroughShared(emitter, op, scratch));
  return success();
}

// -- histogram -------------------------------------------------------------------

/// Registers of the thread that no lower register repeats.
bool isFirstCopy(const LinearLayout &layout, uint32_t reg) {
  return (reg & layout.freeVariableMask(Dim::Register)) == 0;
}

void countInto(Emitter &emitter, tt::HistogramOp op, Value *bins, uint32_t binCount) {
  Builder &builder = emitter.builder;
  const LinearLayout &layout = emitter.layoutOf(op.getSrc().getType());
  Value *owner = emitter.ownerMask(layout, Emitter::Among::Cta);
  AtomicForm form{AtomicOrder::Relaxed, AtomicScope::Cta};
  for (auto [reg, value] : enumerate(emitter.get(op.getSrc()))) {
    if (!isFirstCopy(layout, reg))
      continue;
    // Numbers without a bin do not count.
    Type *type = value->getType();
    form.mask = type->getIntegerBitWidth() < 32 && binCount >> type->getIntegerBitWidth()
                    ? builder.getTrue()
                    : builder.CreateICmpULT(value, ConstantInt::get(type, binCount));
    if (owner)
      form.mask = builder.CreateAnd(form.mask, owner);
    if (op.getMask())
      form.mask = builder.CreateAnd(form.mask, emitter.get(op.getMask())[reg]);
    Value *bin = boundedIndex(builder, value, binCount);
    Value *place = builder.CreateGEP(builder.getInt32Ty(), bins, bin);
    emitter.isa.atomicUpdate(builder, AtomicKind::Add, place, builder.getInt32(1), form,
                             /*used=*/false);
  }
}

LogicalResult emitHistogram(Emitter &emitter, tt::HistogramOp op) {
  Builder &builder = emitter.builder;
  const LinearLayout &layout = emitter.layoutOf(op.getType());
  if (layout.inLog2(Dim::Block) || emitter.layoutOf(op.getSrc().getType()).inLog2(Dim::Block))
    return emitter.unsupported(op, "`tt.histogram` in a cluster");
  Value *bins = emitter.sharedOf(op);
  if (!bins)
    return failure();
  uint32_t binCount = op.getType().getNumElements();
  // With fewer bins than threads several clear the same one.
  for (uint32_t first = 0; first < binCount; first += emitter.threads()) {
    Value *bin = builder.CreateAdd(boundedIndex(builder, emitter.threadId(), binCount),
                                   builder.getInt32(first));
    storeShared(builder, builder.CreateGEP(builder.getInt32Ty(), bins, bin), builder.getInt32(0));
  }
  emitter.barrier();
  countInto(emitter, op, bins, binCount);
  emitter.barrier();
  SmallVector<uint32_t> images = emitter.threadImages(layout, Dim::axis(0));
  ThreadAddress load(emitter, bins, emitter.threadPart(images), imageMask(images), 4);
  Registers results;
  for (uint32_t reg = 0; reg < layout.inSize(Dim::Register); ++reg)
    results.push_back(loadShared(builder,
                                 load.at(layout.applyPacked(layout.packIn({{Dim::Register, reg}}))),
                                 builder.getInt32Ty(), 1)
                          .front());
  emitter.set(op.getResult(), std::move(results));
  return success();
}

} // namespace

void addGather(EmitTable &table) {
  table.add<emitGather>();
  table.add<emitHistogram>();
}

} // namespace gluonc::codegen
