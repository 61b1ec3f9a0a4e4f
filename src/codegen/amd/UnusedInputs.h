//===- UnusedInputs.h - What a kernel is launched with but does not read --------------===//
#pragma once

#include "llvm/IR/Module.h"

namespace gluonc::codegen::amd {

/// Says of each input of AMD's kernels that no code of `module` reads that it is not needed: such
/// inputs take no registers (LLVM's AMDGPUUsage, "LLVM IR Attributes").
void markUnusedInputs(llvm::Module &module);

} // namespace gluonc::codegen::amd
