//===- Interfaces.cpp ---------------------------------------------------------===//
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"
#include "layout/named/Inference.h"

using namespace mlir;

namespace gluonc {

#include "ir/Interfaces.cpp.inc"

bool isOurs(Operation *op) {
  return isa_and_nonnull<tt::TTDialect, ttg::TTGDialect, ttng::TTNGDialect, amdg::AMDGDialect,
                         rocdl::ROCDLDialect, gluon::GluonDialect>(op->getDialect());
}

bool mayDoAnything(Operation *op) {
  return !isa<OnChipMemoryOpInterface>(op) && !op->hasTrait<NoOnChipMemory>() && isOurs(op);
}

int64_t scratchBytesOf(Operation *op) {
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  return onChip ? onChip.getScratch().bytes : 0;
}

std::optional<ClusterSync> clusterSyncOf(Operation *op) {
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  return onChip ? onChip.getClusterSync() : std::nullopt;
}

/// `seen`: functions that were looked into.
static bool reachesPeers(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op))
    return onChip.accessesPeers() || onChip.getScratch().sync == layout::SyncScope::Cluster;
  auto call = dyn_cast<tt::CallOp>(op);
  if (!call)
    return mayDoAnything(op);
  Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
  if (!callee || !seen.insert(callee).second)
    return false;
  WalkResult walk = callee->walk([&](Operation *inner) {
    return reachesPeers(inner, seen) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool reachesPeers(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  return (isa<OnChipMemoryOpInterface>(op) || mayDoAnything(op)) && ttg::numCtasOf(op) > 1 &&
         reachesPeers(op, seen);
}

layout::Layout ImpliedLayouts::layout() const { return toLayout(encoding); }

void ImpliedLayouts::same(ValueRange values) {
  for (Value value : values)
    list.push_back({value, encoding, false});
}

void ImpliedLayouts::derived(ValueRange values, const layout::Inferred &layout, bool isOneOfMany) {
  if (!layout)
    return;
  Attribute derived = fromLayout(encoding.getContext(), *layout.layout);
  for (Value value : values)
    list.push_back({value, derived, isOneOfMany});
}

/// Into the regions of `op`, and from their ends to the next or out.
static void forwardInRegions(RegionBranchOpInterface op,
                             llvm::function_ref<void(ValueRange, ValueRange)> forward) {
  SmallVector<RegionSuccessor> next;
  op.getSuccessorRegions(RegionBranchPoint::parent(), next);
  for (RegionSuccessor &successor : next)
    forward(op.getEntrySuccessorOperands(successor), successor.getSuccessorInputs());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
      if (!terminator)
        continue;
      SmallVector<Attribute> constants(terminator->getNumOperands());
      next.clear();
      terminator.getSuccessorRegions(constants, next);
      for (RegionSuccessor &successor : next)
        forward(terminator.getSuccessorOperands(successor), successor.getSuccessorInputs());
    }
}

void forEachForwarded(Operation *op, llvm::function_ref<void(ValueRange, ValueRange)> forward) {
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    return forwardInRegions(regions, forward);
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (unsigned i = 0; i < op->getNumSuccessors(); ++i)
      forward(branch.getSuccessorOperands(i).getForwardedOperands(),
              op->getSuccessor(i)->getArguments());
    return;
  }
  if (auto specialize = dyn_cast<ttg::WarpSpecializeOp>(op)) {
    for (Region &partition : specialize.getPartitions())
      forward(specialize.getCaptures(), partition.getArguments());
    for (Block &block : specialize.getDefaultRegion())
      if (isa<ttg::WarpYieldOp>(block.getTerminator()))
        forward(block.getTerminator()->getOperands(), specialize.getResults());
    return;
  }
  if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op))
    forward(wait.getInputs(), wait.getOutputs());
}

} // namespace gluonc
