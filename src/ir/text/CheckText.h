//===- CheckText.h - Text that MLIR's parser does not survive ------------------===//
//
// MLIR's parser recurses, so brackets that nest deep enough run it out of stack.
// And a value that is used before it is defined stands for a placeholder until
// then. Where a region inside of the user's region defines it, the parser goes on
// using the placeholder (operations of scf look up their operands first, and then
// read their regions), or, where the region ends in an error, the value:
//
//   scf.for %i = %a to %b step %c : i32 { %c = arith.constant 1 : i32 }
//
// Such a value is never visible where it was used, so the text is wrong anyway.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace gluonc {

struct TextProblem {
  /// Into the text.
  const char *where;
  std::string what;
};

/// The first place that must not reach MLIR's parser.
std::optional<TextProblem> checkText(llvm::StringRef text);

} // namespace gluonc
