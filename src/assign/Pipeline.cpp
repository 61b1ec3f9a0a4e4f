//===- Pipeline.cpp - Loops that load ahead of what they compute -----------------===//
//
// A loop with `stages` stages copies the blocks for iteration i + stages - 1 to shared
// memory while it computes iteration i. Copies are asynchronous; before a block is used the
// loop waits for its copy alone. Before the loop the first copies are started:
//
//   ring = local_alloc : 2x64x32
//   copy(0) -> ring[0], copy(1) -> ring[1]
//   for i:
//     wait until at most one copy is pending
//     x = local_load ring[i % 2]
//     compute with x
//     copy(i + 2) -> ring[i % 2]
//
// Loads through descriptors are copies by the copy engine, which a barrier for each slot of the
// ring tells of (BoxCopies.h). What several CTAs of a cluster need one copy brings to all of them,
// as soon as they have met.
//
// What computes addresses and masks runs twice, once for the copies and once for the other
// uses: nothing but shared memory passes from one stage to the other. A copy for an
// iteration that never comes has a mask that is false.
//
// Loads are pipelined that feed a matrix product of the loop, and all loads of a loop
// whose author asks for stages (`tt.num_stages`).
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/LoopBody.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"
#include "ir/Hint.h"
#include "ir/Report.h"
#include "ir/tt/Coalescing.h"
#include "target/Features.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::Copy;
using assign::Fetch;
using assign::Turn;

/// Of shared memory, for barriers and what comes later.
constexpr int64_t spareBytes = 1024;

/// Buffers of each ring of a loop with `stages` stages.
int64_t buffersOfRing(const Fetch &fetch, int64_t stages) {
  // A product that still runs reads its buffer while the next copy is started.
  bool isRead = llvm::any_of(fetch.copies, [](const Copy &copy) { return copy.isOfDot; });
  return stages - 1 + (isRead || !fetch.late.empty() ? 1 : 0);
}

/// Tells where the products of the iteration before are over.
class MeetingBody : public assign::LoopBody {
public:
  using LoopBody::LoopBody;
  std::function<void()> whenMet;

private:
  void haveMet() override {
    if (whenMet)
      whenMet();
  }
};

/// Builds the new loop beside the old one.
class Pipeliner {
public:
  Pipeliner(const Fetch &fetch, int64_t stages)
      : fetch(fetch), loop(fetch.loop), builder(loop), loc(loop.getLoc()), ahead(stages - 1),
        buffers(buffersOfRing(fetch, stages)) {}

  void run() {
    rings.emplace(builder, loc, fetch, buffers);
    body.emplace(fetch, *rings, builder, ahead, awaitsEarly());
    startCopies();
    makeLoop();
    finish();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }
  Value zeros(Type type) {
    return arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  }
  Value isBefore(Value iteration) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, iteration,
                                 loop.getUpperBound());
  }

  int64_t groupsOfBlock() const {
    return llvm::count_if(fetch.copies, [](const Copy &copy) { return !copy.box; });
  }

  /// Whether an iteration ends with the wait for the next one's block, and the fence that shows it
  /// to products, before it starts copies of its own. The last product runs meanwhile, no copy is
  /// under way that the fence would wait for, and one barrier is for both. Of loops whose
  /// iterations are short it would take an iteration in which copies may be under way.
  bool awaitsEarly() const { return fetch.meets() && groupsOfBlock() > 0; }

  /// Whether copies are started where the products of the iteration before are over, and not at its
  /// end: the next iteration waits for them.
  bool copiesEarly() const { return awaitsEarly() && ahead == 1; }

  /// Waits for all blocks but the last `pending`, and shows them to products.
  void awaitBlocks(int64_t pending) {
    ttg::AsyncWaitOp::create(builder, loc, ValueRange(), uint32_t(pending * groupsOfBlock()));
    ttng::FenceAsyncSharedOp::create(builder, loc, /*bCluster=*/false);
  }

  /// Whether the loop carries how often the slot was used.
  bool hasPhase() const { return !rings->filled.empty() || rings->running; }

  void fetchInto(Value slot, Value predicate, IRMapping &map);
  void fetchLoad(tt::LoadOp load, Value slot, Value predicate, IRMapping &map);
  void fetchBox(tt::DescriptorLoadOp load, const Copy &copy, Value slot, Value predicate,
                IRMapping &map);
  void startCopies();
  void makeLoop();
  void finish();

  const Fetch &fetch;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  int64_t ahead, buffers;
  std::optional<assign::Rings> rings;
  std::optional<MeetingBody> body;
  /// Arguments of the fetching part, as they are where `builder` is.
  SmallVector<Value> fetchArgs;
  scf::ForOp made;
};

/// Clones the fetching part behind `predicate`: copies into buffer `slot`, one group each, or a
/// barrier for boxes.
void Pipeliner::fetchInto(Value slot, Value predicate, IRMapping &map) {
  llvm::SmallBitVector expected(rings->filled.size());
  for (Operation *op : fetch.operations) {
    const Copy *copy = op->getNumResults() == 1 ? fetch.copyOf(op->getResult(0)) : nullptr;
    if (copy && copy->box) {
      unsigned box = *copy->box;
      if (!expected.test(box))
        rings->filled[box].expect(builder, slot, fetch.boxBytes[box], predicate);
      expected.set(box);
      fetchBox(cast<tt::DescriptorLoadOp>(op), *copy, slot, predicate, map);
      continue;
    }
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      fetchLoad(load, slot, predicate, map);
      continue;
    }
    Operation *made = builder.clone(*op, map);
    // What a branch computes, it may compute for iterations that there are only.
    if (auto choice = dyn_cast<scf::IfOp>(made)) {
      builder.setInsertionPoint(made);
      choice.getConditionMutable().assign(
          arith::AndIOp::create(builder, loc, choice.getCondition(), predicate));
      builder.setInsertionPointAfter(made);
    }
  }
}

void Pipeliner::fetchLoad(tt::LoadOp load, Value slot, Value predicate, IRMapping &map) {
  Value pointers = map.lookupOrDefault(load.getPtr());
  Type type = tt::boolTypeLike(pointers.getType());
  Value mask = predicate;
  if (isa<RankedTensorType>(type))
    mask = tt::SplatOp::create(builder, loc, type, predicate);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, loc, mask, map.lookupOrDefault(load.getMask()));
  const Copy *copy = fetch.copyOf(load.getResult());
  if (!copy) {
    auto again = cast<tt::LoadOp>(builder.clone(*load, map));
    again.getMaskMutable().assign(mask);
    return;
  }
  // What a mask leaves out is zero; of blocks that nobody reads it does not matter.
  Value other = load.getMask() ? zeros(load.getType()) : Value();
  Value token = ttg::AsyncCopyGlobalToLocalOp::create(
      builder, load.getLoc(), pointers, body->viewOf(*copy, slot), mask, other, load.getCache(),
      load.getEvict(), load.getIsVolatile(),
      /*contiguity=*/1, load.getCachePolicyAttr());
  ttg::AsyncCommitGroupOp::create(builder, load.getLoc(), token);
}

void Pipeliner::fetchBox(tt::DescriptorLoadOp load, const Copy &copy, Value slot, Value predicate,
                         IRMapping &map) {
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  rings->filled[*copy.box].copy(builder, load, mapped(load.getDesc()),
                                llvm::map_to_vector(load.getIndices(), mapped), slot,
                                body->viewOf(copy, slot), predicate);
}

void Pipeliner::startCopies() {
  for (unsigned number : fetch.arguments)
    fetchArgs.push_back(loop.getInitArgs()[number]);
  Value iteration = loop.getLowerBound();
  for (int64_t slot = 0; slot < ahead; ++slot) {
    IRMapping map;
    map.map(loop.getInductionVar(), iteration);
    for (auto [number, value] : llvm::zip_equal(fetch.arguments, fetchArgs))
      map.map(loop.getRegionIterArg(number), value);
    fetchInto(constant(slot), isBefore(iteration), map);
    for (auto [number, value] : llvm::zip_equal(fetch.arguments, fetchArgs))
      value = map.lookupOrDefault(loop.getYieldedValues()[number]);
    iteration = arith::AddIOp::create(builder, loc, iteration, loop.getStep());
  }
  if (awaitsEarly()) {
    awaitBlocks(ahead - 1);
    // So that none is needed where the loop begins.
    if (!copiesEarly())
      ttg::BarrierOp::create(builder, loc, ttg::AddrSpace::All);
  }
}

void Pipeliner::makeLoop() {
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, fetchArgs);
  inits.push_back(constant(ahead % buffers));
  inits.push_back(constant(0));
  if (hasPhase())
    inits.push_back(constant(0));
  made = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                            loop.getStep(), inits);
  made->setAttrs(loop->getAttrs());
  made->removeAttr(numStagesAttr);
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  if (!made.getBody()->empty())
    made.getBody()->back().erase();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(made.getBody());
  size_t carried = loop.getNumRegionIterArgs(), fetched = fetchArgs.size();
  Value fetchSlot = made.getRegionIterArg(carried + fetched);
  Turn turn{made.getRegionIterArg(carried + fetched + 1), {}};
  if (hasPhase())
    turn.phase = made.getRegionIterArg(carried + fetched + 2);

  IRMapping computing, fetching;
  computing.map(loop.getInductionVar(), made.getInductionVar());
  for (size_t i = 0; i < carried; ++i)
    computing.map(loop.getRegionIterArg(i), made.getRegionIterArg(i));
  auto startNext = [&] {
    Value iteration = made.getInductionVar();
    for (int64_t i = 0; i < ahead; ++i)
      iteration = arith::AddIOp::create(builder, loc, iteration, loop.getStep());
    fetching.map(loop.getInductionVar(), iteration);
    for (auto [i, number] : llvm::enumerate(fetch.arguments))
      fetching.map(loop.getRegionIterArg(number), made.getRegionIterArg(carried + i));
    fetchInto(fetchSlot, isBefore(iteration), fetching);
  };
  if (copiesEarly())
    body->whenMet = startNext;
  body->clone(turn, computing);
  if (awaitsEarly())
    awaitBlocks(copiesEarly() ? 0 : ahead - 2);
  if (!copiesEarly())
    startNext();

  SmallVector<Value> yields;
  for (Value value : loop.getYieldedValues())
    yields.push_back(computing.lookupOrDefault(value));
  for (unsigned number : fetch.arguments)
    yields.push_back(fetching.lookupOrDefault(loop.getYieldedValues()[number]));
  yields.push_back(assign::nextSlot(builder, loc, fetchSlot, buffers));
  yields.push_back(assign::nextSlot(builder, loc, turn.slot, buffers));
  if (hasPhase())
    yields.push_back(assign::nextPhase(builder, loc, turn, buffers));
  scf::YieldOp::create(builder, loc, yields);
}

void Pipeliner::finish() {
  if (groupsOfBlock() > 0)
    ttg::AsyncWaitOp::create(builder, loc, ValueRange(), 0);
  if (rings->running) {
    auto last = made.getResults().take_back(2);
    rings->running->finish(builder, {last[0], last[1]});
  }
  SmallVector<Value> results(made.getResults().take_front(loop.getNumResults()));
  body->awaitRest(results);
  for (assign::BoxBarriers &barriers : rings->filled)
    barriers.end(builder);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

Operation *outermostLoop(Operation *op) {
  Operation *outermost = op;
  while ((op = op->getParentOfType<LoopLikeOpInterface>()))
    outermost = op;
  return outermost;
}

/// Whether `op` reads the buffer of a copy in place of its operand, and so exchanges nothing.
bool readsCopy(const Fetch &fetch, Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    const Copy *copy = fetch.copyOf(operand);
    return copy && copy->isReadBy(op);
  });
}

/// Bytes of shared memory that are in use while the loop runs, beside its rings.
int64_t bytesBeside(const Fetch &fetch) {
  Operation *around = outermostLoop(fetch.loop);
  int64_t buffers = 0, stores = 0, scratch = 0;
  fetch.loop->getParentOfType<tt::FuncOp>().walk([&](Operation *op) {
    bool isInside = around->isAncestor(op);
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
      const Copy *copy = alloc.getSrc() ? fetch.copyOf(alloc.getSrc()) : nullptr;
      bool isUsed = isInside || llvm::any_of(op->getUsers(), [&](Operation *user) {
                      return around->isAncestor(user);
                    });
      if (isUsed && !(copy && copy->isReadBy(op)))
        buffers += assign::bytesOf(alloc.getType());
    } else if (isInside && isa<tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op)) {
      // Loops keep the buffers of what they store.
      auto desc = cast<tt::TensorDescType>(op->getOperand(0).getType());
      stores +=
          assign::bytesOf(desc, assign::bufferEncoding(desc, op->getOperands().back().getType()));
    } else if (isInside && !readsCopy(fetch, op)) {
      scratch = std::max(scratch, scratchBytesOf(op));
    }
  });
  return buffers + stores + scratch + spareBytes;
}

/// As many stages as shared memory has room for, but no fewer than one, which copies nothing ahead.
int64_t stagesThatFit(const Fetch &fetch, int64_t stages, const target::Target &target) {
  int64_t bytes = 0;
  for (const Copy &copy : fetch.copies) {
    auto type = cast<RankedTensorType>(copy.load->getResult(0).getType());
    bytes +=
        ShapedType::getNumElements(layout::shapePerCta(toLayout(copy.shared), type.getShape())) *
        elementBytes(type.getElementType());
  }
  const int64_t beside = bytesBeside(fetch);
  auto fits = [&] {
    return buffersOfRing(fetch, stages) * bytes + beside <= int64_t(target.maxSharedBytes());
  };
  while (stages > 1 && !fits())
    --stages;
  return stages;
}

class PipelinePass : public PassWrapper<PipelinePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelinePass)

  PipelinePass(const target::Target &target, bool remarks) : target(target), remarks(remarks) {}
  llvm::StringRef getArgument() const override { return "gluonc-pipeline-loops"; }
  llvm::StringRef getDescription() const override { return "Load ahead of what loops compute"; }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        pipeline(function);
  }

private:
  bool canCopy() const {
    return target::has(target, target::Feature::AsyncCopy) ||
           target::has(target, target::Feature::AsyncLds);
  }
  /// Why no load of it runs ahead, whatever it loads; empty where some may.
  llvm::StringRef refusal(scf::ForOp loop) const {
    if (!canCopy())
      return "the chip has no asynchronous copies";
    if (assign::stagesOf(loop) < 2)
      return "its loop has one stage";
    return ThreadCounts::at(loop).ctas > 1 && !target.isNvidia() ? "programs are clusters" : "";
  }

  void pipeline(tt::FuncOp function) {
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t stages = assign::stagesOf(loop);
      assign::Staying staying;
      std::optional<Fetch> fetch;
      if (llvm::StringRef why = refusal(loop); why.empty())
        fetch = assign::findFetch(loop, AxisInfos(function), &staying);
      else
        assign::addStaying(loop, why, staying);
      if (fetch && (stages = stagesThatFit(*fetch, stages, target)) < 2) {
        for (const Copy &copy : fetch->copies)
          staying.insert({copy.load, "shared memory has no room for it"});
        fetch.reset();
      }
      if (remarks)
        tell(fetch, staying, stages - 1);
      if (fetch)
        Pipeliner(*fetch, stages).run();
    }
    assign::eraseUnused(function);
  }

  void tell(const std::optional<Fetch> &fetch, const assign::Staying &staying,
            int64_t ahead) const {
    std::string iterations = ahead == 1 ? "an iteration" : std::to_string(ahead) + " iterations";
    if (fetch)
      for (const Copy &copy : fetch->copies)
        report(diag::Kind::LoadAhead, copy.load->getLoc(), iterations,
               copy.box            ? "the TMA"
               : target.isNvidia() ? "cp.async"
                                   : "asynchronous copies to LDS");
    for (auto [load, why] : staying)
      report(diag::Kind::LoadNotAhead, load->getLoc(), why);
  }

  target::Target target;
  bool remarks;
};

} // namespace

std::unique_ptr<Pass> createPipelinePass(const target::Target &target, bool remarks) {
  return std::make_unique<PipelinePass>(target, remarks);
}

} // namespace gluonc
