//===- Pipeline.cpp -----------------------------------------------------------===//
#include "transform/Pipeline.h"

#include "ir/Encoding.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace gluonc {

// Not here, on purpose: anything that moves data between layouts, hoists out of loops, pipelines or
// unrolls. The kernel's author decided that. Constant propagation through the whole control flow
// (SCCP) costs more than the rest together and finds what Simplify finds in specialized code.
void addPipeline(OpPassManager &passes, const target::Target &target) {
  // First: where nobody asks for a timeline there are no borders of regions in the way.
  passes.addPass(createScopesPass());
  // Then: simplification sees through calls that are gone.
  passes.addPass(createInlinePass());
  // After inlining: a callee takes its layouts from its caller. Before whatever asks for elements.
  passes.addPass(createResolveLayoutsPass());
  // Before allocation: a dead or duplicate conversion needs no scratch.
  passes.addPass(createSimplifyPass());
  // Before allocation: what two stages use may not lie in one place.
  passes.addPass(createMarkStagesPass());
  // After whatever finds equal barriers to be one.
  passes.addPass(createCheckBarrierBytesPass());
  passes.addPass(createCheckBoxStartsPass());
  // After whatever drops scans and reductions, before allocation: its conversions need scratch.
  passes.addPass(createLegalizeCombinesPass());
  // After whatever drops or merges operations.
  passes.addPass(createKeepOperandsPass());
  // After whatever merges equal descriptors, before allocation: filling one in needs scratch.
  passes.addPass(createLowerDescriptorsPass());
  passes.addPass(createAllocateGlobalScratchPass());
  // Before allocation: partitions take a little shared memory.
  passes.addPass(createAllocateWarpGroupsPass(target));
  // Before allocation: its address is put into shared memory.
  passes.addPass(createAllocateTensorMemoryPass(target));
  // After everything that adds or removes owners of shared memory.
  passes.addPass(createAllocateSharedPass(target));
  // After allocation: which bytes overlap is known by place. Before barriers: the threads that a
  // fence is for synchronize behind it.
  passes.addPass(createInsertProxyFencesPass());
  // Before those of CTAs, which it makes unnecessary.
  passes.addPass(createInsertClusterBarriersPass());
  // After allocation: which stages conflict is known by place. Before other barriers.
  passes.addPass(createSeparateStagesPass());
  // After allocation: a barrier is needed only where places overlap.
  passes.addPass(createInsertBarriersPass());
  // What it finds was inserted just now.
  passes.addPass(createCheckStagesPass());
}

namespace {

/// The pipeline resolves layouts before any pass asks for elements; a command line may not.
struct CheckLayoutsPass : PassWrapper<CheckLayoutsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckLayoutsPass)

  void runOnOperation() override {
    auto isOpen = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !linearOrNull(tensor);
    };
    WalkResult known = getOperation().walk([&](Operation *op) {
      bool hasOpen =
          llvm::any_of(op->getOperandTypes(), isOpen) || llvm::any_of(op->getResultTypes(), isOpen);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          hasOpen |= llvm::any_of(block.getArgumentTypes(), isOpen);
      if (!hasOpen)
        return WalkResult::advance();
      op->emitOpError("needs layouts that have been resolved");
      return WalkResult::interrupt();
    });
    if (known.wasInterrupted())
      signalPassFailure();
  }
};

void registerBehindLayouts(std::function<std::unique_ptr<Pass>()> create) {
  std::unique_ptr<Pass> pass = create();
  registerPassPipeline(
      pass->getArgument(), pass->getDescription(),
      [create](OpPassManager &passes, llvm::StringRef,
               llvm::function_ref<LogicalResult(const Twine &)>) {
        passes.addPass(std::make_unique<CheckLayoutsPass>());
        passes.addPass(create());
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

} // namespace

void registerPasses() {
  registerPass(createScopesPass);
  registerPass(createInlinePass);
  registerPass(createResolveLayoutsPass);
  registerPass(createSimplifyPass);
  registerPass(createMarkStagesPass);
  for (auto create :
       {createCheckBarrierBytesPass, createCheckBoxStartsPass, createLegalizeCombinesPass,
        createKeepOperandsPass, createLowerDescriptorsPass, createAllocateGlobalScratchPass,
        createInsertProxyFencesPass, createInsertClusterBarriersPass, createSeparateStagesPass,
        createInsertBarriersPass, createCheckStagesPass})
    registerBehindLayouts(create);
  // On their own these assume the chip with the most shared memory.
  static const target::Target assumed = *target::Target::cuda(90);
  registerBehindLayouts([] { return createAllocateWarpGroupsPass(assumed); });
  registerBehindLayouts([] { return createAllocateSharedPass(assumed); });
  registerBehindLayouts([] { return createAllocateTensorMemoryPass(assumed); });

  registerPassPipeline(
      "gluonc-pipeline", "All passes, for a target such as cuda:90a",
      [](OpPassManager &passes, llvm::StringRef name,
         llvm::function_ref<LogicalResult(const Twine &)> error) -> LogicalResult {
        std::optional<target::Target> target = target::Target::parse(name);
        if (!target)
          return error("unknown target '" + name + "'");
        addPipeline(passes, *target);
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

} // namespace gluonc
