//===- EmitConvertLayout.cpp - Change of layout ---------------------------------===//
//
// The plan (layout/plan/Conversion.h) says what moves; this writes it down. The same
// plan sized the scratch memory, so it must be made from the same arguments.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Workers.h"

#include "codegen/core/SharedMemory.h"
#include "codegen/core/Shuffle.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Blocks.h"
#include "layout/plan/Conversion.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

// -- Shuffles ----------------------------------------------------------------------

void applySwap(Emitter &emitter, const layout::LaneSwap &swap, Registers &registers) {
  Builder &builder = emitter.builder;
  // Parity of the lane bits in the mask: each contributes 1.
  SmallVector<uint32_t> images;
  for (unsigned bit = 0; bit < 32 && (1u << bit) < emitter.threads.count(); ++bit)
    images.push_back(swap.laneMask >> bit & 1);
  Value *odd = builder.CreateICmpNE(emitter.threads.part(images), builder.getInt32(0));
  Registers swapped;
  for (unsigned i = 0; i < registers.size(); ++i)
    swapped.push_back(builder.CreateSelect(odd, registers[i ^ swap.registerMask], registers[i]));
  registers = std::move(swapped);
}

Registers emitShuffles(Emitter &emitter, const layout::ShufflePlan &plan, Registers work) {
  Builder &builder = emitter.builder;
  for (const layout::LaneSwap &swap : plan.before)
    applySwap(emitter, swap, work);

  SmallVector<uint32_t> images(plan.laneMap.begin(), plan.laneMap.end());
  while ((1u << images.size()) < emitter.threads.count())
    images.push_back(0);
  bool staysPut = plan.laneMapIsIdentity();
  Registers result(size_t{1} << plan.resultLog2);
  for (const layout::ShuffleRound &round : plan.rounds) {
    Value *value = work[round.source];
    if (!(staysPut && round.laneXor == 0)) {
      Value *lane =
          builder.CreateXor(emitter.threads.part(images), builder.getInt32(round.laneXor));
      value = shuffle(emitter, value, lane);
    }
    result[round.result] = value;
  }
  for (const layout::LaneSwap &swap : plan.after)
    applySwap(emitter, swap, result);
  Registers registers;
  for (uint32_t from : plan.destination)
    registers.push_back(result[from]);
  return registers;
}

// -- Shared memory -------------------------------------------------------------------

LogicalResult synchronize(Emitter &emitter, mlir::Operation *op, layout::SyncScope scope) {
  if (scope == layout::SyncScope::Cluster)
    return clusterBarrier(emitter, op);
  if (scope == layout::SyncScope::Warp)
    emitter.isa.warpBarrier(emitter.builder);
  else
    emitter.threads.barrier();
  return success();
}

/// One half: base of this thread, then one access per planned instruction.
class HalfAccess {
public:
  HalfAccess(Emitter &emitter, const layout::SharedHalf &half, Value *scratch, Type *element)
      : emitter(emitter), half(half), element(element) {
    SmallVector<uint32_t> images = Threads::images(half.map, Dim::Offset);
    if (half.matrices)
      llvm::copy(half.matrices->laneImages, images.begin());
    access.emplace(emitter, scratch, emitter.threads.part(images), imageMask(images),
                   memoryBytes(element));
    if (half.map.hasOut(Dim::Block) && !layout::staysInBlock(half.map))
      peers.emplace(emitter, *access, emitter.threads.part(Threads::images(half.map, Dim::Block)));
  }
  void store(unsigned repetition, const Registers &registers) {
    for (const layout::SharedInstruction &instruction : half.instructions[repetition]) {
      Registers vector;
      for (uint32_t reg : instruction.registers)
        vector.push_back(registers[reg]);
      Value *address = access->at(instruction.offset);
      if (half.matrices)
        emitter.isa.storeMatrices(emitter.builder, address,
                                  packWords(emitter.builder, vector, emitter.builder.getInt32Ty()),
                                  half.matrices->transposed);
      else
        storeShared(emitter.builder, address, vector);
    }
  }
  void load(unsigned repetition, Registers &registers) {
    for (const layout::SharedInstruction &instruction : half.instructions[repetition]) {
      unsigned count = instruction.registers.size();
      Registers vector =
          half.matrices ? loadMatrices(instruction)
          : peers ? loadPeer(emitter, peers->at(instruction.offset, blockOf(instruction)), element,
                             count)
                  : loadShared(emitter.builder, access->at(instruction.offset), element, count);
      for (auto [reg, value] : zip_equal(instruction.registers, vector))
        registers[reg] = value;
    }
  }

private:
  Registers loadMatrices(const layout::SharedInstruction &instruction) {
    Builder &builder = emitter.builder;
    Registers words =
        emitter.isa.loadMatrices(builder, access->at(instruction.offset), half.matrices->matrices(),
                                 half.matrices->transposed);
    return unpackWords(builder, words, element, instruction.registers.size());
  }

  /// The CTA that the registers of an instruction add to the thread's.
  uint32_t blockOf(const layout::SharedInstruction &instruction) const {
    const LinearLayout &map = half.map;
    uint64_t place = map.applyPacked(map.packIn({{Dim::Register, instruction.registers[0]}}));
    return map.outComponent(place, Dim::Block);
  }

  Emitter &emitter;
  const layout::SharedHalf &half;
  Type *element;
  std::optional<ThreadAddress> access;
  std::optional<PeerAddress> peers;
};

LogicalResult emitThroughShared(Emitter &emitter, ttg::ConvertLayoutOp op,
                                const layout::SharedPlan &plan) {
  Value *scratch = emitter.sharedOf(op);
  if (!scratch)
    return failure();
  const Registers &source = emitter.get(op.getSrc());
  HalfAccess store(emitter, plan.store, scratch, source[0]->getType());
  HalfAccess load(emitter, plan.load, scratch, source[0]->getType());
  Registers loaded(plan.load.representative.size());
  for (unsigned repetition = 0; repetition < plan.repetitions; ++repetition) {
    if (repetition > 0 && failed(synchronize(emitter, op, plan.sync)))
      return failure();
    store.store(repetition, source);
    if (failed(synchronize(emitter, op, plan.sync)))
      return failure();
    load.load(repetition, loaded);
  }
  Registers registers;
  for (uint32_t reg : plan.load.representative)
    registers.push_back(loaded[reg]);
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

LogicalResult emitConvertLayout(Emitter &emitter, ttg::ConvertLayoutOp op) {
  const layout::ConversionPlan &plan = planOf(op);
  if (const layout::SharedPlan *shared = std::get_if<layout::SharedPlan>(&plan))
    return emitThroughShared(emitter, op, *shared);
  Registers source = emitter.get(op.getSrc());
  if (const layout::ShufflePlan *shuffle = std::get_if<layout::ShufflePlan>(&plan)) {
    emitter.set(op.getResult(), emitShuffles(emitter, *shuffle, std::move(source)));
    return success();
  }
  Registers result;
  if (const layout::RegisterPlan *permutation = std::get_if<layout::RegisterPlan>(&plan)) {
    for (uint32_t from : permutation->source)
      result.push_back(source[from]);
  } else {
    result = std::move(source);
  }
  emitter.set(op.getResult(), std::move(result));
  return success();
}

} // namespace

void addConvertLayout(EmitTable &table) { table.add<emitConvertLayout>(); }

} // namespace gluonc::codegen
