//===- ParsePatterns.cpp - match statements and their patterns --------------===//
#include "syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `match` is a keyword exactly if its logical line ends with a colon: as a name it
/// can begin no such line. Where only a keyword makes sense (`match x` without the
/// colon), it is taken as one for the sake of the message.
bool Parser::atMatchStatement() const {
  if (!atSoftKeyword("match"))
    return false;
  switch (nextKind()) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::LeftBrace:
    return true;
  case TokenKind::LeftParen:
  case TokenKind::LeftSquare:
  case TokenKind::Star:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
  case TokenKind::Ellipsis:
  case TokenKind::KwNot:
  case TokenKind::KwLambda:
  case TokenKind::KwAwait:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    break;
  default:
    return false;
  }
  const Token *t = token;
  while (t->kind != TokenKind::Newline && t->kind != TokenKind::EndMarker)
    ++t;
  return t[-1].kind == TokenKind::Colon;
}

Stmt *Parser::parseMatch() {
  const Token header = *token;
  advance();
  uint32_t subjectBegin = token->begin;
  const Expr *subject = parseStarNamedExpression();
  if (at(TokenKind::Comma)) {
    ExprList elements = {subject};
    while (accept(TokenKind::Comma) && startsExpression())
      elements.push_back(parseStarNamedExpression());
    auto *tuple = make<Tuple>(subjectBegin);
    tuple->elts = save<const Expr *>(elements);
    subject = done(tuple);
  }
  expect(TokenKind::Colon);
  bool headerFailed = panicking;
  finishLine();
  Vec<const MatchCase *> cases;
  if (accept(TokenKind::Indent)) {
    while (!at(TokenKind::Dedent) && !at(TokenKind::EndMarker))
      cases.push_back(parseCase());
    accept(TokenKind::Dedent);
  } else if (!headerFailed) {
    statementBegin = token->begin;
    if (!quiet(span(*token)))
      sink.report(Kind::MissingBlock, span(*token), "'match'")
          .label(span(header), "the statement is here")
          .end();
  }
  auto *node = make<Match>(header.begin);
  node->subject = subject;
  node->cases = save<const MatchCase *>(cases);
  return done(node);
}

const MatchCase *Parser::parseCase() {
  panicking = false;
  const Token header = *token;
  statementBegin = header.begin;
  if (!atSoftKeyword("case")) {
    // Whatever statement stands here, it is read and dropped.
    unexpected("'case'");
    finishLine();
    StmtList dropped;
    if (accept(TokenKind::Indent))
      parseIndented(dropped);
    auto *empty = make<MatchAs>(header.begin);
    auto *node = make<MatchCase>(header.begin);
    node->pattern = empty;
    return done(node);
  }
  advance();
  const Pattern *pattern = parsePatterns();
  const Expr *guard = accept(TokenKind::KwIf) ? parseNamedExpression() : nullptr;
  Stmts body = parseBlock("'case'", header);
  auto *node = make<MatchCase>(header.begin);
  node->pattern = pattern;
  node->guard = guard;
  node->body = body;
  return done(node);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// What may follow `case`: a comma without brackets makes a sequence.
const Pattern *Parser::parsePatterns() {
  uint32_t begin = token->begin;
  const Pattern *first = parseMaybeStarPattern();
  if (!at(TokenKind::Comma)) {
    if (isa<MatchStar>(first))
      fail(Kind::InvalidPattern, first->span, "a starred pattern stands only in a sequence");
    return first;
  }
  Vec<const Pattern *> patterns = {first};
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::KwIf))
    patterns.push_back(parseMaybeStarPattern());
  auto *node = make<MatchSequence>(begin);
  node->patterns = save<const Pattern *>(patterns);
  return done(node);
}

const Pattern *Parser::parseMaybeStarPattern() {
  if (!at(TokenKind::Star))
    return parseAsPattern();
  uint32_t begin = token->begin;
  advance();
  StringRef name = takeName();
  auto *node = make<MatchStar>(begin);
  node->name = name == "_" ? StringRef() : name;
  return done(node);
}

const Pattern *Parser::parseAsPattern() {
  Depth guard(*this);
  uint32_t begin = token->begin;
  if (!guard)
    return make<MatchAs>(begin);
  const Pattern *pattern = parseOrPattern();
  if (!accept(TokenKind::KwAs))
    return pattern;
  Span place = span(*token);
  StringRef name = takeName();
  if (name == "_")
    fail(Kind::InvalidPattern, place, "cannot use '_' as a target");
  auto *node = make<MatchAs>(begin);
  node->pattern = pattern;
  node->name = name;
  return done(node);
}

const Pattern *Parser::parseOrPattern() {
  uint32_t begin = token->begin;
  const Pattern *first = parseClosedPattern();
  if (!at(TokenKind::VBar))
    return first;
  Vec<const Pattern *> patterns = {first};
  while (accept(TokenKind::VBar))
    patterns.push_back(parseClosedPattern());
  auto *node = make<MatchOr>(begin);
  node->patterns = save<const Pattern *>(patterns);
  return done(node);
}

const Pattern *Parser::parseClosedPattern() {
  uint32_t begin = token->begin;
  auto singleton = [&](ConstantKind value) {
    advance();
    auto *node = make<MatchSingleton>(begin);
    node->value = value;
    return done(node);
  };
  auto value = [&](const Expr *expr) {
    auto *node = make<MatchValue>(begin);
    node->value = expr;
    return done(node);
  };
  switch (kind()) {
  case TokenKind::KwNone:
    return singleton(ConstantKind::None);
  case TokenKind::KwTrue:
    return singleton(ConstantKind::True);
  case TokenKind::KwFalse:
    return singleton(ConstantKind::False);
  case TokenKind::Number:
  case TokenKind::Minus:
    return value(parsePatternNumber());
  case TokenKind::String:
  case TokenKind::FStringStart: {
    const Expr *text = parseStrings();
    if (isa<JoinedStr>(text))
      fail(Kind::InvalidPattern, text->span, "patterns may only match literals and names");
    return value(text);
  }
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::LeftParen:
    return parseSequencePattern(TokenKind::RightParen);
  case TokenKind::LeftSquare:
    return parseSequencePattern(TokenKind::RightSquare);
  case TokenKind::LeftBrace:
    return parseMappingPattern();
  default:
    unexpected("a pattern");
    return make<MatchAs>(begin);
  }
}

/// A capture, a wildcard, a dotted value or a class.
const Pattern *Parser::parseNamePattern() {
  uint32_t begin = token->begin;
  if (nextKind() != TokenKind::Dot && nextKind() != TokenKind::LeftParen) {
    StringRef name = takeName();
    auto *node = make<MatchAs>(begin);
    node->name = name == "_" ? StringRef() : name;
    return done(node);
  }
  const Expr *name = parsePatternName();
  if (at(TokenKind::LeftParen))
    return parseClassPattern(begin, name);
  auto *node = make<MatchValue>(begin);
  node->value = name;
  return done(node);
}

const Expr *Parser::parsePatternName() {
  uint32_t begin = token->begin;
  StringRef id = takeName();
  auto *name = make<Name>(begin);
  name->id = id;
  const Expr *value = name;
  while (accept(TokenKind::Dot)) {
    Span attrSpan = span(*token);
    StringRef attr = takeName();
    auto *node = make<Attribute>(begin);
    node->value = value;
    node->attr = attr;
    node->attrSpan = attrSpan;
    value = done(node);
  }
  return value;
}

static bool isComplex(const Expr *expr) {
  const auto *constant = llvm::dyn_cast<Constant>(expr);
  return constant && constant->value == ConstantKind::Complex;
}

/// `1`, `-1`, `1 + 2j`, `-1 - 2j`.
const Expr *Parser::parsePatternNumber() {
  uint32_t begin = token->begin;
  bool negative = accept(TokenKind::Minus);
  if (!at(TokenKind::Number)) {
    unexpected("a number");
    return errorExpr();
  }
  const Expr *number = parseNumber();
  bool imaginary = isComplex(number);
  if (negative) {
    auto *node = make<UnaryOp>(begin);
    node->op = UnaryOperator::USub;
    node->operand = number;
    number = done(node);
  }
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus))
    return number;
  if (imaginary)
    fail(Kind::InvalidPattern, number->span, "real number required in complex literal");
  Span opSpan = span(*token);
  Operator op = at(TokenKind::Plus) ? Operator::Add : Operator::Sub;
  advance();
  if (!at(TokenKind::Number)) {
    unexpected("an imaginary number");
    return errorExpr();
  }
  const Expr *right = parseNumber();
  if (!isComplex(right))
    fail(Kind::InvalidPattern, right->span, "imaginary number required in complex literal");
  auto *node = make<BinOp>(begin);
  node->left = number;
  node->op = op;
  node->right = right;
  node->opSpan = opSpan;
  return done(node);
}

/// `[a, b]`, `(a, b)`, or in parentheses without a comma just a group.
const Pattern *Parser::parseSequencePattern(TokenKind close) {
  uint32_t begin = token->begin;
  advance();
  Vec<const Pattern *> patterns;
  bool comma = false;
  while (!at(close) && !panicking) {
    patterns.push_back(parseMaybeStarPattern());
    if (!accept(TokenKind::Comma))
      break;
    comma = true;
  }
  expect(close);
  if (close == TokenKind::RightParen && patterns.size() == 1 && !comma) {
    if (isa<MatchStar>(patterns[0]))
      fail(Kind::InvalidPattern, patterns[0]->span, "a starred pattern stands only in a sequence");
    return patterns[0];
  }
  auto *node = make<MatchSequence>(begin);
  node->patterns = save<const Pattern *>(patterns);
  return done(node);
}

const Expr *Parser::parseMappingKey() {
  switch (kind()) {
  case TokenKind::Number:
  case TokenKind::Minus:
    return parsePatternNumber();
  case TokenKind::String:
  case TokenKind::FStringStart: {
    const Expr *text = parseStrings();
    if (isa<JoinedStr>(text))
      fail(Kind::InvalidPattern, text->span, "patterns may only match literals and names");
    return text;
  }
  case TokenKind::KwNone:
    return parseKeywordConstant(ConstantKind::None);
  case TokenKind::KwTrue:
    return parseKeywordConstant(ConstantKind::True);
  case TokenKind::KwFalse:
    return parseKeywordConstant(ConstantKind::False);
  case TokenKind::Name:
    if (nextKind() == TokenKind::Dot)
      return parsePatternName();
    break;
  default:
    break;
  }
  unexpected("a literal or a dotted name as key");
  return errorExpr();
}

const Pattern *Parser::parseMappingPattern() {
  uint32_t begin = token->begin;
  advance();
  ExprList keys;
  Vec<const Pattern *> patterns;
  StringRef rest;
  while (!at(TokenKind::RightBrace) && !panicking) {
    if (rest.data()) {
      fail(Kind::InvalidPattern, span(*token), "nothing can follow the ** pattern");
    } else if (accept(TokenKind::DoubleStar)) {
      Span place = span(*token);
      rest = takeName();
      if (rest == "_")
        fail(Kind::InvalidPattern, place, "cannot use '_' as a target");
    } else {
      keys.push_back(parseMappingKey());
      expect(TokenKind::Colon);
      patterns.push_back(parseAsPattern());
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBrace);
  auto *node = make<MatchMapping>(begin);
  node->keys = save<const Expr *>(keys);
  node->patterns = save<const Pattern *>(patterns);
  node->rest = rest;
  return done(node);
}

const Pattern *Parser::parseClassPattern(uint32_t begin, const Expr *cls) {
  advance();
  Vec<const Pattern *> positional, keyword;
  Vec<StringRef> names;
  while (!at(TokenKind::RightParen) && !panicking) {
    if (at(TokenKind::Name) && nextKind() == TokenKind::Equal) {
      names.push_back(takeName());
      advance();
      keyword.push_back(parseAsPattern());
    } else {
      positional.push_back(parseAsPattern());
      if (!names.empty())
        fail(Kind::InvalidPattern, positional.back()->span,
             "positional patterns follow keyword patterns");
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen);
  auto *node = make<MatchClass>(begin);
  node->cls = cls;
  node->patterns = save<const Pattern *>(positional);
  node->kwd_attrs = save<StringRef>(names);
  node->kwd_patterns = save<const Pattern *>(keyword);
  return done(node);
}
