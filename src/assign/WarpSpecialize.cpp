//===- WarpSpecialize.cpp - Copies from a warp of their own ------------------------===//
//
// Loops that load through descriptors, where the author asks for it (`tt.warp_specialize`, on the
// loop or on one around it): one warp more starts their copies, as soon as there is room. All else
// of the kernel is the default partition, which copies nothing:
//
//   for i:                     default:                       partition, of one warp:
//     x = descriptor_load d      for i:                         for i:
//     compute with x               wait for filled[slot]          wait for drained[slot]
//                        ==>       compute with ring[slot]        copy d to ring[slot],
//                        filled[slot]
//                                  arrive at drained[slot]        next slot
//                                  next slot
//
// Each warp arrives at `drained` by itself: warps wait for blocks, never for each other, and groups
// of warps drift apart until one computes while the other multiplies.
//
// What bounds, conditions and addresses depend on, scalars alone, runs in both partitions. The
// rings are those of all such loops of the kernel, which must be of one kind: they go on from one
// loop, and from one iteration of a loop around it, to the next.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/DrainingBody.h"
#include "assign/WarpPlan.h"
#include "ir/Report.h"
#include "target/Features.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::Copy;
using assign::Fetch;
using assign::Turn;
using assign::WarpPlan;

/// Registers of a thread that starts copies, the fewest that can be asked for.
constexpr int32_t copyRegisters = 24;
/// Registers at the start where four warps compute and two programs fit: they end up with 232.
constexpr int32_t registersAtStart = 128;

/// Builds one of the two partitions from the kernel.
class Partition {
public:
  Partition(const WarpPlan &plan, const assign::Rings &rings, ArrayRef<assign::BoxBarriers> drained,
            OpBuilder &builder)
      : plan(plan), rings(rings), drained(drained), builder(builder) {}
  virtual ~Partition() = default;

  /// What of `block` belongs here, but its terminator; `map` says what is made already.
  Turn make(Block &block, Turn turn, IRMapping &map);

protected:
  virtual bool keeps(Value carried) const = 0;
  virtual void makeOp(Operation &op, Turn turn, IRMapping &map) = 0;
  /// Of a loop that copies.
  virtual Turn makeBody(scf::ForOp loop, const Fetch &fetch, Turn turn, IRMapping &map) = 0;
  virtual void leave(scf::ForOp, Turn, MutableArrayRef<Value>, IRMapping &) {}

  Turn next(Turn turn, Location loc) {
    return {assign::nextSlot(builder, loc, turn.slot, plan.slots),
            assign::nextPhase(builder, loc, turn, plan.slots)};
  }

  const WarpPlan &plan;
  const assign::Rings &rings;
  ArrayRef<assign::BoxBarriers> drained;
  OpBuilder &builder;

private:
  Turn makeFor(scf::ForOp loop, Turn turn, IRMapping &map);
  Turn makeIf(scf::IfOp choice, Turn turn, IRMapping &map);
  void yield(ValueRange values, ArrayRef<unsigned> kept, Turn turn, IRMapping &map, Location loc);
};

SmallVector<Value> lookUp(ValueRange values, ArrayRef<unsigned> kept, const IRMapping &map) {
  return llvm::map_to_vector(kept,
                             [&](unsigned number) { return map.lookupOrDefault(values[number]); });
}

Turn Partition::make(Block &block, Turn turn, IRMapping &map) {
  for (Operation &op : block.without_terminator()) {
    if (!plan.holdsLoop(&op))
      makeOp(op, turn, map);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      turn = makeFor(loop, turn, map);
    else
      turn = makeIf(cast<scf::IfOp>(op), turn, map);
  }
  return turn;
}

void Partition::yield(ValueRange values, ArrayRef<unsigned> kept, Turn turn, IRMapping &map,
                      Location loc) {
  SmallVector<Value> yields = lookUp(values, kept, map);
  yields.append({turn.slot, turn.phase});
  scf::YieldOp::create(builder, loc, yields);
}

Turn Partition::makeFor(scf::ForOp loop, Turn turn, IRMapping &map) {
  Location loc = loop.getLoc();
  SmallVector<unsigned> kept;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (keeps(argument))
      kept.push_back(number);
  SmallVector<Value> inits = lookUp(loop.getInitArgs(), kept, map);
  inits.append({turn.slot, turn.phase});
  const Fetch *fetch = plan.fetchOf(loop);
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  auto made = scf::ForOp::create(builder, loc, mapped(loop.getLowerBound()),
                                 mapped(loop.getUpperBound()), mapped(loop.getStep()), inits);
  made->setAttrs(loop->getAttrs());
  made->removeAttr(warpSpecializeAttr);
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  map.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [i, number] : llvm::enumerate(kept))
    map.map(loop.getRegionIterArg(number), made.getRegionIterArg(i));
  if (fetch)
    made->removeAttr(numStagesAttr);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(made.getBody());
    Turn inside{*(made.getRegionIterArgs().end() - 2), made.getRegionIterArgs().back()};
    inside = fetch ? makeBody(loop, *fetch, inside, map) : make(*loop.getBody(), inside, map);
    yield(loop.getYieldedValues(), kept, inside, map, loc);
  }
  SmallVector<Value> results(made.getResults());
  Turn after{*(results.end() - 2), results.back()};
  if (fetch)
    leave(loop, after, results, map);
  for (auto [i, number] : llvm::enumerate(kept))
    map.map(loop.getResult(number), results[i]);
  return after;
}

Turn Partition::makeIf(scf::IfOp choice, Turn turn, IRMapping &map) {
  Location loc = choice.getLoc();
  SmallVector<unsigned> kept;
  SmallVector<Type> types;
  for (OpResult result : choice.getResults())
    if (keeps(result)) {
      kept.push_back(result.getResultNumber());
      types.push_back(result.getType());
    }
  types.append({turn.slot.getType(), turn.phase.getType()});
  auto made = scf::IfOp::create(builder, loc, types, map.lookupOrDefault(choice.getCondition()),
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : llvm::zip(choice->getRegions(), made->getRegions())) {
    builder.setInsertionPointToEnd(&to.front());
    ValueRange values = from.empty() ? ValueRange() : from.front().getTerminator()->getOperands();
    Turn after = from.empty() ? turn : make(from.front(), turn, map);
    yield(values, kept, after, map, loc);
  }
  for (auto [i, number] : llvm::enumerate(kept))
    map.map(choice.getResult(number), made.getResult(i));
  return {made.getResult(kept.size()), made.getResult(kept.size() + 1)};
}

/// The warp that starts the copies.
class Producer final : public Partition {
  using Partition::Partition;

  bool keeps(Value carried) const override { return plan.needs(carried); }

  void makeOp(Operation &op, Turn turn, IRMapping &map) override {
    const Fetch *fetch = plan.fetchOf(op.getParentOp());
    const Copy *copy = fetch && op.getNumResults() == 1 ? fetch->copyOf(op.getResult(0)) : nullptr;
    if (copy)
      start(*fetch, *copy, turn, map);
    else if (plan.needs(&op))
      builder.clone(op, map);
  }

  void start(const Fetch &fetch, const Copy &copy, Turn turn, IRMapping &map) {
    auto load = cast<tt::DescriptorLoadOp>(copy.load);
    Location loc = load.getLoc();
    auto constant = [&](Type type, int64_t value) -> Value {
      return arith::ConstantIntOp::create(builder, loc, type, value);
    };
    Value yes = constant(builder.getI1Type(), 1);
    const assign::BoxBarriers &filled = rings.filled[*copy.box];
    if (&copy == llvm::find_if(fetch.copies, [&](const Copy &c) { return c.box == copy.box; })) {
      // In the first round every slot is free.
      Value before =
          arith::XOrIOp::create(builder, loc, turn.phase, constant(builder.getI32Type(), 1));
      drained[*copy.box].wait(builder, turn.slot, before);
      filled.expect(builder, turn.slot, fetch.boxBytes[*copy.box], yes);
    }
    auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
    Value buffer =
        assign::bufferAt(builder, loc, rings.buffers[&copy - fetch.copies.begin()], turn.slot);
    filled.copy(builder, load, mapped(load.getDesc()),
                llvm::map_to_vector(load.getIndices(), mapped), turn.slot, buffer, yes);
  }

  Turn makeBody(scf::ForOp loop, const Fetch &, Turn turn, IRMapping &map) override {
    make(*loop.getBody(), turn, map);
    return next(turn, loop.getLoc());
  }
};

/// The default partition.
class Consumer final : public Partition {
  using Partition::Partition;

  bool keeps(Value) const override { return true; }

  void makeOp(Operation &op, Turn, IRMapping &map) override { builder.clone(op, map); }

  Value compare(arith::CmpIPredicate how, Value a, Value b) {
    return arith::CmpIOp::create(builder, a.getLoc(), how, a, b);
  }

  Turn makeBody(scf::ForOp loop, const Fetch &fetch, Turn turn, IRMapping &map) override {
    body.emplace(fetch, rings, drained, builder, turn, plan.slots);
    body->make(compare(arith::CmpIPredicate::ne, map.lookup(loop.getInductionVar()),
                       map.lookupOrDefault(loop.getLowerBound())),
               map);
    return next(turn, loop.getLoc());
  }

  void leave(scf::ForOp loop, Turn after, MutableArrayRef<Value> results, IRMapping &map) override {
    body->leave(results, after.slot,
                compare(arith::CmpIPredicate::slt, map.lookupOrDefault(loop.getLowerBound()),
                        map.lookupOrDefault(loop.getUpperBound())));
  }

  std::optional<assign::DrainingBody> body;
};

/// Lets the partition see what it uses from outside as captures; constants it has itself.
void capture(ttg::WarpSpecializePartitionsOp holder, Region &partition) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(partition, used);
  OpBuilder builder = OpBuilder::atBlockBegin(&partition.front());
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    Value inside;
    if (op && op->hasTrait<OpTrait::ConstantLike>()) {
      inside = builder.clone(*op)->getResult(0);
    } else {
      holder.getExplicitCapturesMutable().append(value);
      inside = partition.addArgument(value.getType(), value.getLoc());
    }
    replaceAllUsesInRegionWith(value, inside, partition);
  }
}

/// Makes the partitions of `body`, the kernel as it was.
void makePartitions(ttg::WarpSpecializeOp both, const WarpPlan &plan, const assign::Rings &rings,
                    ArrayRef<assign::BoxBarriers> drained, Turn start, Block &body) {
  OpBuilder builder(both);
  IRMapping consuming, producing;
  builder.setInsertionPointToEnd(&both.getDefaultRegion().front());
  Consumer(plan, rings, drained, builder).make(body, start, consuming);
  ttg::WarpYieldOp::create(builder, both.getLoc(), ValueRange());
  Region &partition = both.getPartitions().front();
  builder.setInsertionPointToEnd(&partition.front());
  Producer(plan, rings, drained, builder).make(body, start, producing);
  ttg::WarpReturnOp::create(builder, both.getLoc());
  capture(both.getPartitionOp(), partition);
}

void specialize(tt::FuncOp function, const WarpPlan &plan) {
  Block &kernel = function.getBody().front();
  Block *body = kernel.splitBlock(kernel.begin());
  // What copies depend on stays in front of both partitions.
  for (Operation &op : llvm::make_early_inc_range(*body))
    if (plan.needs(&op) && op.isBeforeInBlock(plan.start()))
      op.moveBefore(&kernel, kernel.end());
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel);
  Location loc = plan.start()->getLoc();
  const int32_t warps = ttg::numWarpsOf(function);
  assign::Rings rings(builder, loc, plan.first(), plan.slots);
  SmallVector<assign::BoxBarriers> drained;
  for (size_t i = 0; i < rings.filled.size(); ++i)
    drained.emplace_back(builder, loc, plan.slots, warps);
  Value zero = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 0);
  // What threads did with this memory before: neither partition has to show it to the copy engine.
  ttng::FenceAsyncSharedOp::create(builder, loc, /*bCluster=*/false);
  auto both = ttg::WarpSpecializeOp::create(builder, loc, TypeRange(), ArrayRef<int32_t>{1},
                                            ValueRange(), ArrayRef<int32_t>{copyRegisters});
  makePartitions(both, plan, rings, drained, {zero, zero}, *body);
  body->getTerminator()->moveBefore(&kernel, kernel.end());
  body->erase();
  auto module = function->getParentOfType<ModuleOp>();
  if (warps == 4 && plan.fitsTwice && !module->hasAttr(ttg::maxRegistersAttr))
    module->setAttr(ttg::maxRegistersAttr, builder.getI32IntegerAttr(registersAtStart));
}

class WarpSpecializePass : public PassWrapper<WarpSpecializePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WarpSpecializePass)

  WarpSpecializePass(const target::Target &target, bool remarks)
      : target(target), remarks(remarks) {}
  llvm::StringRef getArgument() const override { return "gluonc-warp-specialize-loops"; }
  llvm::StringRef getDescription() const override {
    return "Start the copies of loops from a warp of their own";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()) || !target::has(target, target::Feature::WarpgroupMma))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      WarpPlan plan(function, target);
      if (function.isExternal())
        continue;
      const bool fits = plan.find();
      if (remarks)
        tell(plan, fits);
      if (fits)
        specialize(function, plan);
    }
  }

private:
  static void tell(const WarpPlan &plan, bool fits) {
    if (!fits && plan.asking())
      report(diag::Kind::LoopNotSpecialized, plan.asking()->getLoc(), plan.reason());
    if (!fits)
      return;
    std::string iterations = "up to " + std::to_string(plan.slots) + " iterations";
    for (const Fetch &fetch : plan.all())
      for (const Copy &copy : fetch.copies)
        report(diag::Kind::LoadAhead, copy.load->getLoc(), iterations,
               "the TMA, which a warp of its own starts");
  }

  target::Target target;
  bool remarks;
};

} // namespace

std::unique_ptr<Pass> createWarpSpecializePass(const target::Target &target, bool remarks) {
  return std::make_unique<WarpSpecializePass>(target, remarks);
}

} // namespace gluonc
