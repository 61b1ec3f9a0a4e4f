//===- MachineCode.h - What nvdisasm says of lines ---------------------------===//
//
// How many instructions of machine code each line has become, by the kind of unit
// that executes them. They are counted as they stand in the code; how often they run
// follows from its branches (MachineFlow.h). An instruction of a function that was inlined counts
// at its own line, and to the calls that led to it.
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
  /// Files and lines of the calls that it was inlined by; innermost first.
  std::vector<std::pair<std::string, uint32_t>> calls = {};
  /// Instructions that run equally often in a row have the same number, which is theirs alone.
  unsigned block = 0;
  /// "!P0" of `@!P0`: runs for some lanes, or for none; else empty.
  std::string guard = {};
  /// As they are written.
  std::vector<std::string> operands = {};
  /// The instruction that a branch goes to, by its number; `nowhere` where it is none.
  static constexpr size_t nowhere = ~size_t(0);
  size_t branchTarget = nowhere;
};

/// Reads what `nvdisasm --print-code --print-line-info-inline` prints.
std::vector<MachineInstruction> readDisassembly(llvm::StringRef text);

/// What executes an instruction of machine code.
Pipe machinePipeOf(llvm::StringRef name);

struct MachineFlow;

/// Puts the instructions to the lines and calls of `profile` that have costs, and to its total.
/// `executions`: how often each of them runs, or empty. `flow`: what following them has found, if
/// anything.
void addMachineCode(Profile &profile, llvm::ArrayRef<MachineInstruction> instructions,
                    llvm::ArrayRef<double> executions = {}, const MachineFlow *flow = nullptr);

} // namespace gluonc::explain
