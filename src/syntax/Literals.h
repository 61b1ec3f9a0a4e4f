//===- Literals.h - Values of numbers and strings --------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "syntax/Ast.h"
#include "syntax/Encoding.h"

namespace gluonc::ast {

/// Computes values of literals that the lexer has delimited. Results point into
/// the source text where that text is the value, and into `arena` otherwise.
class Literals {
public:
  Literals(const Source &source, llvm::BumpPtrAllocator &arena, diag::Sink &sink)
      : source(source), arena(arena), sink(sink) {}

  struct StringForm {
    bool raw = false;
    bool bytes = false;
    /// Text of an f-string: {{ and }} stand for one brace.
    bool doubledBraces = false;
  };
  /// The value of the text between the quotes. `body` lies in source.text.
  StringRef decode(StringRef body, StringForm form);

  /// Sets the value of `constant` from the text of a Number token.
  void number(StringRef text, Constant &constant);

  /// The name that an identifier token stands for (NFKC unless ASCII).
  StringRef identifier(StringRef text);

  StringRef save(StringRef text);

private:
  void escape(StringRef &rest, StringForm form, std::string &out);
  void hexEscape(StringRef &rest, const char *start, unsigned digits, StringForm form,
                 std::string &out);
  void namedEscape(StringRef &rest, const char *start, std::string &out);
  void error(diag::Kind kind, const char *begin, const char *end, const std::string &text);
  void decimal(StringRef digits, Constant &constant);
  void powerOfTwoBase(StringRef digits, unsigned bitsPerDigit, Constant &constant);

  const Source &source;
  llvm::BumpPtrAllocator &arena;
  diag::Sink &sink;
};

} // namespace gluonc::ast
