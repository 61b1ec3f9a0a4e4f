//===- EarlyElements.h - Elements of loaded vectors, taken where they are loaded --===//
//
//   v = load <4 x i32>          ⇒     v = load <4 x i32>
//   br if.then                        x0 = extractelement v, 0   …
//   if.then:                          br if.then
//   x0 = extractelement v, 0   …
//
// LLVM's passes move what one block alone uses into it. Between blocks a vector then
// travels as pairs of 64 bits, where the chip has operations on two registers at once,
// and is taken apart by moves, for which ptxas wants more registers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct EarlyElementsPass : llvm::PassInfoMixin<EarlyElementsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace gluonc::codegen
