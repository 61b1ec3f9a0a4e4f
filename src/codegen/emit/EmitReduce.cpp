//===- EmitReduce.cpp - Reductions ------------------------------------------------===//
//
// The plan (layout/plan/Reduction.h) says who combines with whom; this writes it down:
// registers of a thread as a tree or in order, lanes by butterflies, what is left
// over through shared memory, where every thread that needs a result reads all of
// its partial results (four of which lie side by side) and combines them itself. CTAs that
// share the axis do the same at last, through the shared memory of the cluster.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Combine.h"
#include "codegen/core/Pairs.h"
#include "codegen/core/SharedMemory.h"
#include "codegen/core/Shuffle.h"
#include "codegen/core/Workers.h"
#include "ir/Dialects.h"
#include "layout/plan/Reduction.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using gluonc::layout::ReductionPlan;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// One tuple per group of the plan.
using Partials = SmallVector<Tuple>;

/// Whether registers are combined one after the other. A tree lets elements of one group meet at
/// the same time, and narrow sums be rounded least. Several groups do so without trees, and ptxas
/// starts trees at all of their leaves: none of the groups would be done before the others, and
/// what depends on the first (the exponentials of a row, after its maximum) would wait for all.
bool inOrder(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan) {
  return plan.groups.size() > 1 && llvm::all_of(op.getSrcs(), [&](mlir::Value source) {
           return emitter.get(source).front()->getType()->getScalarSizeInBits() >= 32;
         });
}

/// Whether the chip adds the registers of a group two at a time: the even ones and the odd ones
/// make a sum each, which are added at last.
bool addsPairs(Emitter &emitter, tt::ReduceOp op, ArrayRef<uint32_t> registers) {
  mlir::Block &region = op.getCombineOp().front();
  if (op.getSrcs().size() != 1 || region.getOperations().size() != 2 ||
      !llvm::isa<mlir::arith::AddFOp>(region.front()) || registers.size() % 2 ||
      !emitter.isa.computesPairs(emitter.get(op.getSrcs()[0]).front()->getType()))
    return false;
  for (size_t i = 0; i < registers.size(); i += 2)
    if (registers[i] % 2 || registers[i + 1] != registers[i] + 1)
      return false;
  return true;
}

/// The registers of a group, each with one value for each operand.
SmallVector<Tuple> tuplesOf(Emitter &emitter, tt::ReduceOp op, ArrayRef<uint32_t> registers) {
  SmallVector<Tuple> tuples;
  for (uint32_t reg : registers) {
    Tuple &tuple = tuples.emplace_back();
    for (mlir::Value source : op.getSrcs())
      tuple.push_back(emitter.get(source)[reg]);
  }
  return tuples;
}

LogicalResult reduceRegisters(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                              Partials &partials) {
  for (const ReductionPlan::Group &group : plan.groups) {
    SmallVector<Tuple> tuples = tuplesOf(emitter, op, group.registers);
    const bool inPairs = addsPairs(emitter, op, group.registers);
    if (inPairs) {
      for (size_t i = 0; i < tuples.size(); i += 2)
        tuples[i / 2] = {pairOf(emitter.builder, tuples[i].front(), tuples[i + 1].front())};
      tuples.truncate(tuples.size() / 2);
    }
    std::optional<Tuple> total = inOrder(emitter, op, plan)
                                     ? combineInOrder(emitter, op.getCombineOp(), tuples)
                                     : combineAll(emitter, op.getCombineOp(), std::move(tuples));
    if (total && inPairs)
      total = combine(emitter, op.getCombineOp(),
                      {emitter.builder.CreateExtractElement(total->front(), uint64_t(0))},
                      {emitter.builder.CreateExtractElement(total->front(), uint64_t(1))});
    if (!total)
      return failure();
    partials.push_back(std::move(*total));
  }
  return success();
}

// Far lanes first: whichever order, floats are summed the same way in every lane.
LogicalResult reduceLanes(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                          Partials &partials) {
  for (uint32_t distance : llvm::reverse(plan.laneXors)) {
    for (Tuple &partial : partials) {
      Tuple others;
      for (Value *value : partial)
        others.push_back(shuffleXor(emitter, value, distance));
      std::optional<Tuple> both = combine(emitter, op.getCombineOp(), partial, others);
      if (!both)
        return failure();
      partial = std::move(*both);
    }
  }
  return success();
}

/// Of the scratch of an operand: what warps leave for each other, and CTAs.
enum class Part { Slots, Exchange };

/// The scratch of each operand lies behind that of the one before.
std::vector<ThreadAddress> scratchOf(Emitter &emitter, const ReductionPlan &plan, Part part,
                                     int64_t begin, ArrayRef<uint32_t> images,
                                     const Tuple &example) {
  Builder &builder = emitter.builder;
  std::vector<ThreadAddress> addresses;
  for (Value *value : example) {
    unsigned bytes = memoryBytes(value->getType());
    int64_t first = begin + (part == Part::Exchange ? plan.slotBytes(bytes) : 0);
    Value *base = builder.CreateConstGEP1_32(builder.getInt8Ty(), emitter.state.shared, first);
    addresses.emplace_back(emitter, base, emitter.threads.part(images), imageMask(images), bytes);
    begin += plan.scratchBytes(bytes);
  }
  return addresses;
}

/// The slots of one position: one tuple each.
SmallVector<Tuple> loadSlots(Emitter &emitter, const ReductionPlan &plan,
                             MutableArrayRef<ThreadAddress> scratch, uint32_t place,
                             const Tuple &example) {
  SmallVector<Tuple> slots(size_t{1} << plan.slotLog2, Tuple(example.size()));
  for (auto [operand, address] : enumerate(scratch)) {
    Type *type = example[operand]->getType();
    unsigned count = std::min(1u << plan.sideBySideLog2(), 16 / memoryBytes(type));
    for (unsigned first = 0; first < slots.size(); first += count) {
      Registers loaded =
          loadShared(emitter.builder, address.at(plan.offsetOf(place, first)), type, count);
      for (auto [i, value] : enumerate(loaded))
        slots[first + i][operand] = value;
    }
  }
  return slots;
}

LogicalResult reduceThroughShared(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                                  Partials &partials) {
  std::optional<int64_t> begin = emitter.allocationOf(op);
  if (!begin)
    return failure();
  const Tuple example = partials.front();
  SmallVector<uint32_t> storeImages, loadImages;
  for (auto [place, slot] : zip_equal(plan.placeImages, plan.slotImages)) {
    storeImages.push_back(plan.offsetOf(place, slot));
    loadImages.push_back(plan.offsetOf(place, 0));
  }
  std::vector<ThreadAddress> store =
      scratchOf(emitter, plan, Part::Slots, *begin, storeImages, example);
  // Threads that hold the same partial result store it to the same place: no predicate.
  for (auto [group, partial] : zip_equal(plan.groups, partials))
    for (auto [address, value] : zip_equal(store, partial))
      storeShared(emitter.builder, address.at(plan.offsetOf(group.place, group.slot)), value);
  emitter.threads.barrier();

  std::vector<ThreadAddress> load =
      scratchOf(emitter, plan, Part::Slots, *begin, loadImages, example);
  for (auto [group, partial] : zip_equal(plan.groups, partials)) {
    SmallVector<Tuple> slots = loadSlots(emitter, plan, load, group.place, example);
    std::optional<Tuple> total = combineAll(emitter, op.getCombineOp(), std::move(slots));
    if (!total)
      return failure();
    partial = std::move(*total);
  }
  return success();
}

/// The least of the CTAs that the generators, in echelon form, lead to from this one.
Value *firstSharer(Emitter &emitter, ArrayRef<uint32_t> generators) {
  Builder &builder = emitter.builder;
  Value *rank = emitter.threads.clusterRank();
  for (uint32_t generator : generators) {
    uint32_t lead = llvm::bit_floor(generator);
    Value *has =
        builder.CreateICmpNE(builder.CreateAnd(rank, builder.getInt32(lead)), builder.getInt32(0));
    rank = builder.CreateSelect(has, builder.CreateXor(rank, builder.getInt32(generator)), rank);
  }
  return rank;
}

/// CTAs with one position in common leave there what they have; each reads all, in the order of
/// their numbers, so that all get the same sum.
LogicalResult reduceAcrossCtas(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                               Partials &partials) {
  std::optional<int64_t> begin = emitter.allocationOf(op);
  if (!begin)
    return failure();
  const Tuple example = partials.front();
  std::vector<ThreadAddress> places =
      scratchOf(emitter, plan, Part::Exchange, *begin, plan.placeImages, example);
  for (auto [group, partial] : zip_equal(plan.groups, partials))
    for (auto [address, value] : zip_equal(places, partial))
      storeShared(emitter.builder, address.at(group.place), value);
  if (failed(clusterBarrier(emitter, op)))
    return failure();

  std::vector<PeerAddress> peers;
  for (const ThreadAddress &place : places)
    peers.emplace_back(emitter, place, firstSharer(emitter, plan.blockXors));
  for (auto [group, partial] : zip_equal(plan.groups, partials)) {
    SmallVector<Tuple> ofCtas;
    for (uint32_t peer = 0; peer < 1u << plan.blockXors.size(); ++peer) {
      Tuple &tuple = ofCtas.emplace_back();
      uint32_t rank = 0;
      for (auto [bit, generator] : enumerate(plan.blockXors))
        rank ^= peer >> bit & 1 ? generator : 0;
      for (auto [address, value] : zip_equal(peers, partial))
        tuple.push_back(
            loadPeer(emitter, address.at(group.place, rank), value->getType(), 1).front());
    }
    std::optional<Tuple> total = combineAll(emitter, op.getCombineOp(), std::move(ofCtas));
    if (!total)
      return failure();
    partial = std::move(*total);
  }
  return success();
}

/// Gives each register of the result the group of its position.
LogicalResult setResult(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                        const Partials &partials) {
  for (auto [operand, result] : enumerate(op.getResults())) {
    if (!llvm::isa<mlir::RankedTensorType>(result.getType())) {
      emitter.set(result, {partials.front()[operand]});
      continue;
    }
    const LinearLayout &layout = emitter.types.layoutOf(result.getType());
    Registers registers;
    for (uint32_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
      uint64_t packed = layout.applyPacked(layout.packIn({{Dim::Register, reg}}));
      uint32_t position = layout::positionWithout(layout, packed, layout.outDims().size());
      const auto *group = llvm::find_if(
          plan.groups, [&](const ReductionPlan::Group &g) { return g.position == position; });
      if (group == plan.groups.end())
        return emitter.unsupported(op, "`tt.reduce` to this layout");
      registers.push_back(partials[group - plan.groups.begin()][operand]);
    }
    emitter.set(result, std::move(registers));
  }
  return success();
}

LogicalResult emitReduce(Emitter &emitter, tt::ReduceOp op) {
  const LinearLayout &layout = emitter.types.layoutOf(op.getSrcs()[0].getType());
  std::optional<ReductionPlan> plan = layout::planReduction(layout, op.getAxis());
  if (!plan)
    return emitter.unsupported(op, "`tt.reduce` over CTAs that this layout mixes up");
  Partials partials;
  if (failed(reduceRegisters(emitter, op, *plan, partials)) ||
      failed(reduceLanes(emitter, op, *plan, partials)))
    return failure();
  if (plan->slotLog2 && failed(reduceThroughShared(emitter, op, *plan, partials)))
    return failure();
  if (!plan->blockXors.empty() && failed(reduceAcrossCtas(emitter, op, *plan, partials)))
    return failure();
  return setResult(emitter, op, *plan, partials);
}

/// What the region returns is read by whoever emitted it.
LogicalResult emitReduceReturn(Emitter &, tt::ReduceReturnOp) { return success(); }

} // namespace

void addReduce(EmitTable &table) {
  table.add<emitReduce>();
  table.add<emitReduceReturn>();
}

} // namespace gluonc::codegen
