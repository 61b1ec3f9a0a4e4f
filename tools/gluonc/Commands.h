//===- Commands.h - The subcommands of gluonc ---------------------------------===//
#pragma once

#include "driver/CommandLine.h"

namespace gluonc::tool {

using driver::CommandLine;
using driver::OptionSpec;
using driver::Word;

struct CommandSpec {
  llvm::StringLiteral name;
  /// What follows the name in the first line of `--help`.
  llvm::StringLiteral usage;
  llvm::StringLiteral about;
  llvm::ArrayRef<OptionSpec> options;
  int (*run)(class Session &);
};

/// Options that every subcommand has.
llvm::ArrayRef<OptionSpec> sharedOptions();
llvm::ArrayRef<CommandSpec> allCommands();

void printHelp(const CommandSpec &spec, llvm::raw_ostream &out);

} // namespace gluonc::tool
