//===- ParsePrimaries.cpp - Atoms, displays, trailers ---------------------===//
#include "syntax/ParserImpl.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Primaries
//===----------------------------------------------------------------------===//

const Expr *Parser::parsePrimary() {
  uint32_t begin = token->begin;
  if (!accept(TokenKind::KwAwait))
    return parseTrailers(begin, parseAtom());
  uint32_t valueBegin = token->begin;
  // `await await x` is no expression, so this does not recurse.
  const Expr *value = parseTrailers(valueBegin, parseAtom());
  auto *node = make<Await>(begin);
  node->value = value;
  return done(node);
}

const Expr *Parser::parseTrailers(uint32_t begin, const Expr *value) {
  while (true) {
    switch (kind()) {
    case TokenKind::Dot: {
      advance();
      Span attrSpan = span(*token);
      StringRef attr = takeName();
      auto *node = make<Attribute>(begin);
      node->value = value;
      node->attr = attr;
      node->attrSpan = attrSpan;
      value = done(node);
      break;
    }
    case TokenKind::LeftParen:
      value = parseCall(begin, value);
      break;
    case TokenKind::LeftSquare: {
      advance();
      const Expr *slice = parseSlices();
      expect(TokenKind::RightSquare);
      auto *node = make<Subscript>(begin);
      node->value = value;
      node->slice = slice;
      value = done(node);
      break;
    }
    default:
      return value;
    }
  }
}

const Expr *Parser::parseAtom() {
  switch (kind()) {
  case TokenKind::Name: {
    auto *node = make<Name>(token->begin);
    node->span = span(*token);
    node->id = literals.identifier(text(*token));
    advance();
    return node;
  }
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftSquare:
    return parseListDisplay();
  case TokenKind::LeftBrace:
    return parseBraces();
  case TokenKind::KwNone:
    return parseKeywordConstant(ConstantKind::None);
  case TokenKind::KwTrue:
    return parseKeywordConstant(ConstantKind::True);
  case TokenKind::KwFalse:
    return parseKeywordConstant(ConstantKind::False);
  case TokenKind::Ellipsis:
    return parseKeywordConstant(ConstantKind::Ellipsis);
  default:
    unexpected("an expression");
    return errorExpr();
  }
}

const Expr *Parser::parseNumber() {
  uint32_t begin = token->begin;
  StringRef digits = text(*token);
  advance();
  auto *node = make<Constant>(begin);
  literals.number(digits, *node);
  return node;
}

const Expr *Parser::parseKeywordConstant(ConstantKind value) {
  uint32_t begin = token->begin;
  advance();
  auto *node = make<Constant>(begin);
  node->value = value;
  return node;
}

/// A group, a tuple or a generator expression.
const Expr *Parser::parseParenthesized() {
  uint32_t begin = token->begin;
  advance();
  if (accept(TokenKind::RightParen))
    return done(make<Tuple>(begin));
  if (at(TokenKind::KwYield)) {
    const Expr *yield = parseYield();
    expect(TokenKind::RightParen);
    return yield;
  }
  const Expr *first = parseStarNamedExpression();
  if (atComprehension())
    return finishComprehension<GeneratorExp>(begin, first, TokenKind::RightParen);
  if (!at(TokenKind::Comma)) {
    if (isa<Starred>(first) && at(TokenKind::RightParen))
      fail(Kind::SyntaxError, first->span, "cannot use starred expression here");
    expect(TokenKind::RightParen);
    return first;
  }
  ExprList elements = {first};
  while (accept(TokenKind::Comma) && startsExpression())
    elements.push_back(parseStarNamedExpression());
  expect(TokenKind::RightParen);
  auto *node = make<Tuple>(begin);
  node->elts = save<const Expr *>(elements);
  return done(node);
}

const Expr *Parser::parseListDisplay() {
  uint32_t begin = token->begin;
  advance();
  ExprList elements;
  if (!at(TokenKind::RightSquare)) {
    elements.push_back(parseStarNamedExpression());
    if (atComprehension())
      return finishComprehension<ListComp>(begin, elements[0], TokenKind::RightSquare);
    while (accept(TokenKind::Comma) && startsExpression())
      elements.push_back(parseStarNamedExpression());
  }
  expect(TokenKind::RightSquare);
  auto *node = make<List>(begin);
  node->elts = save<const Expr *>(elements);
  return done(node);
}

/// A dictionary, a set or a comprehension of either.
const Expr *Parser::parseBraces() {
  uint32_t begin = token->begin;
  advance();
  if (accept(TokenKind::RightBrace))
    return done(make<Dict>(begin));
  if (accept(TokenKind::DoubleStar))
    return parseDictDisplay(begin, nullptr, parseBinary(1));
  bool grouped = at(TokenKind::LeftParen);
  const Expr *first = parseStarNamedExpression();
  if (at(TokenKind::Colon) && (isa<Starred>(first) || (isa<NamedExpr>(first) && !grouped)))
    fail(Kind::SyntaxError, first->span, "a dictionary key needs parentheses here");
  if (accept(TokenKind::Colon))
    return parseDictDisplay(begin, first, parseExpression());
  if (atComprehension())
    return finishComprehension<SetComp>(begin, first, TokenKind::RightBrace);
  ExprList elements = {first};
  while (accept(TokenKind::Comma) && startsExpression())
    elements.push_back(parseStarNamedExpression());
  expect(TokenKind::RightBrace);
  auto *node = make<Set>(begin);
  node->elts = save<const Expr *>(elements);
  return done(node);
}

const Expr *Parser::parseDictDisplay(uint32_t begin, const Expr *key, const Expr *value) {
  if (atComprehension()) {
    if (!key)
      fail(Kind::SyntaxError, value->span, "dict unpacking cannot be used in dict comprehension");
    Comprehensions generators = parseComprehensions();
    expect(TokenKind::RightBrace);
    auto *node = make<DictComp>(begin);
    node->key = key;
    node->value = value;
    node->generators = generators;
    return done(node);
  }
  ExprList keys = {key}, values = {value};
  while (accept(TokenKind::Comma) && !at(TokenKind::RightBrace)) {
    if (accept(TokenKind::DoubleStar)) {
      keys.push_back(nullptr);
      values.push_back(parseBinary(1));
      continue;
    }
    keys.push_back(parseExpression());
    expect(TokenKind::Colon);
    values.push_back(parseExpression());
  }
  expect(TokenKind::RightBrace);
  auto *node = make<Dict>(begin);
  node->keys = save<const Expr *>(keys);
  node->values = save<const Expr *>(values);
  return done(node);
}

//===----------------------------------------------------------------------===//
// Subscripts and comprehensions
//===----------------------------------------------------------------------===//

const Expr *Parser::parseSlices() {
  uint32_t begin = token->begin;
  const Expr *first = parseSlice();
  // A single starred subscript is a tuple too (PEP 646).
  if (!at(TokenKind::Comma) && !isa<Starred>(first))
    return first;
  ExprList elements = {first};
  while (accept(TokenKind::Comma) && (startsExpression() || at(TokenKind::Colon)))
    elements.push_back(parseSlice());
  auto *tuple = make<Tuple>(begin);
  tuple->elts = save<const Expr *>(elements);
  return done(tuple);
}

const Expr *Parser::parseSlice() {
  uint32_t begin = token->begin;
  const Expr *lower = nullptr;
  if (!at(TokenKind::Colon)) {
    lower = parseStarNamedExpression();
    if (!at(TokenKind::Colon) || isa<Starred>(lower))
      return lower;
  }
  advance();
  auto part = [&]() -> const Expr * {
    bool present = startsExpression() && !at(TokenKind::Star);
    return present ? parseExpression() : nullptr;
  };
  const Expr *upper = part();
  const Expr *step = accept(TokenKind::Colon) ? part() : nullptr;
  auto *node = make<Slice>(begin);
  node->lower = lower;
  node->upper = upper;
  node->step = step;
  return done(node);
}

bool Parser::atComprehension() const {
  return at(TokenKind::KwFor) || (at(TokenKind::KwAsync) && nextKind() == TokenKind::KwFor);
}

Comprehensions Parser::parseComprehensions() {
  Vec<const Comprehension *> generators;
  while (atComprehension()) {
    uint32_t begin = token->begin;
    bool async = accept(TokenKind::KwAsync);
    advance();
    const Expr *target = parseForTargets();
    expect(TokenKind::KwIn);
    const Expr *iter = parseDisjunction();
    ExprList ifs;
    while (accept(TokenKind::KwIf))
      ifs.push_back(parseDisjunction());
    auto *node = make<Comprehension>(begin);
    node->target = target;
    node->iter = iter;
    node->ifs = save<const Expr *>(ifs);
    node->is_async = async;
    generators.push_back(done(node));
  }
  return save<const Comprehension *>(generators);
}

template <typename N>
const Expr *Parser::finishComprehension(uint32_t begin, const Expr *element, TokenKind close) {
  if (isa<Starred>(element))
    fail(Kind::SyntaxError, element->span, "iterable unpacking cannot be used in comprehension");
  Comprehensions generators = parseComprehensions();
  expect(close);
  auto *node = make<N>(begin);
  node->elt = element;
  node->generators = generators;
  return done(node);
}
