//===- LLVM.td - The one llvm operation in kernels -------------------------===//
#ifndef GLUONC_IR_LLVM
#define GLUONC_IR_LLVM

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def LLVM_Dialect : Dialect {
  let name = "llvm";
  let cppNamespace = "::gluonc::llvmir";
  let summary = "What `.ttgir` files hold of MLIR's llvm dialect";
}

/// Triton writes `gl.assume` like this. Nothing is concluded from it, so it is dead code.
def LLVM_AssumeOp : Op<LLVM_Dialect, "intr.assume", [Pure]> {
  let summary = "Promises that a condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif
