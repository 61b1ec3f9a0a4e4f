//===- Html.h - Text on pages ---------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace gluonc::explain {

inline std::string escaped(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream out(result);
  llvm::printHTMLEscaped(text, out);
  return result;
}

} // namespace gluonc::explain
