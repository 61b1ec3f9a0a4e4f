//===- EmitGather.cpp - gather and histogram --------------------------------------===//
//
// A gather within a warp shuffles (layout/plan/Gather.h); any other one, and every
// histogram, goes through shared memory: that of the cluster where CTAs need
// elements of each other.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/SharedMemory.h"
#include "codegen/core/Shuffle.h"
#include "codegen/core/Workers.h"
#include "ir/Dialects.h"
#include "layout/plan/Gather.h"

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
  Value *threadLane = emitter.threads.part(plan.laneImages);
  Value *threadRegister = emitter.threads.part(plan.registerImages);
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

/// Reads the elements that indices mean from the scratch, which has a place for each of the source
/// in every CTA. A CTA fills in the places of the elements that it holds.
class ScratchReader {
public:
  ScratchReader(Emitter &emitter, tt::GatherOp op, Value *scratch)
      : emitter(emitter), builder(emitter.builder), axis(Dim::axis(op.getAxis())),
        source(emitter.types.layoutOf(op.getSrc().getType())),
        result(emitter.types.layoutOf(op.getType())),
        element(emitter.get(op.getSrc()).front()->getType()), scratch(scratch),
        staysInCta(layout::gatherStaysInCta(source, result, op.getAxis())),
        holders(layout::holderImages(source)) {
    auto place = [&](uint64_t packed) {
      return layout::gatherPlace(source, result, packed, op.getAxis());
    };
    for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
      for (unsigned bit = 0; bit < result.inLog2(in); ++bit)
        own.push_back(place(result.packedBasis(in, bit)));
    for (uint32_t reg = 0; reg < result.inSize(Dim::Register); ++reg)
      ofRegister.push_back(place(result.applyPacked(result.packIn({{Dim::Register, reg}}))));
  }

  bool reachesPeers() const { return !staysInCta; }

  Value *read(unsigned reg, Value *index) {
    uint32_t axisSize = source.outSize(axis), shift = source.outShift(axis);
    Value *along = builder.CreateShl(boundedIndex(builder, index, axisSize), shift);
    // Of the result's own coordinates all but the one along the axis count.
    Value *variable = disjointOr(builder, emitter.threads.part(own), along);
    uint32_t mask = imageMask(own) | (axisSize - 1) << shift;
    ThreadAddress address(emitter, scratch, variable, mask, memoryBytes(element));
    if (staysInCta)
      return loadShared(builder, address.at(ofRegister[reg]), element, 1).front();
    uint32_t rank = 0;
    for (auto [bit, image] : enumerate(holders))
      rank ^= ofRegister[reg] >> bit & 1 ? image : 0;
    PeerAddress peer(emitter, address, applyLinear(builder, variable, holders));
    return loadPeer(emitter, peer.at(ofRegister[reg], rank), element, 1).front();
  }

private:
  Emitter &emitter;
  Builder &builder;
  Dim axis;
  const LinearLayout &source, &result;
  Type *element;
  Value *scratch;
  bool staysInCta;
  SmallVector<uint32_t, 20> holders;
  SmallVector<uint32_t> own, ofRegister;
};

LogicalResult gatherThroughShared(Emitter &emitter, tt::GatherOp op, Value *scratch) {
  Builder &builder = emitter.builder;
  const Registers &values = emitter.get(op.getSrc());
  LinearLayout flat = emitter.types.layoutOf(op.getSrc().getType()).flattenOuts(Dim::Offset);
  SmallVector<uint32_t> images = Threads::images(flat, Dim::Offset);
  ThreadAddress store(emitter, scratch, emitter.threads.part(images), imageMask(images),
                      memoryBytes(values.front()->getType()));
  for (auto [reg, value] : enumerate(values))
    storeShared(builder, store.at(flat.applyPacked(flat.packIn({{Dim::Register, uint32_t(reg)}}))),
                value);
  ScratchReader reader(emitter, op, scratch);
  if (!reader.reachesPeers())
    emitter.threads.barrier();
  else if (failed(clusterBarrier(emitter, op)))
    return failure();
  Registers results;
  for (auto [reg, index] : enumerate(emitter.get(op.getIndices())))
    results.push_back(reader.read(reg, index));
  emitter.set(op.getResult(), std::move(results));
  return success();
}

LogicalResult emitGather(Emitter &emitter, tt::GatherOp op) {
  const LinearLayout &source = emitter.types.layoutOf(op.getSrc().getType());
  const LinearLayout &result = emitter.types.layoutOf(op.getType());
  if (std::optional<layout::WarpGatherPlan> plan =
          layout::planWarpGather(source, result, op.getAxis())) {
    uint32_t axisSize = source.outSize(Dim::axis(op.getAxis()));
    emitter.set(op.getResult(), gatherInWarp(emitter, *plan, axisSize, emitter.get(op.getSrc()),
                                             emitter.get(op.getIndices())));
    return success();
  }
  Value *scratch = emitter.sharedOf(op);
  return scratch ? gatherThroughShared(emitter, op, scratch) : failure();
}

// -- histogram -------------------------------------------------------------------

/// Registers of the thread that no lower register repeats.
bool isFirstCopy(const LinearLayout &layout, uint32_t reg) {
  return (reg & layout.freeVariableMask(Dim::Register)) == 0;
}

void countInto(Emitter &emitter, tt::HistogramOp op, Value *bins, uint32_t binCount) {
  Builder &builder = emitter.builder;
  const LinearLayout &layout = emitter.types.layoutOf(op.getSrc().getType());
  Value *owner = emitter.threads.ownerMask(layout, Among::Cluster);
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
  const LinearLayout &layout = emitter.types.layoutOf(op.getType());
  Value *bins = emitter.sharedOf(op);
  if (!bins)
    return failure();
  uint32_t binCount = op.getType().getNumElements();
  // With fewer bins than threads several clear the same one.
  for (uint32_t first = 0; first < binCount; first += emitter.threads.count()) {
    Value *bin = builder.CreateAdd(boundedIndex(builder, emitter.threads.id(), binCount),
                                   builder.getInt32(first));
    storeShared(builder, builder.CreateGEP(builder.getInt32Ty(), bins, bin), builder.getInt32(0));
  }
  emitter.threads.barrier();
  countInto(emitter, op, bins, binCount);
  // Every CTA counted what it holds, and adds up what all of them counted.
  uint32_t ctas = emitter.threads.clusterSize();
  if (ctas == 1)
    emitter.threads.barrier();
  else if (failed(clusterBarrier(emitter, op)))
    return failure();
  SmallVector<uint32_t> images = Threads::images(layout, Dim::axis(0));
  ThreadAddress load(emitter, bins, emitter.threads.part(images), imageMask(images), 4);
  PeerAddress ofCta(emitter, load, builder.getInt32(0));
  Registers results;
  for (uint32_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
    uint32_t bin = layout.applyPacked(layout.packIn({{Dim::Register, reg}}));
    Value *count = nullptr;
    for (uint32_t cta = 0; cta < ctas; ++cta) {
      Value *part = ctas == 1
                        ? loadShared(builder, load.at(bin), builder.getInt32Ty(), 1).front()
                        : loadPeer(emitter, ofCta.at(bin, cta), builder.getInt32Ty(), 1).front();
      count = count ? builder.CreateAdd(count, part) : part;
    }
    results.push_back(count);
  }
  emitter.set(op.getResult(), std::move(results));
  return success();
}

} // namespace

void addGather(EmitTable &table) {
  table.add<emitGather>();
  table.add<emitHistogram>();
}

} // namespace gluonc::codegen
