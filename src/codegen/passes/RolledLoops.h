//===- RolledLoops.h - Loops that ptxas must not unroll ---------------------------===//
//
// ptxas (12.8, 12.9, 13.0 were tried) unrolls loops that run a few times. Where they hold wgmma
// and other instructions change the sums between two iterations, as in
//
//   for k in range(4): sums = where(sums > 40, 40, sums + x[k] @ y[k])
//
// it drops the products of all iterations but the first. Loops with wgmma stay loops.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct RolledLoopsPass : llvm::PassInfoMixin<RolledLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace gluonc::codegen
