//===- ProductChains.h - Multiples of one value by addition ----------------------===//
//
//   (x | 1) * s      ⇒     x * s + s
//   (x | 2) * s            (x * s + s) + s
//   (x | 4) * s            … + (s << 1)
//
// The rows of a tile times the stride between them: one product, then additions.
// LLVM's straight-line strength reduction finds these, too, but asks scalar
// evolution about every address on its way: a tenth of the time to PTX.
//
// Needs the disjoint flags that InstCombine finds; leaves duplicates to EarlyCSE.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct ProductChainsPass : llvm::PassInfoMixin<ProductChainsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace gluonc::codegen
