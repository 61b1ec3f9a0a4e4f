//===- PtxasFaults.h - Loops with wgmma that ptxas gets wrong ---------------------===//
//
// ptxas 12.8, 12.9 and 13.0 were tried.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

/// ptxas unrolls loops that run a few times. Where they hold wgmma and other instructions change
/// the sums between two iterations, as in
///
///   for k in range(4): sums = where(sums > 40, 40, sums + x[k] @ y[k])
///
/// it drops the products of all iterations but the first. Such loops stay loops; those whose sums
/// nothing but products changes do not have to.
struct RolledLoopsPass : llvm::PassInfoMixin<RolledLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Registers that are filled before a loop, and that only products of the loop read, are free to
/// ptxas once the first iteration has read them, where another product of the loop takes as many
/// of its own:
///
///   for k in range(n): p = exp(x @ y[k]); sums += p @ z[k]
///
/// x and p get the same registers, and the second iteration multiplies p by y. A store behind the
/// loop that reads x, and that never happens, keeps them apart.
struct KeptOperandsPass : llvm::PassInfoMixin<KeptOperandsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace gluonc::codegen
