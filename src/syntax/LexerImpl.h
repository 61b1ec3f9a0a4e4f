//===- LexerImpl.h - State of the lexer ------------------------------------===//
//
// Private to Lexer.cpp (lines, names, operators) and LexerLiterals.cpp (numbers,
// strings, f-strings).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "syntax/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace gluonc::ast {

class Lexer {
public:
  Lexer(const Source &source, std::vector<Token> &tokens, diag::Sink &sink)
      : source(source), tokens(tokens), sink(sink), begin(source.text.begin()),
        p(begin + source.start), end(source.text.end()) {}
  void run();

private:
  /// A bracket, an f-string or a replacement field that is not closed yet.
  struct Open {
    enum Kind : uint8_t { Bracket, FString, Field };
    Kind kind;
    /// The bracket or brace; for an f-string its prefix.
    const char *at;
    bool inFormat = false; // Field: behind its colon
    bool raw = false;      // FString
    bool triple = false;   // FString
    char quote = 0;        // FString
    /// Start of the text after the opening quote or the format's colon.
    const char *text = nullptr;

    bool inText() const { return kind == FString || inFormat; }
  };
  struct Indent {
    unsigned column, alternate;
  };

  diag::Span spanOf(const char *from, const char *to) const {
    return source.span(static_cast<uint32_t>(from - begin), static_cast<uint32_t>(to - begin));
  }
  void push(TokenKind kind, const char *from, const char *to) {
    tokens.push_back(
        {kind, static_cast<uint32_t>(from - begin), static_cast<uint32_t>(to - begin)});
  }
  void error(diag::Kind kind, const char *from, const char *to, const std::string &text);
  void abandon(const char *at, const std::string &text);

  bool consumeNewline();
  bool consumeContinuation();
  void skipComment();
  void startLine();
  void indentTo(unsigned column, unsigned alternate);
  void lineInBrackets();
  bool recoverUnclosed();

  void lexToken();
  void lexName();
  void lexOperator();
  void lexStray();
  void openBracket(TokenKind kind);
  void closeBracket(TokenKind kind, char opening);

  void lexNumber();
  const char *digits(const char *q, unsigned base, bool &bad);
  void endNumber(const char *start, const char *kind);
  bool lexPrefixedString(const char *start);
  void lexString(const char *start, bool raw, bool formatted);
  void lexFStringText();
  void endFStringText(const char *from);
  void openField();
  void abandonFString(const char *at);

  const Source &source;
  std::vector<Token> &tokens;
  diag::Sink &sink;
  const char *const begin;
  const char *p;
  const char *const end;
  llvm::SmallVector<Open, 16> open;
  /// How often text may still be read again; bounds the time of recovery.
  unsigned retries = 32;
  llvm::SmallVector<Indent, 16> indents = {{0, 0}};
};

} // namespace gluonc::ast
