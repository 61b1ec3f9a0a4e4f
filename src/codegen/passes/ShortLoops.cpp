#include "codegen/passes/ShortLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace gluonc::codegen {

/// Iterations, and instructions of all of them together.
constexpr unsigned mostIterations = 8, mostInstructions = 320;

static bool isConvergent(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isConvergent();
}

PreservedAnalyses ShortLoopsPass::run(Loop &loop, LoopAnalysisManager &,
                                      LoopStandardAnalysisResults &results, LPMUpdater &updater) {
  unsigned iterations = loop.isInnermost() ? results.SE.getSmallConstantTripCount(&loop) : 0;
  if (iterations == 0 || iterations > mostIterations)
    return PreservedAnalyses::all();
  size_t instructions = 0;
  for (const BasicBlock *block : loop.blocks()) {
    instructions += block->size();
    if (any_of(*block, isConvergent))
      return PreservedAnalyses::all();
  }
  if (instructions * iterations > mostInstructions)
    return PreservedAnalyses::all();
  std::string name(loop.getName());
  OptimizationRemarkEmitter remarks(loop.getHeader()->getParent());
  UnrollLoopOptions options = {};
  options.Count = iterations;
  LoopUnrollResult made = UnrollLoop(&loop, options, &results.LI, &results.SE, &results.DT,
                                     &results.AC, &results.TTI, &remarks, /*PreserveLCSSA=*/true);
  if (made == LoopUnrollResult::Unmodified)
    return PreservedAnalyses::all();
  if (made == LoopUnrollResult::FullyUnrolled)
    updater.markLoopAsDeleted(loop, name);
  return getLoopPassPreservedAnalyses();
}

} // namespace gluonc::codegen
