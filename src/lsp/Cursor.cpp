#include "lsp/Cursor.h"

#include "syntax/Lexer.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::lsp {

using ast::Token;
using ast::TokenKind;

namespace {

class TokensBefore {
public:
  explicit TokensBefore(const diag::SourceFile &prefix) : list(ast::lex(prefix, ignored)) {
    // The lexer ends what the text does not.
    while (!list.tokens.empty() && list.tokens.back().begin == list.tokens.back().end)
      list.tokens.pop_back();
  }

  size_t size() const { return list.tokens.size(); }
  TokenKind kind(size_t i) const { return list.tokens[i].kind; }
  bool is(size_t i, TokenKind wanted) const { return i < size() && kind(i) == wanted; }
  llvm::StringRef text(size_t i) const {
    const Token &token = list.tokens[i];
    return list.source.text.slice(token.begin, token.end);
  }
  uint32_t end(size_t i) const { return list.tokens[i].end; }

  /// Where the chain of names begins that ends with the token `last`; `last + 1` where none does.
  size_t chainBegin(size_t last) const {
    if (!is(last, TokenKind::Name))
      return last + 1;
    while (last >= 2 && is(last - 1, TokenKind::Dot) && is(last - 2, TokenKind::Name))
      last -= 2;
    // `f(x).y` is no chain.
    return last >= 1 && is(last - 1, TokenKind::Dot) ? size() : last;
  }
  std::string joined(size_t begin, size_t end) const {
    std::string all;
    for (size_t i = begin; i < end; ++i)
      all += text(i);
    return all;
  }

private:
  diag::Collector ignored;
  ast::TokenList list;
};

} // namespace

static bool opens(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftSquare ||
         kind == TokenKind::LeftBrace;
}
static bool closes(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightSquare ||
         kind == TokenKind::RightBrace;
}

/// Brackets that are open behind the last token, as places in the list, outermost first.
static std::vector<size_t> openBrackets(const TokensBefore &tokens) {
  std::vector<size_t> open;
  for (size_t i = 0; i != tokens.size(); ++i)
    if (opens(tokens.kind(i)))
      open.push_back(i);
    else if (closes(tokens.kind(i)) && !open.empty())
      open.pop_back();
  return open;
}

/// The arguments behind the bracket `open` that belong to it.
static OpenCall readCall(const TokensBefore &tokens, size_t open) {
  OpenCall call;
  if (size_t begin = open ? tokens.chainBegin(open - 1) : open; begin < open)
    call.callee = tokens.joined(begin, open);
  unsigned depth = 0;
  for (size_t i = open + 1; i < tokens.size(); ++i) {
    depth += opens(tokens.kind(i));
    depth -= closes(tokens.kind(i));
    if (depth)
      continue;
    if (tokens.is(i, TokenKind::Comma)) {
      ++call.argument;
      call.keyword.clear();
    } else if (tokens.is(i, TokenKind::Equal) && tokens.is(i - 1, TokenKind::Name)) {
      call.keyword = tokens.text(i - 1).str();
      call.keywords.push_back(call.keyword);
    }
  }
  return call;
}

/// A bracket that a name or attribute stands before, which `def` does not define.
static bool isCall(const TokensBefore &tokens, size_t open) {
  return tokens.is(open, TokenKind::LeftParen) && open && tokens.is(open - 1, TokenKind::Name) &&
         !(open >= 2 &&
           (tokens.is(open - 2, TokenKind::KwDef) || tokens.is(open - 2, TokenKind::KwClass)));
}

/// Whether the text ends in a comment, a string or something that is no token.
static bool endsInText(const TokensBefore &tokens, llvm::StringRef text) {
  if (!tokens.size())
    return text.contains('#');
  const size_t last = tokens.size() - 1;
  llvm::StringRef rest = text.substr(tokens.end(last));
  if (rest.substr(rest.rfind('\n') + 1).contains('#'))
    return true;
  const TokenKind kind = tokens.kind(last);
  return rest.empty() &&
         (kind == TokenKind::Error || kind == TokenKind::String || kind == TokenKind::Number ||
          kind == TokenKind::FStringStart || kind == TokenKind::FStringMiddle);
}

Cursor cursorAt(const diag::SourceFile &file, uint32_t offset) {
  const diag::SourceFile prefix(file.path(), std::string(file.text().substr(0, offset)));
  const TokensBefore tokens(prefix);
  Cursor cursor;
  cursor.isInText = endsInText(tokens, prefix.text());
  const std::vector<size_t> brackets = openBrackets(tokens);
  for (size_t open : llvm::reverse(brackets))
    if (isCall(tokens, open)) {
      cursor.call = readCall(tokens, open);
      break;
    }
  size_t last = tokens.size();
  // The identifier that is being typed.
  if (last && tokens.is(last - 1, TokenKind::Name) && tokens.end(last - 1) == offset)
    --last;
  if (last && tokens.is(last - 1, TokenKind::Dot)) {
    size_t begin = last >= 2 ? tokens.chainBegin(last - 2) : last;
    if (begin < last - 1)
      cursor.object = tokens.joined(begin, last - 1);
    else
      cursor.isMemberOfOther = true;
  }
  return cursor;
}

} // namespace gluonc::lsp
