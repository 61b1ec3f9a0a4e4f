//===- KernelOptions.h - What options say of a kernel ------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "driver/CommandLine.h"
#include "sema/builtins/Context.h"

namespace gluonc::driver {

/// `--target`, or nullopt after a report.
std::optional<target::Target> parseTarget(const Word &word, diag::Sink &sink);

/// Those options that are numbers, where they are given.
struct OptionNumbers {
  std::optional<uint64_t> warps, ctas, stages, registers;
};

/// What is wrong with one of them; empty where nothing is. `prefix` stands before its name.
std::string whyNotPossible(const OptionNumbers &numbers, llvm::StringRef prefix);
/// Those that pass.
void apply(const OptionNumbers &numbers, sema::Options &options);

/// --num-warps, --num-ctas, --num-stages, --maxnreg, --debug. False with what is wrong in
/// `problem`.
bool readOptions(const CommandLine &line, sema::Options &options, std::string &problem);

} // namespace gluonc::driver
