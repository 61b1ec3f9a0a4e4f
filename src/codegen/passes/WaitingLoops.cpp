#include "codegen/passes/WaitingLoops.h"

#include "codegen/core/Isa.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gluonc::codegen {

/// Loads of a thread in an iteration from which on they are many: on an H100 the time of loops with
/// 20 did not change, that of one with 34 halved.
constexpr unsigned manyLoads = 24;

static bool isGlobalLoad(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getPointerAddressSpace() == GlobalSpace;
  const auto *call = dyn_cast<CallInst>(&instruction);
  const auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && StringRef(text->getAsmString()).contains("ld.global");
}

static bool isMeeting(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *called = call ? call->getCalledFunction() : nullptr;
  return called && called->getName() == "llvm.nvvm.barrier.cta.sync.aligned.all";
}

PreservedAnalyses WaitingLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute("nvvm.reqntid") || function.hasFnAttribute("nvvm.maxnreg"))
    return PreservedAnalyses::all();
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    unsigned loads = 0, meetings = 0;
    for (const BasicBlock *block : loop->blocks())
      if (loops.getLoopFor(block) == loop) {
        loads += count_if(*block, isGlobalLoad);
        meetings += count_if(*block, isMeeting);
      }
    if (meetings && loads >= manyLoads)
      function.addFnAttr("nvvm.minctasm", "1");
  }
  return PreservedAnalyses::all();
}

} // namespace gluonc::codegen
