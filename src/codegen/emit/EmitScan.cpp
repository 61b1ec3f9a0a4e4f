//===- EmitScan.cpp - Running combinations ------------------------------------------===//
//
// The plan (layout/plan/Scan.h) says which element takes in which. A reverse scan is
// the same with every bit of the axis flipped: the lower half takes in the first
// element of the upper one.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Combine.h"
#include "codegen/core/SharedMemory.h"
#include "codegen/core/Shuffle.h"
#include "ir/Dialects.h"
#include "layout/plan/Scan.h"

#include <map>

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::ScanPlan;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

class Scan {
public:
  Scan(Emitter &emitter, tt::ScanOp op, const ScanPlan &plan)
      : emitter(emitter), builder(emitter.builder), op(op), plan(plan), reverse(op.getReverse()) {
    size_t registers = emitter.get(op.getSrcs()[0]).size();
    for (size_t i = 0; i < registers; ++i) {
      Tuple &tuple = elements.emplace_back();
      for (mlir::Value source : op.getSrcs())
        tuple.push_back(emitter.get(source)[i]);
    }
  }

  LogicalResult run() {
    for (const ScanPlan::Step &step : plan.steps)
      if (failed(step.inLane ? stepInLanes(step) : stepInRegisters(step)))
        return failure();
    if (plan.slotLog2 && failed(acrossWarps()))
      return failure();
    for (auto [operand, result] : enumerate(op.getResults())) {
      Registers registers;
      for (const Tuple &tuple : elements)
        registers.push_back(tuple[operand]);
      emitter.set(result, std::move(registers));
    }
    return success();
  }

private:
  /// `number` with `bits` all as in the last element of a scanned block.
  uint32_t last(uint32_t number, uint32_t bits) const {
    return reverse ? number & ~bits : number | bits;
  }
  Value *last(Value *number, uint32_t bits) const {
    return reverse ? builder.CreateAnd(number, builder.getInt32(~bits))
                   : builder.CreateOr(number, builder.getInt32(bits));
  }
  /// As in the half that is taken in.
  uint32_t first(uint32_t number, uint32_t bit) const {
    return reverse ? number | bit : number & ~bit;
  }

  Value *lane() const {
    return builder.CreateAnd(emitter.threads.id(),
                             builder.getInt32(emitter.state.target.warpSize() - 1));
  }

  Tuple shuffled(const Tuple &tuple, Value *from) {
    Tuple result;
    for (Value *value : tuple)
      result.push_back(shuffle(emitter, value, from));
    return result;
  }

  /// elements[reg] = earlier ∘ elements[reg], where `condition` (null: always) holds.
  LogicalResult takeIn(uint32_t reg, const Tuple &earlier, Value *condition) {
    std::optional<Tuple> both = combine(emitter, op.getCombineOp(), earlier, elements[reg]);
    if (!both)
      return failure();
    for (auto [element, value] : zip_equal(elements[reg], *both))
      element = condition ? builder.CreateSelect(condition, value, element) : value;
    return success();
  }

  LogicalResult stepInRegisters(const ScanPlan::Step &step) {
    for (uint32_t reg = 0; reg < elements.size(); ++reg) {
      uint32_t from = last(first(reg, step.bit), step.lowRegisters);
      if (((reg & step.bit) != 0) == reverse)
        continue;
      Tuple earlier = elements[from];
      if (step.lowLanes)
        earlier = shuffled(earlier, last(lane(), step.lowLanes));
      if (failed(takeIn(reg, earlier, nullptr)))
        return failure();
    }
    return success();
  }

  LogicalResult stepInLanes(const ScanPlan::Step &step) {
    Value *set = builder.CreateICmpNE(builder.CreateAnd(lane(), builder.getInt32(step.bit)),
                                      builder.getInt32(0));
    Value *takes = reverse ? builder.CreateNot(set) : set;
    Value *half = reverse ? builder.CreateOr(lane(), builder.getInt32(step.bit))
                          : builder.CreateAnd(lane(), builder.getInt32(~step.bit));
    Value *from = last(half, step.lowLanes);
    std::map<uint32_t, Tuple> travelling;
    for (uint32_t reg = 0; reg < elements.size(); ++reg) {
      uint32_t source = last(reg, step.lowRegisters);
      if (!travelling.count(source))
        travelling[source] = shuffled(elements[source], from);
    }
    for (uint32_t reg = 0; reg < elements.size(); ++reg)
      if (failed(takeIn(reg, travelling[last(reg, step.lowRegisters)], takes)))
        return failure();
    return success();
  }

  // -- Shared memory -----------------------------------------------------------------

  /// Where a thread stores its totals (`withSlots`), or where the totals of its positions start.
  std::vector<ThreadAddress> scratch(int64_t begin, bool withSlots) {
    SmallVector<uint32_t> images;
    for (auto [position, slot] : zip_equal(plan.positionImages, plan.slotImages))
      images.push_back(position | (withSlots ? slot << plan.positionLog2 : 0));
    std::vector<ThreadAddress> addresses;
    for (Value *value : elements[0]) {
      unsigned bytes = memoryBytes(value->getType());
      Value *base = builder.CreateConstGEP1_32(builder.getInt8Ty(), emitter.state.shared, begin);
      addresses.emplace_back(emitter, base, emitter.threads.part(images), imageMask(images), bytes);
      begin += plan.scratchBytes(bytes);
    }
    return addresses;
  }

  /// The last element of each block that is scanned already, stored by the lane that has it.
  void storeTotals(std::vector<ThreadAddress> scratch) {
    BasicBlock *storing = emitter.blocks.create("totals"), *after = emitter.blocks.create("stored");
    Value *lowLane = builder.CreateAnd(lane(), builder.getInt32(plan.lowLanes));
    Value *mine = builder.CreateICmpEQ(lowLane, builder.getInt32(last(0u, plan.lowLanes)));
    builder.CreateCondBr(mine, storing, after);
    emitter.blocks.start(storing);
    for (uint32_t reg = 0; reg < elements.size(); ++reg)
      if (reg == last(reg, plan.lowRegisters))
        for (auto [address, value] : zip_equal(scratch, elements[reg]))
          storeShared(builder,
                      address.at(plan.positions[reg] | plan.slots[reg] << plan.positionLog2),
                      value);
    builder.CreateBr(after);
    emitter.blocks.start(after);
  }

  /// Running totals of the blocks of one position, in the order of the scan.
  std::optional<SmallVector<Tuple>> runningTotals(std::vector<ThreadAddress> &scratch,
                                                  uint32_t position) {
    uint32_t count = 1u << plan.slotLog2;
    SmallVector<Tuple> totals(count);
    for (auto [address, example] : zip_equal(scratch, elements[0]))
      for (uint32_t slot = 0; slot < count; ++slot)
        totals[reverse ? count - 1 - slot : slot].push_back(
            loadShared(builder, address.at(position | slot << plan.positionLog2),
                       example->getType(), 1)
                .front());
    // Nobody asks for the total of everything.
    for (uint32_t i = 1; i + 1 < count; ++i) {
      std::optional<Tuple> both = combine(emitter, op.getCombineOp(), totals[i - 1], totals[i]);
      if (!both)
        return std::nullopt;
      totals[i] = std::move(*both);
    }
    return totals;
  }

  /// Takes in the running total before the block of `reg`, whichever block the thread makes it.
  LogicalResult takeInTotals(uint32_t reg, ArrayRef<Tuple> totals) {
    Value *thread = emitter.threads.part(plan.slotImages);
    uint32_t mask = imageMask(plan.slotImages), flip = reverse ? totals.size() - 1 : 0;
    Tuple earlier;
    Value *takes = nullptr;
    // All subsets of the mask: what the thread can add.
    for (uint32_t added = mask;; added = (added - 1) & mask) {
      uint32_t rank = (plan.slots[reg] ^ added) ^ flip;
      Value *here = mask ? builder.CreateICmpEQ(thread, builder.getInt32(added)) : nullptr;
      if (rank == 0)
        takes = here ? builder.CreateNot(here) : builder.getFalse();
      else if (earlier.empty())
        earlier = totals[rank - 1];
      else
        for (auto [value, other] : zip_equal(earlier, totals[rank - 1]))
          value = builder.CreateSelect(here, other, value);
      if (!added)
        break;
    }
    return earlier.empty() ? success() : takeIn(reg, earlier, takes);
  }

  LogicalResult acrossWarps() {
    std::optional<int64_t> begin = emitter.allocationOf(op);
    if (!begin)
      return failure();
    storeTotals(scratch(*begin, /*withSlots=*/true));
    emitter.threads.barrier();
    std::vector<ThreadAddress> addresses = scratch(*begin, /*withSlots=*/false);
    std::map<uint32_t, SmallVector<Tuple>> totals;
    for (uint32_t reg = 0; reg < elements.size(); ++reg) {
      SmallVector<Tuple> &running = totals[plan.positions[reg]];
      if (running.empty()) {
        std::optional<SmallVector<Tuple>> made = runningTotals(addresses, plan.positions[reg]);
        if (!made)
          return failure();
        running = std::move(*made);
      }
      if (failed(takeInTotals(reg, running)))
        return failure();
    }
    return success();
  }

  Emitter &emitter;
  Builder &builder;
  tt::ScanOp op;
  const ScanPlan &plan;
  bool reverse;
  /// One tuple per register.
  SmallVector<Tuple> elements;
};

LogicalResult emitScan(Emitter &emitter, tt::ScanOp op) {
  std::optional<ScanPlan> plan =
      layout::planScan(emitter.types.layoutOf(op.getSrcs()[0].getType()), op.getAxis());
  if (!plan)
    return emitter.unsupported(op, "`tt.scan` of this layout");
  return Scan(emitter, op, *plan).run();
}

/// What the region returns is read by whoever emitted it.
LogicalResult emitScanReturn(Emitter &, tt::ScanReturnOp) { return success(); }

} // namespace

void addScan(EmitTable &table) {
  table.add<emitScan>();
  table.add<emitScanReturn>();
}

} // namespace gluonc::codegen
