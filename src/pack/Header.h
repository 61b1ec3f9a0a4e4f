//===- Header.h - A typed function for each kernel of a bundle ------------------===//
#pragma once

#include "bundle/Bundle.h"

#include <string>

namespace gluonc::pack {

/// A header in C++17 over gluonc_rt.hpp: a class `Bundle` in `nameSpace` with a function for each
/// kernel.
std::string writeHeader(const bundle::Bundle &bundle, llvm::StringRef nameSpace);

} // namespace gluonc::pack
