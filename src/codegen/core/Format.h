//===- Format.h - Formats of C's printf ---------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gluonc::codegen {

/// A format that shows the text as it is.
inline std::string formatOf(llvm::StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

} // namespace gluonc::codegen
