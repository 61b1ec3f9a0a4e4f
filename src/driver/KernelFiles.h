//===- KernelFiles.h - Which files have kernels -----------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace gluonc::driver {

/// Whether a line of a Python file imports Gluon or Triton's language in one way or another.
bool importsLanguage(llvm::StringRef text);

/// The Python files in `folder`, in alphabetical order; hidden folders are left out.
std::vector<std::string> pythonFiles(llvm::StringRef folder);

} // namespace gluonc::driver
