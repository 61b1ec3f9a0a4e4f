//===- Lexer.h - Source text to tokens -------------------------------------===//
//
// The whole file is lexed before parsing: the parser may then look ahead as far
// as it likes, which is all it takes to tell soft keywords from names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "syntax/Encoding.h"

#include <vector>

namespace gluonc::ast {

// The operators from Plus to DoubleSlash and PlusEqual to DoubleSlashEqual are in
// the order of ast::Operator's spellings only by name; see binaryOperator().
enum class TokenKind : uint8_t {
#define GL_TOKEN(Name, text) Name,
#define GL_KEYWORD(Name, text) Kw##Name,
#define GL_OPERATOR(Name, text) Name,
#include "syntax/Tokens.def"
};

/// "NAME", "KwIf", "Plus": the kind as shown by dumpTokens.
llvm::StringRef name(TokenKind kind);
/// "'+'", "'if'", "name": the kind as shown in messages.
std::string describe(TokenKind kind);

struct Token {
  TokenKind kind;
  /// Byte range in Source::text.
  uint32_t begin;
  uint32_t end;
};

struct TokenList {
  Source source;
  /// Ends with Newline (unless empty), the open Dedents and one EndMarker.
  std::vector<Token> tokens;
};

/// Lexes a file. Text that is no token becomes an Error token and a report.
/// Indent, Dedent, EndMarker and a Newline at the end of the file are empty.
TokenList lex(const diag::SourceFile &file, diag::Sink &sink);

/// One line per token: line:column-line:column<tab>Kind<tab>text, as repr shows it.
void dumpTokens(const TokenList &list, llvm::raw_ostream &out);

} // namespace gluonc::ast
