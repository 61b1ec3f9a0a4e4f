//===- ShortLoops.h - Loops of a few short iterations are written out --------------===//
//
//   for k in 0 … 1:                 i0 = load rows        i1 = load rows + 4
//     i = load rows + 4 k      ⇒    x0 = load table + i0  x1 = load table + i1
//     sum += load table + i         sum += x0 + x1
//
// Then loads of all iterations begin together. Loops in which threads meet, exchange or multiply
// matrices stay: what they load was brought ahead, or waits anyway.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"

namespace llvm {
class LPMUpdater;
}

namespace gluonc::codegen {

struct ShortLoopsPass : llvm::PassInfoMixin<ShortLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater);
};

} // namespace gluonc::codegen
