//===- Repr.h - Numbers and strings as Python prints them -------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gluonc::sema {

/// Shortest text that reads back as `value`, in Python's form: `1.0`, `1e-05`, `inf`.
std::string pythonFloat(double value);
/// With quotes and escapes, as `repr` prints it.
std::string pythonString(llvm::StringRef text);
/// What `ascii` does to such text.
std::string escapeNonAscii(llvm::StringRef text);

} // namespace gluonc::sema
