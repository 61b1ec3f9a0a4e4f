//===- Machine.h - LLVM target machines for AMDGPU ----------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "codegen/core/MachineLoan.h"

namespace gluonc::codegen::amd {

/// Whether each address of a loop is a counter of its own (LLVM's loop strength reduction), and not
/// the loop's base and an offset.
enum class LoopAddresses { Offsets, Counters };

class Machine : public MachineLoan {
public:
  Machine(const target::Target &target, const Options &options,
          LoopAddresses addresses = LoopAddresses::Offsets);
};

/// LLVM's AMDGPU with its assembler, initialized.
const llvm::Target *llvmTarget();
llvm::Triple triple();

} // namespace gluonc::codegen::amd
