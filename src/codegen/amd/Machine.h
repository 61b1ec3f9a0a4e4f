//===- Machine.h - LLVM target machines for AMDGPU ----------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "codegen/core/MachineLoan.h"

namespace gluonc::codegen::amd {

class Machine : public MachineLoan {
public:
  Machine(const target::Target &target, const Options &options);
};

/// LLVM's AMDGPU with its assembler, initialized.
const llvm::Target *llvmTarget();
llvm::Triple triple();

} // namespace gluonc::codegen::amd
