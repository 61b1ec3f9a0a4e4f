//===- LexerFuzz.cpp - Any bytes lex to tokens that cover the text in order --===//
#include "support/Error.h"
#include "syntax/Lexer.h"

#include <cstddef>

using namespace gluonc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  diag::SourceFile file("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  diag::Collector sink;
  ast::TokenList list = ast::lex(file, sink);
  GL_CHECK(!list.tokens.empty() && list.tokens.back().kind == ast::TokenKind::EndMarker);
  uint32_t end = 0;
  int indents = 0;
  bool error = false;
  for (const ast::Token &token : list.tokens) {
    GL_CHECK(token.begin >= end && token.end >= token.begin);
    GL_CHECK(token.end <= list.source.text.size());
    end = token.begin;
    indents += token.kind == ast::TokenKind::Indent;
    indents -= token.kind == ast::TokenKind::Dedent;
    GL_CHECK(indents >= 0);
    error |= token.kind == ast::TokenKind::Error;
  }
  GL_CHECK(indents == 0);
  GL_CHECK(!error || sink.hasErrors());
  for (const diag::Diagnostic &d : sink.diagnostics)
    GL_CHECK(d.span.begin <= d.span.end && d.span.end <= size);
  return 0;
}
