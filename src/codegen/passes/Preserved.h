//===- Preserved.h - What holds behind a pass that leaves branches alone ---------===//
#pragma once

#include "llvm/IR/Analysis.h"

namespace gluonc::codegen {

/// All analyses where nothing `changed`, else those of the control flow.
inline llvm::PreservedAnalyses preservedAfter(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace gluonc::codegen
