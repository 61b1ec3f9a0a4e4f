//===- WarpPipelines.cpp ------------------------------------------------------===//
//
// Problem: the warps of a SIMD want the same unit at the same time: all load, then all
// multiply. A loop whose author divides it into stages (`amd.warp_pipeline_stage`) is run by
// two halves of the warps, of which the late one is a stage behind:
//
//   early   | load 0  | multiply 0 | load 1     | multiply 1 |            |
//   late    |         | load 0     | multiply 0 | load 1     | multiply 1 |
//
// Stages end where all warps meet at a barrier. Before the loop the late half comes to one more,
// behind it the early half does, so that both come to equally many.
//
// A barrier between stages waits for shared memory where something needs that: a wait for
// copies that others count on, and accesses of two stages that conflict. If an access of stage s
// conflicts with one of stage t, some barrier from s to t has to; since those of the late half's s
// and the early half's t are nearer by one, it is the one before the last where there are two. An
// access that conflicts with one of the next stage is at the same time as that in the other half:
// the simulator reports it where the bytes are the same.
//
// A stage in which all warps would have to meet once more is none: such a loop is run by all
// warps alike, with a warning.
//
//===----------------------------------------------------------------------===//
#include "ir/Report.h"
#include "ir/UnrollLoop.h"
#include "ir/amdg/AmdOps.h"
#include "transform/Pipeline.h"
#include "transform/analysis/SharedAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gluonc {
namespace {

using Marks = SmallVector<rocdl::SchedBarrierOp>;

Marks withAttr(scf::ForOp loop, StringRef name) {
  Marks found;
  for (auto mark : loop.getBody()->getOps<rocdl::SchedBarrierOp>())
    if (mark->hasAttr(name))
      found.push_back(mark);
  return found;
}

rocdl::SchedBarrierOp keepOrder(OpBuilder &builder, Location location) {
  return rocdl::SchedBarrierOp::create(builder, location, rocdl::SchedGroup::None);
}

//===----------------------------------------------------------------------===//
// Where stages begin
//===----------------------------------------------------------------------===//

bool isScalarMath(Operation &op) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
         !op.hasTrait<OpTrait::IsTerminator>() && llvm::none_of(op.getOperandTypes(), isTensor) &&
         llvm::none_of(op.getResultTypes(), isTensor);
}

bool isWait(Operation &op) {
  if (isa<ttg::BarrierOp>(op))
    return true;
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  return onChip && onChip.getAwaited();
}

/// The first operation of the stage behind `border`: waits in between belong to the stage before.
Operation *startBehind(rocdl::SchedBarrierOp border) {
  Operation *start = border->getNextNode();
  for (Operation *op = start; isWait(*op) || isScalarMath(*op); op = op->getNextNode())
    if (isWait(*op))
      start = op->getNextNode();
  return start;
}

/// What stands behind the last stage, if it is more than the loop's counting, is a stage, too.
void closeLastStage(scf::ForOp loop, rocdl::SchedBarrierOp last) {
  Operation *end = loop.getBody()->getTerminator();
  bool works = false;
  for (Operation *op = last->getNextNode(); op != end; op = op->getNextNode())
    works |= !isWait(*op) && !isScalarMath(*op);
  if (!works)
    return;
  OpBuilder builder(end);
  keepOrder(builder, last->getLoc())->setAttr(rocdl::borderAttr, builder.getStringAttr("cluster"));
}

void markStages(scf::ForOp loop) {
  Marks borders = withAttr(loop, rocdl::borderAttr);
  Operation *start = &loop.getBody()->front();
  for (rocdl::SchedBarrierOp border : borders) {
    Operation *next = startBehind(border);
    OpBuilder builder(start);
    rocdl::SchedBarrierOp mark = keepOrder(builder, border->getLoc());
    mark->setAttr(rocdl::stageAttr, border->getAttr(rocdl::borderAttr));
    if (Attribute priority = border->getAttr(rocdl::priorityAttr))
      mark->setAttr(rocdl::priorityAttr, priority);
    start = next;
    border->erase();
  }
  loop->setAttr(rocdl::pipelinedAttr, UnitAttr::get(loop.getContext()));
}

void divide(scf::ForOp loop) {
  Marks borders = withAttr(loop, rocdl::borderAttr);
  if (borders.empty() || loop->getParentOfType<ttg::WarpSpecializeOp>())
    return;
  closeLastStage(loop, borders.back());
  if (withAttr(loop, rocdl::borderAttr).size() < 2)
    return;
  scf::ForOp rest = loop->hasAttr(unrollFactorAttr) ? unrollAsAsked(loop) : scf::ForOp();
  markStages(loop);
  if (rest)
    markStages(rest);
}

struct MarkStagesPass : PassWrapper<MarkStagesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkStagesPass)
  llvm::StringRef getArgument() const override { return "gluonc-mark-stages"; }
  llvm::StringRef getDescription() const override { return "Find the stages of warp pipelines"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, rocdl::ROCDLDialect>();
  }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      divide(loop);
  }
};

//===----------------------------------------------------------------------===//
// Barriers between them
//===----------------------------------------------------------------------===//

struct Stage {
  rocdl::SchedBarrierOp mark;
  SmallVector<unsigned> before, after;
  bool waits = false;

  int priority() const {
    auto attr = mark->getAttrOfType<IntegerAttr>(rocdl::priorityAttr);
    return attr ? int(attr.getInt()) : 0;
  }
};

class StageBarriers {
public:
  StageBarriers(scf::ForOp loop, const SharedAccesses &accesses)
      : loop(loop), accesses(accesses), builder(loop) {
    for (rocdl::SchedBarrierOp mark : withAttr(loop, rocdl::stageAttr))
      describe(mark);
    ordered.resize(stages.size());
  }

  void insert() {
    const bool halves = ttg::numWarpsOf(loop) > int(rocdl::earlyWarps);
    if (isa_and_nonnull<rocdl::SetPrioOp, amdg::HalfBarrierOp>(loop->getNextNode()))
      return; // Done before.
    if (halves)
      separate();
    if (llvm::any_of(stages, [](Stage &stage) { return stage.mark->hasAttr(rocdl::priorityAttr); }))
      setPriorities();
    if (halves)
      shift();
  }

private:
  void describe(rocdl::SchedBarrierOp mark) {
    Stage stage = {mark};
    Operation *end = loop.getBody()->getTerminator();
    for (Operation *op = mark->getNextNode(); op != end && !isMark(op); op = op->getNextNode())
      op->walk([&](Operation *inner) {
        const Effect *effect = accesses.of(inner);
        if (!effect)
          return;
        stage.before.append(effect->before);
        stage.before.append(effect->synchronized);
        stage.after.append(effect->after);
        stage.waits |= effect->needsSynchronizing || isa<ttg::BarrierOp>(inner);
      });
    stages.push_back(std::move(stage));
  }
  static bool isMark(Operation *op) {
    return isa<rocdl::SchedBarrierOp>(op) && op->hasAttr(rocdl::stageAttr);
  }

  bool conflict(const Stage &first, const Stage &second) const {
    return llvm::any_of(first.after, [&](unsigned earlier) {
      return llvm::any_of(second.before,
                          [&](unsigned later) { return accesses.conflict(later, earlier); });
    });
  }

  /// `ordered[s]`: the barrier before stage s waits for shared memory.
  void findOrdered() {
    const unsigned count = stages.size();
    for (unsigned s = 0; s < count; ++s)
      ordered[(s + 1) % count] = ordered[(s + 1) % count] || stages[s].waits;
    for (unsigned distance = 1; distance <= count; ++distance)
      for (unsigned first = 0; first < count; ++first) {
        // Barriers before the stages first + 1 … first + last.
        const unsigned last = std::max(1u, distance - 1);
        bool isOrdered = false;
        for (unsigned i = 1; i <= last; ++i)
          isOrdered |= ordered[(first + i) % count];
        if (!isOrdered && conflict(stages[first], stages[(first + distance) % count]))
          ordered[(first + last) % count] = true;
      }
  }

  void separate() {
    findOrdered();
    for (auto [s, stage] : llvm::enumerate(stages)) {
      Operation *behind = s == 0 ? loop.getBody()->getTerminator() : stage.mark.getOperation();
      // The program's own.
      for (Operation *op = behind->getPrevNode(); op && (isWait(*op) || isScalarMath(*op));) {
        Operation *before = op->getPrevNode();
        if (isa<ttg::BarrierOp>(op))
          op->erase();
        op = before;
      }
      builder.setInsertionPoint(behind);
      Location location = stage.mark->getLoc();
      keepOrder(builder, location);
      Operation *barrier =
          ordered[s]
              ? ttg::BarrierOp::create(builder, location, ttg::AddrSpace::Local).getOperation()
              : rocdl::SBarrierOp::create(builder, location).getOperation();
      barrier->setAttr(rocdl::boundaryAttr, builder.getUnitAttr());
      if (s == 0)
        keepOrder(builder, location);
    }
  }

  void setPriorities() {
    for (Stage &stage : stages) {
      builder.setInsertionPointAfter(stage.mark);
      rocdl::SetPrioOp::create(builder, stage.mark->getLoc(),
                               builder.getI16IntegerAttr(int16_t(stage.priority())));
    }
    builder.setInsertionPointAfter(loop);
    rocdl::SetPrioOp::create(builder, loop.getLoc(), builder.getI16IntegerAttr(0));
  }

  void shift() {
    builder.setInsertionPoint(loop);
    ttg::BarrierOp::create(builder, loop.getLoc(), ttg::AddrSpace::Local);
    amdg::HalfBarrierOp::create(builder, loop.getLoc(), /*late=*/true);
    builder.setInsertionPointAfter(loop);
    amdg::HalfBarrierOp::create(builder, loop.getLoc(), /*late=*/false);
  }

  scf::ForOp loop;
  const SharedAccesses &accesses;
  OpBuilder builder;
  SmallVector<Stage> stages;
  SmallVector<bool> ordered;
};

SmallVector<scf::ForOp> pipelinesOf(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (loop->hasAttr(rocdl::pipelinedAttr))
      loops.push_back(loop);
  });
  return loops;
}

struct SeparateStagesPass : PassWrapper<SeparateStagesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SeparateStagesPass)
  llvm::StringRef getArgument() const override { return "gluonc-separate-stages"; }
  llvm::StringRef getDescription() const override {
    return "Put barriers between the stages of warp pipelines, and their halves a stage apart";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<amdg::AMDGDialect, rocdl::ROCDLDialect>();
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<scf::ForOp> loops = pipelinesOf(function);
      if (loops.empty())
        continue;
      SharedAccesses accesses(function);
      for (scf::ForOp loop : loops)
        StageBarriers(loop, accesses).insert();
    }
  }
};

//===----------------------------------------------------------------------===//
// Stages that are none
//===----------------------------------------------------------------------===//

/// An operation of a stage at which all warps meet; null if there is none.
Operation *findMeeting(scf::ForOp loop, const SharedAccesses &accesses) {
  Operation *found = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    const Effect *effect = accesses.of(op);
    bool meets = (effect && effect->synchronizes) || mayDoAnything(op) || clusterSyncOf(op) ||
                 (isa<ttg::BarrierOp>(op) && !op->hasAttr(rocdl::boundaryAttr));
    found = !found && meets && !op->hasAttr(rocdl::boundaryAttr) ? op : found;
  });
  return found;
}

/// All warps run the loop alike.
void runInStep(scf::ForOp loop) {
  loop->getPrevNode()->erase();
  loop->getNextNode()->erase();
  for (rocdl::SBarrierOp barrier :
       llvm::make_early_inc_range(loop.getBody()->getOps<rocdl::SBarrierOp>()))
    barrier->erase();
  loop->removeAttr(rocdl::pipelinedAttr);
}

struct CheckStagesPass : PassWrapper<CheckStagesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckStagesPass)
  llvm::StringRef getArgument() const override { return "gluonc-check-stages"; }
  llvm::StringRef getDescription() const override {
    return "Let all warps run loops alike in whose stages they meet";
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<scf::ForOp> loops = pipelinesOf(function);
      if (loops.empty())
        continue;
      SharedAccesses accesses(function);
      for (scf::ForOp loop : loops) {
        if (!isa_and_nonnull<amdg::HalfBarrierOp>(loop->getPrevNode()))
          continue;
        Operation *meeting = findMeeting(loop, accesses);
        if (!meeting)
          continue;
        report(diag::Kind::StagesInStep, meeting->getLoc());
        runInStep(loop);
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> createMarkStagesPass() { return std::make_unique<MarkStagesPass>(); }
std::unique_ptr<Pass> createSeparateStagesPass() { return std::make_unique<SeparateStagesPass>(); }
std::unique_ptr<Pass> createCheckStagesPass() { return std::make_unique<CheckStagesPass>(); }

} // namespace gluonc
