//===- ParseStrings.cpp - Adjacent literals and f-strings -------------------===//
//
// Adjacent literals are one expression, and f-strings flatten into it:
//
//   "a" f"b{x}c" "d"   ->   JoinedStr['ab', FormattedValue(x), 'cd']
//
// Runs of text merge, empty runs vanish; without an f-string the result is one
// Constant.
//
//===----------------------------------------------------------------------===//
#include "syntax/ParserImpl.h"

#include "llvm/ADT/StringExtras.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

/// The parts of a string expression so far.
struct Parser::Pieces {
  Parser &parser;
  bool formatted = false;
  ExprList values{};

  // The run of text at the end.
  bool open = false;
  bool unicodePrefix = false;
  uint32_t begin = 0, end = 0;
  std::string text{};

  void addText(StringRef piece, const Token &token, bool prefix) {
    if (!open) {
      open = true;
      unicodePrefix = prefix;
      begin = token.begin;
      text.clear();
    }
    text += piece;
    end = token.end;
  }
  void addValue(const Expr *value) {
    endRun();
    values.push_back(value);
  }
  void endRun() {
    if (open && (!formatted || !text.empty())) {
      auto *constant = parser.make<Constant>(begin);
      constant->span = parser.source.span(begin, end);
      constant->value = ConstantKind::Str;
      constant->text = parser.literals.save(text);
      constant->unicodePrefix = unicodePrefix;
      values.push_back(constant);
    }
    open = false;
  }
  const Expr *finish(uint32_t from) {
    endRun();
    if (!formatted)
      return values.empty() ? parser.errorExpr() : values.front();
    auto *node = parser.make<JoinedStr>(from);
    node->values = parser.save<const Expr *>(values);
    return parser.done(node);
  }
};

namespace {
struct StringToken {
  StringRef body;
  bool raw = false, bytes = false, unicodePrefix = false;
};
} // namespace

/// Takes a String token apart.
static StringToken splitString(StringRef text) {
  StringToken result;
  result.unicodePrefix = text[0] == 'u';
  for (; llvm::isAlpha(text.front()); text = text.drop_front()) {
    result.raw |= (text.front() | 32) == 'r';
    result.bytes |= (text.front() | 32) == 'b';
  }
  bool triple = text.size() >= 6 && text[1] == text[0] && text[2] == text[0];
  result.body = triple ? text.drop_front(3).drop_back(3) : text.drop_front().drop_back();
  return result;
}

static bool isStringStart(TokenKind kind) {
  return kind == TokenKind::String || kind == TokenKind::FStringStart;
}

const Expr *Parser::parseStrings() {
  uint32_t begin = token->begin;
  if (at(TokenKind::String)) {
    StringToken first = splitString(text(*token));
    if (first.bytes)
      return parseBytes();
    if (!isStringStart(nextKind())) {
      // Nearly every string: one literal, whose value often is its source text.
      advance();
      auto *node = make<Constant>(begin);
      node->value = ConstantKind::Str;
      node->text = literals.decode(first.body, {.raw = first.raw});
      node->unicodePrefix = first.unicodePrefix;
      return node;
    }
  }
  Pieces pieces{*this};
  while (isStringStart(kind()))
    parseStringPiece(pieces);
  return pieces.finish(begin);
}

void Parser::parseStringPiece(Pieces &pieces) {
  if (at(TokenKind::FStringStart))
    return parseFStringPiece(pieces);
  StringToken part = splitString(text(*token));
  if (part.bytes)
    return fail(Kind::MixedLiterals, span(*token));
  StringRef value = literals.decode(part.body, {.raw = part.raw});
  pieces.addText(value, *token, part.unicodePrefix);
  advance();
}

const Expr *Parser::parseBytes() {
  uint32_t begin = token->begin;
  std::string joined;
  StringRef value;
  for (bool first = true; isStringStart(kind()); first = false) {
    StringToken part = at(TokenKind::String) ? splitString(text(*token)) : StringToken();
    if (!part.bytes) {
      fail(Kind::MixedLiterals, span(*token));
      break;
    }
    StringRef piece = literals.decode(part.body, {.raw = part.raw, .bytes = true});
    advance();
    if (first && !isStringStart(kind())) {
      value = piece;
      break;
    }
    joined += piece;
  }
  auto *node = make<Constant>(begin);
  node->value = ConstantKind::Bytes;
  node->text = joined.empty() ? value : literals.save(joined);
  return node;
}

//===----------------------------------------------------------------------===//
// F-strings
//===----------------------------------------------------------------------===//

void Parser::parseFStringPiece(Pieces &pieces) {
  pieces.formatted = true;
  // The prefix is f or fr in some case and order.
  bool raw = text(*token).take_front(2).contains_insensitive("r");
  advance();
  while (true) {
    if (at(TokenKind::FStringMiddle)) {
      StringRef value = literals.decode(text(*token), {.raw = raw, .doubledBraces = true});
      pieces.addText(value, *token, false);
      advance();
    } else if (at(TokenKind::LeftBrace)) {
      parseField(pieces, raw);
    } else {
      break;
    }
  }
  expect(TokenKind::FStringEnd);
}

/// `{value=!r:format}`.
void Parser::parseField(Pieces &pieces, bool raw) {
  Depth guard(*this);
  if (!guard)
    return;
  const Token *brace = token;
  advance();
  switch (kind()) {
  case TokenKind::RightBrace:
  case TokenKind::Exclamation:
  case TokenKind::Colon:
  case TokenKind::Equal:
    return fail(Kind::InvalidFString, span(*token),
                "an expression is required before " + ast::describe(kind()));
  default:
    break;
  }
  const Expr *value = parseYieldOrStarExpressions();
  bool debug = accept(TokenKind::Equal);
  if (debug && !panicking)
    pieces.addText(literals.decode(literals.save(debugText(brace, token)), {.raw = true}),
                   Token{TokenKind::FStringMiddle, brace->end, token->begin}, false);
  int conversion = -1;
  if (accept(TokenKind::Exclamation)) {
    StringRef letter = text(*token);
    bool known = letter == "s" || letter == "r" || letter == "a";
    if (!known || token->begin != lastEnd)
      fail(Kind::InvalidFString, span(*token), "expected !s, !r or !a");
    else
      conversion = letter[0];
    if (!panicking)
      advance();
  }
  const Expr *format = accept(TokenKind::Colon) ? parseFormat(raw) : nullptr;
  // As in f"{x=}", which shows the value as repr does.
  if (debug && conversion < 0 && !format)
    conversion = 'r';
  if (!accept(TokenKind::RightBrace))
    unexpected(format ? "'}'" : "'!', ':' or '}'");
  auto *node = make<FormattedValue>(brace->begin);
  node->value = value;
  node->conversion = conversion;
  node->format_spec = format;
  pieces.addValue(done(node));
}

const Expr *Parser::parseFormat(bool raw) {
  uint32_t begin = token->begin;
  Pieces pieces{*this, /*formatted=*/true};
  while (true) {
    if (at(TokenKind::FStringMiddle)) {
      pieces.addText(literals.decode(text(*token), {.raw = raw}), *token, false);
      advance();
    } else if (at(TokenKind::LeftBrace)) {
      parseField(pieces, raw);
    } else {
      return pieces.finish(begin);
    }
  }
}

/// What `=` shows: the source between the brace and `last`, without comments.
std::string Parser::debugText(const Token *brace, const Token *last) const {
  std::string result;
  uint32_t end = brace->end;
  for (const Token *t = brace + 1; t <= last; ++t) {
    // Comments lie only between tokens.
    StringRef gap = source.text.slice(end, t->begin);
    while (!gap.empty()) {
      auto [before, comment] = gap.split('#');
      result += before;
      gap = before.size() == gap.size()
                ? ""
                : comment.drop_until([](char c) { return c == '\n' || c == '\r'; });
    }
    if (t != last)
      result += text(*t);
    end = t->end;
  }
  return result;
}
