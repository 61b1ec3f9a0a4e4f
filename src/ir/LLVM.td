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

/// Triton writes `gl.assume` like this. LLVM concludes from it; the simulator checks it. It writes
/// nothing: the effect keeps it from being dead code.
def LLVM_AssumeOp : Op<LLVM_Dialect, "intr.assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "Promises that a condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif
