//===- EmitWarpSpecialize.cpp - Partitions on warps of their own ------------------===//
//
// Warps beyond the kernel's own wait, from the start of the kernel, to be told
// what to run:
//
//     default warps                     workers
//     ─────────────                     ───────
//                                       loop: meet
//     write captures, number of op
//     meet   ─────────────────────────▶ read number, jump to the partition of
//     run the default region            this warp, run it
//     meet   ◀───────────────────────── meet, back to loop
//     …
//     write 0, meet ──────────────────▶ exit
//
// The number is written and read by atomics, though the meetings order its accesses:
// compute-sanitizer's racecheck does not follow a barrier that threads come to from
// several places. (Nor does its synccheck like `barrier.red` there, which would need
// no memory.)
//
// To meet the other CTAs of a cluster, all threads of each must come: the default
// warps announce that, too, and workers that have met them go back to the loop.
//
// While parts run, those with one number meet across the CTAs by barrier objects of
// their own: two in turns, so that nobody can be a whole round ahead of another that
// still waits, and a count of rounds, all behind each other in shared memory.
//
// Where a kernel has one warp_specialize, and that not in a loop, workers do not go
// back: LLVM would move what partitions compute in front of the loop, and it would
// take registers from all of them.
//
// Registers. Groups that need few give the others away where their parts begin, and
// those that need more wait for these. Nobody takes any back before all have met at
// the end: a warp without a part would else take what a part is still waiting for.
//
// "Meet" is hardware barrier 1 with all threads. Default warps use barrier 0
// among themselves, partition i barrier 2 + i. Captures that are constants or
// arguments of the kernel are used directly; others go through shared memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emitter.h"

#include "ir/ClusterState.h"
#include "ir/Dialects.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {

bool Emitter::isKnownEverywhere(Value *value) const {
  if (llvm::isa<Constant, Argument>(value))
    return true;
  Instruction *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getParent() == entry;
}

namespace {

constexpr unsigned meetingId = 1, firstPartitionBarrier = 2;

void meet(Emitter &emitter) {
  emitter.isa.meetingBarrier(emitter.builder, meetingId,
                             emitter.state.kernel.numWarps * emitter.state.target.warpSize());
}

Value *sharedByte(Emitter &emitter, int64_t offset) {
  return emitter.builder.CreateConstGEP1_32(emitter.builder.getInt8Ty(), emitter.state.shared,
                                            offset);
}

int64_t integerAttribute(mlir::Operation *op, StringRef name) {
  auto value = op->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

/// Volatile, or LLVM would make loads and stores of them.
Value *atomically(Builder &builder, AtomicRMWInst::BinOp how, Value *place, unsigned operand) {
  AtomicRMWInst *access = builder.CreateAtomicRMW(how, place, builder.getInt32(operand), Align(4),
                                                  AtomicOrdering::Monotonic);
  access->setVolatile(true);
  return access;
}

Value *stateOf(Emitter &emitter, mlir::Operation *op) {
  return sharedByte(emitter,
                    integerAttribute(op->getParentOfType<mlir::ModuleOp>(), ttg::warpStateAttr));
}

/// Stores in the first thread of the default warps only.
template <typename Store> void inFirstThread(Emitter &emitter, Store store) {
  BasicBlock *only = emitter.newBlock("first"), *then = emitter.newBlock("then");
  Builder &builder = emitter.builder;
  Value *isFirst = builder.CreateICmpEQ(emitter.threadId(), builder.getInt32(0));
  builder.CreateCondBr(isFirst, only, then);
  emitter.startBlock(only);
  store();
  builder.CreateBr(then);
  emitter.startBlock(then);
}

/// Tells the workers what to do next.
void announce(Emitter &emitter, mlir::Operation *op, unsigned what) {
  atomically(emitter.builder, AtomicRMWInst::Xchg, stateOf(emitter, op), what);
}

/// What the default warps announced: one thread of each warp asks.
Value *announced(Emitter &emitter, mlir::Operation *op) {
  Builder &builder = emitter.builder;
  BasicBlock *asks = emitter.newBlock("asks"), *then = emitter.newBlock("asked");
  BasicBlock *before = builder.GetInsertBlock();
  Value *lane = builder.CreateAnd(emitter.threadId(), emitter.state.target.warpSize() - 1);
  builder.CreateCondBr(builder.CreateIsNull(lane), asks, then);
  builder.SetInsertPoint(asks);
  Value *found = atomically(builder, AtomicRMWInst::Or, stateOf(emitter, op), 0);
  builder.CreateBr(then);
  builder.SetInsertPoint(then);
  PHINode *value = builder.CreatePHI(builder.getInt32Ty(), 2);
  value->addIncoming(found, asks);
  value->addIncoming(builder.getInt32(0), before);
  return emitter.isa.shuffle(builder, value, builder.getInt32(0));
}

std::optional<int64_t> clusterState(mlir::Operation *op) {
  auto value = op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(
      ttg::clusterStateAttr);
  return value ? std::optional<int64_t>(value.getInt()) : std::nullopt;
}

/// At the kernel's start, by all threads: begins what parts will meet their peers at.
void beginClusterState(Emitter &emitter, mlir::Operation *op) {
  std::optional<int64_t> begin = clusterState(op);
  if (!begin)
    return;
  Builder &builder = emitter.builder;
  // The state is the last thing in shared memory.
  int64_t end = emitter.state.kernel.sharedBytes;
  Value *first = emitter.isFirstThread(Emitter::Among::Cta);
  for (int64_t at = *begin; at < end; at += ttg::clusterStateBytes)
    for (int64_t object : {0, 8})
      emitter.isa.beginPeerBarrier(builder, sharedByte(emitter, at + object),
                                   emitter.clusterSize() - 1, first);
  inFirstThread(emitter, [&] {
    for (int64_t at = *begin; at < end; at += ttg::clusterStateBytes)
      builder.CreateStore(builder.getInt32(0), sharedByte(emitter, at + 16), /*isVolatile=*/true);
  });
  emitter.isa.clusterBarrier(builder, /*relaxed=*/false);
}

/// The loop of the workers, and the branch at the kernel's start that leads there.
void startWorkers(Emitter &emitter, mlir::Operation *op) {
  Builder &builder = emitter.builder;
  Builder::InsertPointGuard guard(builder);
  BasicBlock *loop = emitter.newBlock("workers"), *exit = emitter.newBlock("workers.exit");
  BasicBlock *dispatch = emitter.newBlock("dispatch");
  auto *jump = cast<BranchInst>(emitter.entry->getTerminator());
  BasicBlock *body = jump->getSuccessor(0);
  jump->setSuccessor(0, dispatch);
  builder.SetInsertPoint(dispatch);
  beginClusterState(emitter, op);
  Value *mine = builder.CreateICmpULT(emitter.threadId(), builder.getInt32(emitter.threads()));
  builder.CreateCondBr(mine, body, loop);

  builder.SetInsertPoint(loop);
  meet(emitter);
  emitter.workers = builder.CreateSwitch(announced(emitter, op), exit);
  emitter.workersStart = loop;
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
}

/// What travels through shared memory: the registers of the captures, eight bytes each.
struct Captures {
  SmallVector<Registers> registers;
  int64_t offset;

  Captures(Emitter &emitter, ttg::WarpSpecializeOp op)
      : offset(integerAttribute(op, ttg::allocationOffsetAttr)) {
    for (mlir::Value capture : op.getCaptures())
      registers.push_back(emitter.get(capture));
  }

  template <typename Visit> void forEachStored(Emitter &emitter, Visit visit) {
    int64_t at = offset;
    for (Registers &capture : registers)
      for (Value *&value : capture) {
        if (!emitter.isKnownEverywhere(value))
          visit(value, sharedByte(emitter, at));
        at += 8;
      }
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

  RegisterPlan(ttg::WarpSpecializeOp op)
      : actual(op.getActualRegisters().value_or(ArrayRef<int32_t>())),
        atStart(integerAttribute(op->getParentOfType<mlir::ModuleOp>(), ttg::maxRegistersAttr)) {}

  void enter(Emitter &emitter, int32_t count) const {
    if (!actual.empty() && count != atStart)
      emitter.isa.setRegisters(emitter.builder, count, count > atStart);
  }
  /// The last meeting, at which a group that had `count` has as many as at the start again.
  void leave(Emitter &emitter, int32_t count) const {
    if (!actual.empty() && count > atStart)
      emitter.isa.setRegisters(emitter.builder, atStart, /*grows=*/false);
    meet(emitter);
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

  Specialize(Emitter &emitter, ttg::WarpSpecializeOp op)
      : emitter(emitter), op(op), captures(emitter, op), registers(op),
        number(emitter.workers->getNumCases() + 1) {}

  /// Whether nothing else will ever be announced to the workers.
  bool runsOnce() {
    mlir::Operation *function = op->getParentOp();
    if (!isa<tt::FuncOp>(function) || emitter.clusterSize() > 1)
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
    emitter.startBlock(start);
    unsigned first = (*op.getWarpGroupStartIds())[index];
    Emitter::GroupScope scope(emitter, {first, unsigned(op.getPartitionNumWarps()[index]),
                                        firstPartitionBarrier + index});
    mlir::Region &region = op.getPartitions()[index];
    for (auto [argument, values] : zip(region.getArguments(), captures.load(emitter)))
      emitter.set(argument, values);
    emitter.partitionEnd = done;
    return emitter.emitRegion(region);
  }

  /// Warps of one group of four, which own registers together.
  LogicalResult emitGroup(unsigned firstWarp, Value *warp, BasicBlock *start, BasicBlock *loop) {
    Builder &builder = emitter.builder;
    emitter.startBlock(start);
    int32_t count = 24;
    ArrayRef<int32_t> starts = *op.getWarpGroupStartIds(), sizes = op.getPartitionNumWarps();
    BasicBlock *done = emitter.newBlock("group.done");
    SmallVector<std::pair<unsigned, BasicBlock *>> partitions;
    auto overlaps = [&](unsigned i) {
      return unsigned(starts[i]) < firstWarp + 4 && unsigned(starts[i] + sizes[i]) > firstWarp;
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
        block = emitter.newBlock("partition" + Twine(i));
        // The groups of a larger partition are its own, so they may end in one place.
        ends[i] = {done, emitter.newBlock("partition" + Twine(i) + ".end")};
      }
      for (int32_t w = starts[i]; w < starts[i] + sizes[i]; ++w)
        if (unsigned(w) >= firstWarp && unsigned(w) < firstWarp + 4)
          which->addCase(builder.getInt32(w), block);
    }
    emitter.startBlock(done);
    registers.leave(emitter, count);
    if (!runsOnce()) {
      builder.CreateBr(loop);
      return success();
    }
    // The next announcement is the last.
    meet(emitter);
    builder.CreateBr(emitter.workers->getDefaultDest());
    return success();
  }

  LogicalResult emitWorkers() {
    Builder &builder = emitter.builder;
    Builder::InsertPointGuard guard(builder);
    BasicBlock *loop = emitter.workersStart;
    BasicBlock *start = emitter.newBlock("partitions");
    emitter.workers->addCase(builder.getInt32(number), start);
    emitter.startBlock(start);
    // Relative to the default warps, which begin at zero.
    Value *warp = emitter.warpId();
    Value *group = builder.CreateLShr(warp, 2u);
    BasicBlock *none = emitter.newBlock("group.none");
    SwitchInst *groups = builder.CreateSwitch(group, none);
    emitter.startBlock(none);
    builder.CreateUnreachable();
    for (unsigned first = alignTo(emitter.group.count, 4); first < emitter.state.kernel.numWarps;
         first += 4) {
      BasicBlock *block = emitter.newBlock("group");
      groups->addCase(builder.getInt32(first / 4), block);
      if (failed(emitGroup(first, warp, block, loop)))
        return failure();
    }
    for (auto &[index, block] : blocks) {
      auto [done, end] = ends[index];
      if (failed(emitPartition(index, block, end)))
        return failure();
      emitter.startBlock(end);
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
  if (!emitter.workers)
    startWorkers(emitter, op);
  Specialize specialize(emitter, op);
  inFirstThread(emitter, [&] {
    specialize.captures.store(emitter);
    announce(emitter, op, specialize.number);
  });
  meet(emitter);
  if (failed(specialize.emitWorkers()))
    return failure();
  if (!specialize.registers.actual.empty())
    specialize.registers.enter(emitter, specialize.registers.actual[0]);
  BasicBlock *end = emitter.newBlock("default.end");
  {
    Builder::InsertPointGuard guard(emitter.builder);
    emitter.startBlock(end);
    SmallVector<PHINode *> results = emitter.newPhis(op.getResultTypes());
    emitter.setCarried(op.getResults(), results);
    emitter.defaultEnds.push_back({end, results});
  }
  if (failed(emitter.emitRegion(op.getDefaultRegion())))
    return failure();
  emitter.defaultEnds.pop_back();
  emitter.startBlock(end);
  const RegisterPlan &plan = specialize.registers;
  plan.leave(emitter, plan.actual.empty() ? plan.atStart : plan.actual[0]);
  return success();
}

LogicalResult emitYield(Emitter &emitter, ttg::WarpYieldOp op) {
  auto &[end, phis] = emitter.defaultEnds.back();
  for (auto [phi, value] : zip_equal(phis, emitter.carry(op.getOperands())))
    phi->addIncoming(value, emitter.builder.GetInsertBlock());
  emitter.builder.CreateBr(end);
  return success();
}

LogicalResult emitWarpReturn(Emitter &emitter, ttg::WarpReturnOp) {
  emitter.builder.CreateBr(emitter.partitionEnd);
  return success();
}

} // namespace

void Emitter::releaseWorkers(mlir::Operation *op) {
  if (group.count == state.kernel.numWarps || !cast<tt::FuncOp>(source).isPublic())
    return;
  inFirstThread(*this, [&] { announce(*this, op, 0); });
  meet(*this);
}

/// One part meets those of the same number in the other CTAs.
static LogicalResult meetAsPart(Emitter &emitter, mlir::Operation *op) {
  std::optional<int64_t> begin = clusterState(op);
  if (!begin)
    return emitter.unsupported(op, "a barrier of the cluster without allocated shared memory");
  Builder &builder = emitter.builder;
  const WarpGroup &group = emitter.group;
  unsigned part = group.first ? group.barrier - firstPartitionBarrier + 1 : 0;
  int64_t at = *begin + part * ttg::clusterStateBytes;
  Value *count = sharedByte(emitter, at + 16);
  Value *round = builder.CreateLoad(builder.getInt32Ty(), count, /*isVolatile=*/true);
  emitter.barrier();
  Value *object = builder.CreateShl(builder.CreateAnd(round, builder.getInt32(1)), 3);
  Value *own = builder.CreateGEP(builder.getInt8Ty(), sharedByte(emitter, at), object);
  Value *phase = builder.CreateAnd(builder.CreateLShr(round, 1), builder.getInt32(1));
  // Thread i tells the CTA whose number differs by i + 1.
  Value *thread = emitter.threadId();
  Value *rank =
      builder.CreateXor(emitter.clusterRank(), builder.CreateAdd(thread, builder.getInt32(1)));
  Value *tells = builder.CreateICmpULT(thread, builder.getInt32(emitter.clusterSize() - 1));
  rank = builder.CreateAnd(rank, builder.getInt32(emitter.clusterSize() - 1));
  emitter.isa.meetPeers(builder, own, emitter.isa.peerAddress(builder, own, rank), tells, phase);
  inFirstThread(emitter, [&] {
    builder.CreateStore(builder.CreateAdd(round, builder.getInt32(1)), count,
                        /*isVolatile=*/true);
  });
  emitter.barrier();
  return success();
}

LogicalResult Emitter::clusterBarrier(mlir::Operation *op, bool relaxed) {
  if (op->getParentOfType<ttg::WarpSpecializeOp>())
    return meetAsPart(*this, op);
  if (group.count == state.kernel.numWarps) {
    isa.clusterBarrier(builder, relaxed);
    return success();
  }
  if (!cast<tt::FuncOp>(source).isPublic())
    return unsupported(op, "a barrier of the cluster in a function that is not inlined");
  if (!workers)
    startWorkers(*this, op);
  if (!workersMeetCluster) {
    workersMeetCluster = workers->getNumCases() + 1;
    Builder::InsertPointGuard guard(builder);
    BasicBlock *block = newBlock("workers.cluster");
    workers->addCase(builder.getInt32(workersMeetCluster), block);
    builder.SetInsertPoint(block);
    isa.clusterBarrier(builder, /*relaxed=*/false);
    builder.CreateBr(workersStart);
  }
  inFirstThread(*this, [&] { announce(*this, op, workersMeetCluster); });
  meet(*this);
  // Behind it all workers have read the announcement, so it may change.
  isa.clusterBarrier(builder, /*relaxed=*/false);
  return success();
}

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
