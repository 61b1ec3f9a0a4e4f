//===- Assign.cpp -------------------------------------------------------------===//
#include "assign/Assign.h"

#include "target/Features.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace gluonc {

void addAssign(OpPassManager &passes, const target::Target &target, AssignOptions options) {
  if (!options.allDefault) {
    passes.addPass(createFlattenLoopsPass());
    // While nothing has a layout.
    passes.addPass(createUnrollLoopsPass());
    passes.addPass(createDropUnitDimsPass());
    passes.addPass(createTransposeLoadsPass());
    // Before products become instructions, which have sums.
    passes.addPass(createCombinePass());
    // What is stated decides all others.
    passes.addPass(createCoalescePass(
        {.transposesInRegisters =
             !target.isNvidia() && !target::has(target, target::Feature::TransposedLdsLoad),
         .copiesAhead = target.isNvidia()}));
    // Behind it: operands in shared memory lie as they were loaded.
    passes.addPass(createMatrixInstructionsPass(target));
  }
  // Where layouts are default ones, too: nothing else computes them.
  passes.addPass(createScaledProductsPass(target));
  // Last of the passes that state products: it takes those that are left.
  passes.addPass(createStateProductsPass());
  passes.addPass(createPropagateLayoutsPass(options.allDefault));
  // Behind it: only what has a layout has a cost.
  if (!options.allDefault) {
    // Before it: pointers are computed where they are needed.
    passes.addPass(createFitStoresPass(target));
    passes.addPass(createRemoveConversionsPass());
    // Behind it: only what has a layout says what threads hold.
    passes.addPass(createReduceBehindLoopsPass());
    // Behind it: sums that a loop carries have one layout.
    passes.addPass(createKeepSumsPass());
    // Before what copies ahead: its buffers take what room is left.
    passes.addPass(createStoreGatheredPass(target));
    // Behind it: what a loop converts right after a load is read from shared memory so.
    passes.addPass(createHoistConversionsPass(target));
    // Before it: the loops that are left load ahead by themselves.
    passes.addPass(createWarpSpecializePass(target, options.remarks));
    passes.addPass(createPipelinePass(target, options.remarks));
    passes.addPass(createReadBuffersPass());
    passes.addPass(createStoreOperandsPass(target));
    // Behind what loads ahead.
    if (target.isNvidia())
      passes.addPass(createStoreEarlyPass(target));
    // Behind what computes addresses in another place than before.
    passes.addPass(createDropArgumentsPass());
  }
  // Behind what removes conversions.
  passes.addPass(createMeetSharesPass());
  // Behind what makes conversions.
  if (!options.allDefault)
    passes.addPass(createLoadEarlyPass());
  if (options.remarks)
    passes.addPass(createSayProductsPass(target));
  // Those that no loop starts ahead.
  passes.addPass(createDescriptorCopiesPass(target));
  // Behind what loops do with them.
  passes.addPass(createAwaitProductsPass());
  passes.addPass(createFinishLayoutsPass());
}

static void registerWithTarget(llvm::StringRef name, llvm::StringRef description,
                               AssignOptions options) {
  registerPassPipeline(
      name, description,
      [options](OpPassManager &passes, llvm::StringRef name,
                llvm::function_ref<LogicalResult(const Twine &)> error) -> LogicalResult {
        std::optional<target::Target> target = target::Target::parse(name);
        if (!target)
          return error("unknown target '" + name + "'");
        addAssign(passes, *target, options);
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

void registerAssignPasses() {
  for (auto create :
       {createFlattenLoopsPass, createUnrollLoopsPass, createDropUnitDimsPass,
        createTransposeLoadsPass, createCombinePass, createStateProductsPass,
        createRemoveConversionsPass, createReduceBehindLoopsPass, createReadBuffersPass,
        createMeetSharesPass, createDropArgumentsPass, createAwaitProductsPass, createKeepSumsPass,
        createLoadEarlyPass, createFinishLayoutsPass})
    registerPass(create);
  registerPass([] { return createCoalescePass(); });
  for (bool allDefault : {false, true})
    registerPass([=] { return createPropagateLayoutsPass(allDefault); });
  registerWithTarget("gluonc-assign", "All passes that choose layouts, for a target", {});
  registerWithTarget("gluonc-assign-remarks", "The same, saying what is chosen and why",
                     {.remarks = true});
  registerWithTarget("gluonc-assign-default", "The same with default layouts only",
                     {.allDefault = true});
}

} // namespace gluonc
