//===- EmitReduce.cpp - Reductions ------------------------------------------------===//
//
// The plan (layout/Reduction.h) says who meets whom; this writes it down:
// registers of a thread as a tree or in order, lanes by butterflies, what is left
// over through shared memory, where every thread that needs a result reads all of
// its partial results (they lie side by side) and combines them itself.
//
//===----------------------------------------------------------------------===//
#include "codegen/Combine.h"
#include "codegen/SharedMemory.h"
#include "codegen/Shuffle.h"
#include "ir/Dialects.h"
#include "layout/Reduction.h"

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

LogicalResult reduceRegisters(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                              Partials &partials) {
  for (const ReductionPlan::Group &group : plan.groups) {
    SmallVector<Tuple> tuples;
    for (uint32_t reg : group.registers) {
      Tuple &tuple = tuples.emplace_back();
      for (mlir::Value source : op.getSrcs())
        tuple.push_back(emitter.get(source)[reg]);
    }
    std::optional<Tuple> total = inOrder(emitter, op, plan)
                                     ? combineInOrder(emitter, op.getCombineOp(), tuples)
                                     : combineAll(emitter, op.getCombineOp(), std::move(tuples));
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

/// The scratch of each operand lies behind that of the one before.
std::vector<ThreadAddress> scratchOf(Emitter &emitter, const ReductionPlan &plan, int64_t begin,
                                     ArrayRef<uint32_t> images, const Tuple &example) {
  Builder &builder = emitter.builder;
  std::vector<ThreadAddress> addresses;
  for (Value *value : example) {
    unsigned bytes = memoryBytes(value->getType());
    Value *base = builder.CreateConstGEP1_32(builder.getInt8Ty(), emitter.state.shared, begin);
    addresses.emplace_back(emitter, base, emitter.threadPart(images), imageMask(images), bytes);
    begin += plan.scratchBytes(bytes);
  }
  return addresses;
}

/// The slots of one position: one tuple each.
SmallVector<Tuple> loadSlots(Emitter &emitter, const ReductionPlan &plan,
                             MutableArrayRef<ThreadAddress> scratch, uint32_t offset,
                             const Tuple &example) {
  SmallVector<Tuple> slots(size_t{1} << plan.slotLog2, Tuple(example.size()));
  for (auto [operand, address] : enumerate(scratch)) {
    Type *type = example[operand]->getType();
    unsigned count = std::min<unsigned>(slots.size(), 16 / memoryBytes(type));
    for (unsigned first = 0; first < slots.size(); first += count) {
      Registers loaded = loadShared(emitter.builder, address.at(offset + first), type, count);
      for (auto [i, value] : enumerate(loaded))
        slots[first + i][operand] = value;
    }
  }
  return slots;
}

LogicalResult reduceThroughShared(Emitter &emitter, tt::ReduceOp op, const ReductionPlan &plan,
                                  Partials &partials) {
  mlir::IntegerAttr begin = op->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
  if (!begin)
    return emitter.unsupported(op, "`tt.reduce` without allocated scratch memory");
  const Tuple example = partials.front();
  std::vector<ThreadAddress> store =
      scratchOf(emitter, plan, begin.getInt(), plan.storeImages, example);
  // Threads that hold the same partial result store it to the same place: no predicate.
  for (auto [group, partial] : zip_equal(plan.groups, partials))
    for (auto [address, value] : zip_equal(store, partial))
      storeShared(emitter.builder, address.at(group.offset), value);
  emitter.barrier();

  std::vector<ThreadAddress> load =
      scratchOf(emitter, plan, begin.getInt(), plan.loadImages, example);
  for (auto [group, partial] : zip_equal(plan.groups, partials)) {
    SmallVector<Tuple> slots =
        loadSlots(emitter, plan, load, group.position << plan.slotLog2, example);
    std::optional<Tuple> total = combineAll(emitter, op.getCombineOp(), std::move(slots));
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
    const LinearLayout &layout = emitter.layoutOf(result.getType());
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
  const LinearLayout &layout = emitter.layoutOf(op.getSrcs()[0].getType());
  std::optional<ReductionPlan> plan = layout::planReduction(layout, op.getAxis());
  if (!plan)
    return emitter.unsupported(op, "`tt.reduce` over the CTAs of a cluster");
  Partials partials;
  if (failed(reduceRegisters(emitter, op, *plan, partials)) ||
      failed(reduceLanes(emitter, op, *plan, partials)))
    return failure();
  if (plan->slotLog2 && failed(reduceThroughShared(emitter, op, *plan, partials)))
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
