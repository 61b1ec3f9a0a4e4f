//===- AddressSplit.h - One base, many immediates ---------------------------------===//
//
//   gep p, sext (x | 512)      ⇒     gep (gep p, sext x), 512
//   gep p, sext (x | 1024)           gep (gep p, sext x), 1024
//
// The inner gep is the same for all registers of a thread, so it is computed
// once and the constants become immediates of the accesses. NVPTX has a pass
// for this too, but it distributes the extension over all parts of the index,
// and then the access with constant 0 no longer shares the base of the others.
//
// Needs the disjoint and nsw flags that InstCombine finds; leaves duplicates
// to EarlyCSE.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct AddressSplitPass : llvm::PassInfoMixin<AddressSplitPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace gluonc::codegen
