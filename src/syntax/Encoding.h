//===- Encoding.h - Source bytes to UTF-8 ----------------------------------===//
//
// PEP 263: a byte-order mark or a coding cookie in the first two lines names the
// encoding; without either it is UTF-8. Everything after this step sees UTF-8
// text, and Source maps its offsets back to the bytes of the file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace gluonc::ast {

struct Source {
  const diag::SourceFile *file = nullptr;
  /// UTF-8, followed by a NUL byte.
  llvm::StringRef text;
  /// Offset of the first byte behind a byte-order mark.
  uint32_t start = 0;
  /// Holds `text` where the file is not UTF-8; null otherwise.
  std::shared_ptr<const std::string> converted;

  diag::Span span(uint32_t begin, uint32_t end) const {
    if (!converted) [[likely]]
      return {file, begin, end};
    return {file, original(begin), original(end)};
  }

  /// One place where the offsets of text and file begin to differ more.
  struct Shift {
    uint32_t textOffset;
    uint32_t fileOffset;
  };
  std::vector<Shift> shifts;

private:
  uint32_t original(uint32_t offset) const;
};

/// Finds the encoding of `file` and converts it. False if an error was reported.
bool decodeSource(const diag::SourceFile &file, Source &source, diag::Sink &sink);

} // namespace gluonc::ast
