#include "codegen/passes/RolledLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gluonc::codegen {

static bool isAsyncProduct(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && StringRef(text->getAsmString()).contains("wgmma.mma_async");
}

PreservedAnalyses RolledLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (any_of(loop->blocks(),
               [](const BasicBlock *block) { return any_of(*block, isAsyncProduct); }))
      loop->setLoopAlreadyUnrolled();
  return PreservedAnalyses::all();
}

} // namespace gluonc::codegen
