//===- Write.h - A manifest with the variants that were found -------------------===//
#pragma once

#include "tune/Tune.h"

namespace gluonc::tune {

/// `text` of a manifest of `kernels`, with variants behind the tables of the kernels that were
/// tuned; what else is in it stays as it is. `device` and `target` are where they were measured;
/// for the other targets of a kernel there is a variant of its first candidate.
std::string writeManifest(llvm::StringRef text, llvm::ArrayRef<pack::KernelEntry> kernels,
                          llvm::ArrayRef<Tuned> tuned, const target::Target &target,
                          llvm::StringRef device);

/// "n >= 1024".
std::string conditionText(const Bound &bound, llvm::ArrayRef<std::string> variables);

} // namespace gluonc::tune
