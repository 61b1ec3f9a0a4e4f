//===- KernelOptions.h - What options say of a kernel ------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "driver/CommandLine.h"
#include "sema/builtins/Context.h"

namespace gluonc::driver {

/// `--target`, or nullopt after a report.
std::optional<target::Target> parseTarget(const Word &word, diag::Sink &sink);

/// --num-warps, --num-ctas, --num-stages, --maxnreg, --debug. False with what is wrong in
/// `problem`.
bool readOptions(const CommandLine &line, sema::Options &options, std::string &problem);

} // namespace gluonc::driver
