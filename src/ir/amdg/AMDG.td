//===- AMDG.td - The amdg dialect --------------------------------------------===//
//
// What AMD's chips do beyond plain loads and stores: buffers with bounds, copies
// past the registers, the engine that copies blocks, barriers in LDS, conversions
// with scales. Spelling is Triton's, so that .ttgir files are exchangeable.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_AMDG
#define GLUONC_IR_AMDG

include "mlir/IR/OpBase.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::gluonc::amdg";
  let summary = "Operations of AMD's chips";
  let dependentDialects = ["::gluonc::tt::TTDialect", "::gluonc::ttg::TTGDialect"];
}

#endif
