//===- ParseSimple.cpp - Statements without a block -----------------------===//
#include "syntax/ParserImpl.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Simple statements
//===----------------------------------------------------------------------===//

Stmt *Parser::parseSimpleStatement() {
  auto word = [&](auto *node) {
    advance();
    node->span = spanSince(token[-1].begin);
    return node;
  };
  uint32_t begin = token->begin;
  switch (kind()) {
  case TokenKind::KwPass:
    return word(make<Pass>(begin));
  case TokenKind::KwBreak:
    return word(make<Break>(begin));
  case TokenKind::KwContinue:
    return word(make<Continue>(begin));
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwDel:
    return parseDelete();
  case TokenKind::KwRaise:
    return parseRaise();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseFrom();
  case TokenKind::KwGlobal: {
    Names names = parseNameList();
    auto *node = make<Global>(begin);
    node->names = names;
    return done(node);
  }
  case TokenKind::KwNonlocal: {
    Names names = parseNameList();
    auto *node = make<Nonlocal>(begin);
    node->names = names;
    return done(node);
  }
  case TokenKind::Name:
    if (nextKind() == TokenKind::Name && atSoftKeyword("type"))
      return parseTypeAlias();
    break;
  default:
    break;
  }
  return parseExpressionStatement();
}

/// The augmented assignment that a token stands for.
static std::optional<Operator> augmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return Operator::Add;
  case TokenKind::MinusEqual:
    return Operator::Sub;
  case TokenKind::StarEqual:
    return Operator::Mult;
  case TokenKind::AtEqual:
    return Operator::MatMult;
  case TokenKind::SlashEqual:
    return Operator::Div;
  case TokenKind::PercentEqual:
    return Operator::Mod;
  case TokenKind::DoubleStarEqual:
    return Operator::Pow;
  case TokenKind::LeftShiftEqual:
    return Operator::LShift;
  case TokenKind::RightShiftEqual:
    return Operator::RShift;
  case TokenKind::VBarEqual:
    return Operator::BitOr;
  case TokenKind::CircumflexEqual:
    return Operator::BitXor;
  case TokenKind::AmpersandEqual:
    return Operator::BitAnd;
  case TokenKind::DoubleSlashEqual:
    return Operator::FloorDiv;
  default:
    return std::nullopt;
  }
}

static bool isSingleTarget(const Expr *expr) {
  return isa<Name>(expr) || isa<Attribute>(expr) || isa<Subscript>(expr);
}

Stmt *Parser::parseExpressionStatement() {
  uint32_t begin = token->begin;
  bool grouped = at(TokenKind::LeftParen);
  const Token *first = token;
  const Expr *expr = parseYieldOrStarExpressions();
  if (at(TokenKind::Equal))
    return parseAssignment(begin, expr);
  if (at(TokenKind::Colon))
    return parseAnnotated(begin, expr, grouped);
  if (std::optional<Operator> op = augmentedOperator(kind())) {
    Span opSpan = span(*token);
    if (!isSingleTarget(expr))
      fail(Kind::InvalidTarget, expr->span, "use augmented assignment on", describe(expr));
    else
      toTarget(expr, ExprContext::Store);
    advance();
    const Expr *value = parseYieldOrStarExpressions();
    auto *node = make<AugAssign>(begin);
    node->target = expr;
    node->op = *op;
    node->value = value;
    node->opSpan = opSpan;
    return done(node);
  }
  // The statement of Python 2.
  bool print = text(*first) == "print" && isa<Name>(expr) && startsExpression();
  if (print)
    failWithHint("write print(…)", Kind::SyntaxError, spanSince(begin),
                 "missing parentheses in call to 'print'");
  auto *node = make<ExprStmt>(begin);
  node->value = expr;
  return done(node);
}

/// Targets and value behind the first target of an assignment.
Stmt *Parser::parseAssignment(uint32_t begin, const Expr *first) {
  ExprList parts = {first};
  while (accept(TokenKind::Equal))
    parts.push_back(parseYieldOrStarExpressions());
  const Expr *value = parts.pop_back_val();
  for (const Expr *target : parts)
    toTarget(target, ExprContext::Store);
  auto *node = make<Assign>(begin);
  node->targets = save<const Expr *>(parts);
  node->value = value;
  return done(node);
}

Stmt *Parser::parseAnnotated(uint32_t begin, const Expr *target, bool parenthesized) {
  if (isSingleTarget(target))
    toTarget(target, ExprContext::Store);
  else if (isa<Tuple>(target) || isa<List>(target))
    fail(Kind::InvalidTarget, target->span,
         "annotate more than a single target:", describe(target));
  else
    unexpected("end of line");
  advance();
  const Expr *annotation = parseExpression();
  const Expr *value = accept(TokenKind::Equal) ? parseYieldOrStarExpressions() : nullptr;
  auto *node = make<AnnAssign>(begin);
  node->target = target;
  node->annotation = annotation;
  node->value = value;
  node->simple = isa<Name>(target) && !parenthesized;
  return done(node);
}

Stmt *Parser::parseReturn() {
  uint32_t begin = token->begin;
  advance();
  const Expr *value = startsExpression() ? parseStarExpressions() : nullptr;
  auto *node = make<Return>(begin);
  node->value = value;
  return done(node);
}

Stmt *Parser::parseDelete() {
  uint32_t begin = token->begin;
  advance();
  ExprList targets;
  do
    targets.push_back(parseExpression());
  while (accept(TokenKind::Comma) && startsExpression());
  for (const Expr *target : targets)
    toTarget(target, ExprContext::Del);
  auto *node = make<Delete>(begin);
  node->targets = save<const Expr *>(targets);
  return done(node);
}

Stmt *Parser::parseRaise() {
  uint32_t begin = token->begin;
  advance();
  const Expr *exc = startsExpression() ? parseExpression() : nullptr;
  const Expr *cause = exc && accept(TokenKind::KwFrom) ? parseExpression() : nullptr;
  auto *node = make<Raise>(begin);
  node->exc = exc;
  node->cause = cause;
  return done(node);
}

Stmt *Parser::parseAssert() {
  uint32_t begin = token->begin;
  advance();
  const Expr *test = parseExpression();
  const Expr *msg = accept(TokenKind::Comma) ? parseExpression() : nullptr;
  auto *node = make<Assert>(begin);
  node->test = test;
  node->msg = msg;
  return done(node);
}

/// `global` or `nonlocal` with its names.
Names Parser::parseNameList() {
  advance();
  Vec<StringRef> names;
  do
    names.push_back(takeName());
  while (accept(TokenKind::Comma));
  return save<StringRef>(names);
}

Stmt *Parser::parseTypeAlias() {
  uint32_t begin = token->begin;
  advance();
  auto *name = make<Name>(token->begin);
  name->span = span(*token);
  name->id = takeName();
  name->ctx = ExprContext::Store;
  TypeParams params = parseTypeParams();
  expect(TokenKind::Equal);
  const Expr *value = parseExpression();
  auto *node = make<TypeAlias>(begin);
  node->name = name;
  node->type_params = params;
  node->value = value;
  return done(node);
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

StringRef Parser::parseDottedName() {
  StringRef first = takeName();
  if (!at(TokenKind::Dot))
    return first;
  std::string dotted = first.str();
  while (accept(TokenKind::Dot)) {
    dotted += '.';
    dotted += takeName();
  }
  return literals.save(dotted);
}

const Alias *Parser::parseImportedModule() {
  uint32_t begin = token->begin;
  StringRef name = parseDottedName();
  StringRef asname = accept(TokenKind::KwAs) ? takeName() : StringRef();
  auto *node = make<Alias>(begin);
  node->name = name;
  node->asname = asname;
  return done(node);
}

Stmt *Parser::parseImport() {
  uint32_t begin = token->begin;
  advance();
  Vec<const Alias *> names;
  do
    names.push_back(parseImportedModule());
  while (accept(TokenKind::Comma));
  auto *node = make<Import>(begin);
  node->names = save<const Alias *>(names);
  return done(node);
}

const Alias *Parser::parseImportedName() {
  uint32_t begin = token->begin;
  StringRef name = takeName();
  StringRef asname = accept(TokenKind::KwAs) ? takeName() : StringRef();
  auto *node = make<Alias>(begin);
  node->name = name;
  node->asname = asname;
  return done(node);
}

Stmt *Parser::parseFrom() {
  uint32_t begin = token->begin;
  advance();
  int level = 0;
  for (; at(TokenKind::Dot) || at(TokenKind::Ellipsis); advance())
    level += at(TokenKind::Dot) ? 1 : 3;
  StringRef module;
  if (level == 0 || !at(TokenKind::KwImport))
    module = parseDottedName();
  expect(TokenKind::KwImport);
  Vec<const Alias *> names;
  if (at(TokenKind::Star)) {
    advance();
    auto *all = make<Alias>(token[-1].begin);
    all->name = "*";
    names.push_back(all);
  } else if (accept(TokenKind::LeftParen)) {
    do
      names.push_back(parseImportedName());
    while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
    expect(TokenKind::RightParen);
  } else {
    do
      names.push_back(parseImportedName());
    while (accept(TokenKind::Comma));
    if (token[-1].kind == TokenKind::Comma)
      fail(Kind::SyntaxError, span(token[-1]),
           "a trailing comma needs parentheses around the names");
  }
  auto *node = make<ImportFrom>(begin);
  node->module = module;
  node->names = save<const Alias *>(names);
  node->level = level;
  return done(node);
}
