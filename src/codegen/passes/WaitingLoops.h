//===- WaitingLoops.h - Loops in which threads wait more than they compute ---------===//
//
// ptxas takes few registers where that lets more programs share a multiprocessor, and starts
// loads a few at a time to do so. A loop that needs many loads at once, and whose warps wait for
// each other in each iteration, then waits for memory several times in a row. Such kernels say
// that one program is enough (`.minnctapersm 1`).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct WaitingLoopsPass : llvm::PassInfoMixin<WaitingLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace gluonc::codegen
