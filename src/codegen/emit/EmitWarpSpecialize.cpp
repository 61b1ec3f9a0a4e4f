//===- EmitWarpSpecialize.cpp - Partitions on warps of their own ------------------===//
//
// How warps are told to run a partition: Workers.h.
//
// Where a kernel has one warp_specialize, and that not in a loop, workers do not go
// back: LLVM would move what partitions compute in front of the loop, and it would
// take registers from all of them.
//
// Registers. Groups that need few give the others away where their partitions begin, and
// those that need more wait for these. Nobody takes any back before all have met at
// the end: a warp without a partition would else take what one is still waiting for.
//
// Captures that are constants or arguments of the kernel are used directly; others go
// through shared memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Workers.h"

#include "ir/Captures.h"
#include "ir/Dialects.h"
#include "target/Partitions.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {

namespace {

/// Whether workers can use it: a constant, an argument, or made at the function's entry.
bool isKnownEverywhere(Emitter &emitter, Value *value) {
  if (llvm::isa<Constant, Argument>(value))
    return true;
  Instruction *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getParent() == emitter.blocks.entry;
}

int64_t integerAttribute(mlir::Operation *op, StringRef name) {
  auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

/// What travels through shared memory: the registers of the captures, eight bytes each, but those
/// of the kernel's arguments.
struct Captures {
  SmallVector<Registers> registers;
  /// Of each capture, where its registers begin; none for an argument.
  SmallVector<std::optional<int64_t>> places;

  Captures(Emitter &emitter, ttg::WarpSpecializeOp op) {
    int64_t next = integerAttribute(op, ttg::allocationOffsetAttr);
    for (mlir::Value capture : op.getCaptures()) {
      registers.push_back(emitter.get(capture));
      const int64_t count = ttg::placesOfCapture(capture);
      places.push_back(count ? std::optional(next) : std::nullopt);
      next += 8 * count;
    }
  }

  template <typename Visit> void forEachStored(Emitter &emitter, Visit visit) {
    for (auto [capture, place] : zip_equal(registers, places))
      for (auto [i, value] : enumerate(capture))
        if (place && !isKnownEverywhere(emitter, value))
          visit(value, sharedByte(emitter, *place + 8 * int64_t(i)));
  }

  void store(Emitter &emitter) {
    forEachStored(emitter, [&](Value *value, Value *place) {
      emitter.builder.CreateAlignedStore(value, place, Align(8), /*isVolatile=*/true);
    });
  }

  /// The captures as a worker sees them.
  SmallVector<Registers> load(Emitter &emitter) {
    Captures loaded = *this;
    loaded.forEachStored(emitter, [&](Value *&value, Value *place) {
      value = emitter.builder.CreateAlignedLoad(value->getType(), place, Align(8),
                                                /*isVolatile=*/true);
    });
    return std::move(loaded.registers);
  }
};

/// Registers of the default warps at the start, then of the groups of a warp_specialize.
struct RegisterPlan {
  ArrayRef<int32_t> actual;
  int32_t atStart;
  /// Of warps without a partition.
  int32_t idle = 0;

  RegisterPlan(Emitter &emitter, ttg::WarpSpecializeOp op)
      : actual(op.getActualRegisters().value_or(ArrayRef<int32_t>())),
        atStart(integerAttribute(op->getParentOfType<mlir::ModuleOp>(), ttg::maxRegistersAttr)) {
    if (auto rules = target::registerRules(emitter.state.target))
      idle = rules->fewest;
  }

  void enter(Emitter &emitter, int32_t count) const {
    if (!actual.empty() && count != atStart)
      emitter.isa.setRegisters(emitter.builder, count, count > atStart);
  }
  /// The last barrier of all, at which a group that had `count` has as many as at the start again.
  void leave(Emitter &emitter, int32_t count) const {
    if (!actual.empty() && count > atStart)
      emitter.isa.setRegisters(emitter.builder, atStart, /*grows=*/false);
    synchronizeAll(emitter);
    if (!actual.empty() && count < atStart)
      emitter.isa.setRegisters(emitter.builder, atStart, /*grows=*/true);
  }
};

struct Specialize {
  Emitter &emitter;
  ttg::WarpSpecializeOp op;
  Captures captures;
  RegisterPlan registers;

  /// What sends workers here.
  unsigned number;
  unsigned groupWarps;

  Specialize(Emitter &emitter, ttg::WarpSpecializeOp op)
      : emitter(emitter), op(op), captures(emitter, op), registers(emitter, op),
        number(emitter.workers.dispatch->getNumCases() + 1),
        groupWarps(target::partitionRules(emitter.state.target).groupWarps) {}

  /// Whether nothing else will ever be announced to the workers.
  bool runsOnce() {
    mlir::Operation *function = op->getParentOp();
    if (!isa<tt::FuncOp>(function) || emitter.threads.clusterSize() > 1)
      return false;
    unsigned count = 0;
    function->walk([&](ttg::WarpSpecializeOp) { ++count; });
    SmallVector<mlir::Block *> next(op->getBlock()->getSuccessors());
    SmallPtrSet<mlir::Block *, 8> reached;
    while (!next.empty())
      if (mlir::Block *block = next.pop_back_val(); reached.insert(block).second)
        llvm::append_range(next, block->getSuccessors());
    return count == 1 && !reached.contains(op->getBlock());
  }

  /// One partition, from the jump of its warps on.
  LogicalResult emitPartition(unsigned index, BasicBlock *start, BasicBlock *done) {
    emitter.blocks.start(start);
    unsigned first = (*op.getWarpGroupStartIds())[index];
    Threads::GroupScope scope(emitter.threads, {first, unsigned(op.getPartitionNumWarps()[index]),
                                                firstPartitionBarrier + index});
    mlir::Region &region = op.getPartitions()[index];
    for (auto [argument, values] : zip(region.getArguments(), captures.load(emitter)))
      emitter.set(argument, values);
    emitter.workers.partitionEnd = done;
    return emitter.emitRegion(region);
  }

  /// Warps of one group, which own registers together.
  LogicalResult emitGroup(unsigned firstWarp, Value *warp, BasicBlock *start, BasicBlock *loop) {
    Builder &builder = emitter.builder;
    emitter.blocks.start(start);
    int32_t count = registers.idle;
    ArrayRef<int32_t> starts = *op.getWarpGroupStartIds(), sizes = op.getPartitionNumWarps();
    BasicBlock *done = emitter.blocks.create("group.done");
    SmallVector<std::pair<unsigned, BasicBlock *>> partitions;
    auto overlaps = [&](unsigned i) {
      return starts[i] < int32_t(firstWarp + groupWarps) &&
             starts[i] + sizes[i] > int32_t(firstWarp);
    };
    for (unsigned i = 0; i < starts.size(); ++i)
      if (overlaps(i) && !registers.actual.empty())
        count = registers.actual[1 + i];
    registers.enter(emitter, count);
    SwitchInst *which = builder.CreateSwitch(warp, done);
    for (unsigned i = 0; i < starts.size(); ++i) {
      if (!overlaps(i))
        continue;
      BasicBlock *&block = blocks[i];
      if (!block) {
        block = emitter.blocks.create("partition" + Twine(i));
        // The groups of a larger partition are its own, so they may end in one place.
        ends[i] = {done, emitter.blocks.create("partition" + Twine(i) + ".end")};
      }
      for (int32_t w = starts[i]; w < starts[i] + sizes[i]; ++w)
        if (unsigned(w) >= firstWarp && unsigned(w) < firstWarp + groupWarps)
          which->addCase(builder.getInt32(w), block);
    }
    emitter.blocks.start(done);
    registers.leave(emitter, count);
    if (!runsOnce()) {
      builder.CreateBr(loop);
      return success();
    }
    // The next announcement is the last.
    synchronizeAll(emitter);
    builder.CreateBr(emitter.workers.dispatch->getDefaultDest());
    return success();
  }

  LogicalResult emitWorkers() {
    Builder &builder = emitter.builder;
    Builder::InsertPointGuard guard(builder);
    BasicBlock *loop = emitter.workers.start;
    BasicBlock *start = emitter.blocks.create("partitions");
    emitter.workers.dispatch->addCase(builder.getInt32(number), start);
    emitter.blocks.start(start);
    // Relative to the default warps, which begin at zero.
    Value *warp = emitter.threads.warpId();
    Value *group = builder.CreateLShr(warp, Log2_32(groupWarps));
    BasicBlock *none = emitter.blocks.create("group.none");
    SwitchInst *groups = builder.CreateSwitch(group, none);
    emitter.blocks.start(none);
    builder.CreateUnreachable();
    // Default warps that fill no group have others, without a partition, in theirs.
    for (unsigned first = alignDown(emitter.threads.group.count, groupWarps);
         first < emitter.state.kernel.numWarps; first += groupWarps) {
      BasicBlock *block = emitter.blocks.create("group");
      groups->addCase(builder.getInt32(first / groupWarps), block);
      if (failed(emitGroup(first, warp, block, loop)))
        return failure();
    }
    for (auto &[index, block] : blocks) {
      auto [done, end] = ends[index];
      if (failed(emitPartition(index, block, end)))
        return failure();
      emitter.blocks.start(end);
      builder.CreateBr(done);
    }
    return success();
  }

  /// Of each partition: where it begins, where it ends, and where its group goes on.
  std::map<unsigned, BasicBlock *> blocks;
  std::map<unsigned, std::pair<BasicBlock *, BasicBlock *>> ends;
};

LogicalResult emitSpecialize(Emitter &emitter, ttg::WarpSpecializeOp op) {
  if (!op.getWarpGroupStartIds())
    return emitter.unsupported(op, "`ttg.warp_specialize` without allocated warps");
  for (mlir::Value capture : op.getCaptures())
    if (isa<mlir::RankedTensorType>(capture.getType()))
      return emitter.unsupported(op, "a tensor that a partition captures");
  if (!emitter.workers.dispatch)
    startWorkers(emitter, op);
  Specialize specialize(emitter, op);
  inFirstThread(emitter, [&] {
    specialize.captures.store(emitter);
    announce(emitter, op, specialize.number);
  });
  synchronizeAll(emitter);
  if (failed(specialize.emitWorkers()))
    return failure();
  if (!specialize.registers.actual.empty())
    specialize.registers.enter(emitter, specialize.registers.actual[0]);
  BasicBlock *end = emitter.blocks.create("default.end");
  {
    Builder::InsertPointGuard guard(emitter.builder);
    emitter.blocks.start(end);
    SmallVector<PHINode *> results = emitter.blocks.newPhis(op.getResultTypes());
    emitter.blocks.setCarried(op.getResults(), results);
    emitter.workers.defaultEnds.push_back({end, results});
  }
  if (failed(emitter.emitRegion(op.getDefaultRegion())))
    return failure();
  emitter.workers.defaultEnds.pop_back();
  emitter.blocks.start(end);
  const RegisterPlan &plan = specialize.registers;
  plan.leave(emitter, plan.actual.empty() ? plan.atStart : plan.actual[0]);
  return success();
}

LogicalResult emitYield(Emitter &emitter, ttg::WarpYieldOp op) {
  auto &[end, phis] = emitter.workers.defaultEnds.back();
  for (auto [phi, value] : zip_equal(phis, emitter.blocks.carry(op.getOperands())))
    phi->addIncoming(value, emitter.builder.GetInsertBlock());
  emitter.builder.CreateBr(end);
  return success();
}

LogicalResult emitWarpReturn(Emitter &emitter, ttg::WarpReturnOp) {
  emitter.builder.CreateBr(emitter.workers.partitionEnd);
  return success();
}

} // namespace

void addWarpSpecialize(EmitTable &table) {
  table.add<emitSpecialize>();
  table.add<emitYield>();
  table.add<emitWarpReturn>();
  // Dealt with by the operation around it.
  table.add<+[](Emitter &, ttg::WarpSpecializePartitionsOp) -> LogicalResult {
    return success();
  }>();
}

} // namespace gluonc::codegen
