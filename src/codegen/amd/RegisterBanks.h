//===- RegisterBanks.h - Registers beyond the 256th of gfx1250 ------------------===//
//
// An instruction names 256 vector registers; the mode that s_set_vgpr_msb sets says of each of its
// places which 256. LLVM 22 ("AMDGPU Lower VGPR Encoding") sets it in front of the scalar
// instructions that precede the one it is for, so that they issue together. Where these follow
// an instruction with vector registers, it sets it one too early, and that instruction accesses
// other registers than its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>

namespace llvm {
class MachineFunctionPass;
class MachineInstr;
} // namespace llvm

namespace gluonc::codegen::amd {

/// Instructions that have no registers: the mode may change in front of them as well as behind.
struct Separators;

/// Puts one in front of all runs of scalar instructions.
llvm::MachineFunctionPass *createSeparators(std::shared_ptr<Separators> separators);
/// Takes them out.
llvm::MachineFunctionPass *createSeparatorErasure(std::shared_ptr<Separators> separators);
std::shared_ptr<Separators> noSeparators();

} // namespace gluonc::codegen::amd
