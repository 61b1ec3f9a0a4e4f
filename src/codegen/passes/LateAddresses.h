//===- LateAddresses.h - Addresses of stores, made where they are used -----------===//
//
//   p0 = gep …            ⇒     p0 = gep …
//   p1 = gep …                  store x0, p0
//   store x0, p0                p1 = gep …
//   store x1, p1                store x1, p1
//
// Code for a tensor computes the addresses of all of its elements, then stores them.
// ptxas does not take so much of an order back: with 128 addresses of two registers
// each, beside 128 values, it spilled 536 bytes. Only blocks with many such stores
// are changed: few addresses cost no registers that matter.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace gluonc::codegen {

struct LateAddressesPass : llvm::PassInfoMixin<LateAddressesPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace gluonc::codegen
