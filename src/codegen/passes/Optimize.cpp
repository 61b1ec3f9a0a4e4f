#include "codegen/passes/Optimize.h"

#include "codegen/passes/AddressSplit.h"
#include "codegen/passes/CommonSteps.h"
#include "codegen/passes/DelayCopies.h"
#include "codegen/passes/EarlyElements.h"
#include "codegen/passes/LateAddresses.h"
#include "codegen/passes/ProductChains.h"
#include "codegen/passes/PtxasFaults.h"
#include "codegen/passes/ShortLoops.h"
#include "codegen/passes/WaitingLoops.h"
#include "support/Interrupt.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Loops of a function whose counters are looked at. Scalar evolution expresses what one loop
/// leaves by what those before it left: 200 loops in a row take a second, 500 half a minute.
constexpr size_t mostCountedLoops = 64;

/// Loops of the function that has most.
size_t mostLoops(Module &module, FunctionAnalysisManager &analyses) {
  size_t most = 0;
  for (Function &function : module)
    if (!function.isDeclaration())
      most = std::max(most, analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder().size());
  return most;
}

/// Blocks of a function whose instructions are combined. At each branch that looks through all uses
/// of the condition for those behind it: 8,000 loops that begin on one condition took 20 s.
constexpr size_t mostCombinedBlocks = 4096;

/// Integers that are made of each other in a row. For each index that is widened the pass goes back
/// through all of them: 8,000 loads at places that sums of earlier ones give took 4 s.
constexpr unsigned mostIntegersInARow = 1024;

/// Whether no chain of integer operations in `function` is longer. Phis begin chains anew.
bool hasShortChains(const Function &function) {
  DenseMap<const Value *, unsigned> lengths;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block) {
      if (!isa<BinaryOperator>(instruction) || !instruction.getType()->isIntegerTy())
        continue;
      unsigned longest = 0;
      for (const Value *operand : instruction.operands())
        longest = std::max(longest, lengths.lookup(operand));
      if (longest >= mostIntegersInARow)
        return false;
      lengths[&instruction] = longest + 1;
    }
  return true;
}

bool combinesFast(const Module &module) {
  return all_of(module, [](const Function &function) {
    return function.size() <= mostCombinedBlocks && hasShortChains(function);
  });
}

void addCombining(FunctionPassManager &passes, bool combines) {
  if (combines)
    passes.addPass(InstCombinePass());
  else
    passes.addPass(InstSimplifyPass());
}

FunctionPassManager straightLinePasses(bool combines) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  addCombining(passes, combines);
  return passes;
}

FunctionPassManager lastPasses() {
  FunctionPassManager passes;
  passes.addPass(ProductChainsPass());
  passes.addPass(AddressSplitPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(DelayCopiesPass());
  passes.addPass(CommonStepsPass());
  passes.addPass(LateAddressesPass());
  passes.addPass(EarlyElementsPass());
  passes.addPass(RolledLoopsPass());
  passes.addPass(KeptOperandsPass());
  passes.addPass(WaitingLoopsPass());
  return passes;
}

FunctionPassManager loopPasses(bool withCounters, bool combines) {
  FunctionPassManager passes;
  LoopPassManager invariants;
  invariants.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants), /*UseMemorySSA=*/true));
  if (withCounters) {
    LoopPassManager counters;
    counters.addPass(IndVarSimplifyPass());
    counters.addPass(ShortLoopsPass());
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(counters)));
  }
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  addCombining(passes, combines);
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  return passes;
}

} // namespace

void runPasses(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerBeforeNonSkippedPassCallback([](StringRef, Any) { mayStopHere(); });
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);

  ModulePassManager passes;
  bool combines = combinesFast(module);
  size_t defined = count_if(module, [](Function &function) { return !function.isDeclaration(); });
  if (defined > 1) {
    passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
    passes.addPass(GlobalDCEPass());
  }
  passes.addPass(createModuleToFunctionPassAdaptor(straightLinePasses(combines)));
  passes.run(module, modules);
  if (size_t count = mostLoops(module, functions)) {
    ModulePassManager more;
    more.addPass(
        createModuleToFunctionPassAdaptor(loopPasses(count <= mostCountedLoops, combines)));
    more.run(module, modules);
  }
  ModulePassManager last;
  last.addPass(createModuleToFunctionPassAdaptor(lastPasses()));
  last.run(module, modules);
}

} // namespace gluonc::codegen
