//===- MachineCode.h - What nvdisasm says of lines ---------------------------===//
//
// How many instructions of machine code each line has become, by the kind of unit
// that executes them. They are counted as they stand in the code, not as often as
// they run. An instruction of a function that was inlined counts at its own line.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "explain/Profile.h"

namespace gluonc::explain {

/// One instruction, with its place; `line` is 0 where nothing is known of it.
struct MachineInstruction {
  /// "LDG.E.128"
  std::string name;
  std::string file;
  uint32_t line = 0;
};

/// Reads what `nvdisasm --print-code --print-line-info` prints.
std::vector<MachineInstruction> readDisassembly(llvm::StringRef text);

/// What executes an instruction of machine code.
Pipe machinePipeOf(llvm::StringRef name);

/// Puts the instructions to the lines of `profile` that have costs, and to its total.
void addMachineCode(Profile &profile, llvm::ArrayRef<MachineInstruction> instructions);

} // namespace gluonc::explain
