//===- Pipeline.cpp -----------------------------------------------------------===//
#include "transform/Pipeline.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace gluonc {

// Not here, on purpose: anything that moves data between layouts, hoists out of loops, pipelines or
// unrolls. The kernel's author decided that. Constant propagation through the whole control flow
// (SCCP) costs more than the rest together and finds what Simplify finds in specialized code.
void addPipeline(OpPassManager &passes, const target::Target &target) {
  // First: simplification sees through calls that are gone.
  passes.addPass(createInlinePass());
  // After inlining: a callee takes its layouts from its caller. Before whatever asks for elements.
  passes.addPass(createResolveLayoutsPass());
  // Before allocation: a dead or duplicate conversion needs no scratch.
  passes.addPass(createSimplifyPass());
  // After whatever finds equal barriers to be one.
  passes.addPass(createCheckBarrierBytesPass());
  passes.addPass(createCheckBoxStartsPass());
  // After whatever drops scans and reductions, before allocation: its conversions need scratch.
  passes.addPass(createLegalizeCombinesPass());
  // After whatever merges equal descriptors, before allocation: filling one in needs scratch.
  passes.addPass(createLowerDescriptorsPass());
  passes.addPass(createAllocateGlobalScratchPass());
  // Before allocation: partitions take a little shared memory.
  passes.addPass(createAllocateWarpGroupsPass());
  // After everything that adds or removes owners of shared memory.
  passes.addPass(createAllocateSharedPass(target));
  // After allocation: what meets is known by place. Before barriers: the threads that a fence is
  // for meet behind it.
  passes.addPass(createInsertProxyFencesPass());
  // Before those of CTAs, which it makes unnecessary.
  passes.addPass(createInsertClusterBarriersPass());
  // After allocation: a barrier is needed only where places overlap.
  passes.addPass(createInsertBarriersPass());
}

void registerPasses() {
  registerPass(createInlinePass);
  registerPass(createResolveLayoutsPass);
  registerPass(createSimplifyPass);
  registerPass(createCheckBarrierBytesPass);
  registerPass(createCheckBoxStartsPass);
  registerPass(createLegalizeCombinesPass);
  registerPass(createLowerDescriptorsPass);
  registerPass(createAllocateGlobalScratchPass);
  registerPass(createAllocateWarpGroupsPass);
  registerPass(createInsertProxyFencesPass);
  registerPass(createInsertClusterBarriersPass);
  registerPass(createInsertBarriersPass);
  // On its own the pass assumes the chip with the most shared memory.
  registerPass([] { return createAllocateSharedPass(*target::Target::parse("cuda:90a")); });

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
      [](llvm::function_ref<void(const detail::PassOptions &)>) {});
}

} // namespace gluonc
