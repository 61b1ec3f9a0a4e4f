//===- Cursor.h - What is being typed -------------------------------------------===//
//
// Half-typed lines are in no syntax tree; the tokens before the cursor tell enough.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace gluonc::lsp {

/// The innermost call whose arguments the cursor is among.
struct OpenCall {
  /// `gl.load`; empty where no name or attribute is called.
  std::string callee;
  /// How many arguments are finished.
  unsigned argument = 0;
  /// Of `name=…`, where the cursor is behind such; else empty.
  std::string keyword;
  /// Names of keywords given so far.
  std::vector<std::string> keywords;
};

struct Cursor {
  /// Of `gl.nvidia.hop`: `gl.nvidia`; empty behind no dot.
  std::string object;
  /// Behind a dot of something that is no chain of names: `f(x).`.
  bool isMemberOfOther = false;
  /// In a comment, a string, or an import of names.
  bool isInText = false;
  std::optional<OpenCall> call;
};

Cursor cursorAt(const diag::SourceFile &file, uint32_t offset);

} // namespace gluonc::lsp
