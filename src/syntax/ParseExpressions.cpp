//===- ParseExpressions.cpp - Operators, loosest first --------------------===//
#include "syntax/ParserImpl.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

//===----------------------------------------------------------------------===//
// Lists of expressions
//===----------------------------------------------------------------------===//

bool Parser::startsExpression() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwAwait:
  case TokenKind::KwLambda:
  case TokenKind::KwNot:
  case TokenKind::LeftParen:
  case TokenKind::LeftSquare:
  case TokenKind::LeftBrace:
  case TokenKind::Ellipsis:
  case TokenKind::Tilde:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Star:
  case TokenKind::Error:
    return true;
  default:
    return false;
  }
}

const Expr *Parser::parseStarExpression() {
  if (!at(TokenKind::Star))
    return parseExpression();
  uint32_t begin = token->begin;
  advance();
  const Expr *value = parseBinary(1);
  auto *starred = make<Starred>(begin);
  starred->value = value;
  return done(starred);
}

const Expr *Parser::parseStarNamedExpression() {
  return at(TokenKind::Star) ? parseStarExpression() : parseNamedExpression();
}

const Expr *Parser::parseStarExpressions() {
  uint32_t begin = token->begin;
  const Expr *first = parseStarExpression();
  if (!at(TokenKind::Comma))
    return first;
  ExprList elements = {first};
  while (accept(TokenKind::Comma) && startsExpression())
    elements.push_back(parseStarExpression());
  auto *tuple = make<Tuple>(begin);
  tuple->elts = save<const Expr *>(elements);
  return done(tuple);
}

const Expr *Parser::parseYieldOrStarExpressions() {
  return at(TokenKind::KwYield) ? parseYield() : parseStarExpressions();
}

const Expr *Parser::parseYield() {
  uint32_t begin = token->begin;
  advance();
  if (accept(TokenKind::KwFrom)) {
    const Expr *value = parseExpression();
    auto *node = make<YieldFrom>(begin);
    node->value = value;
    return done(node);
  }
  const Expr *value = startsExpression() ? parseStarExpressions() : nullptr;
  auto *node = make<Yield>(begin);
  node->value = value;
  return done(node);
}

//===----------------------------------------------------------------------===//
// Operators, loosest first
//===----------------------------------------------------------------------===//

const Expr *Parser::parseNamedExpression() {
  if (!at(TokenKind::Name) || nextKind() != TokenKind::ColonEqual) {
    const Expr *expr = parseExpression();
    if (at(TokenKind::ColonEqual))
      fail(Kind::InvalidTarget, expr->span, "use an assignment expression with", describe(expr));
    return expr;
  }
  uint32_t begin = token->begin;
  auto *target = make<Name>(begin);
  target->span = span(*token);
  target->id = takeName();
  target->ctx = ExprContext::Store;
  advance();
  const Expr *value = parseExpression();
  auto *node = make<NamedExpr>(begin);
  node->target = done(target);
  node->value = value;
  return done(node);
}

const Expr *Parser::parseExpression() {
  Depth guard(*this);
  if (!guard)
    return errorExpr();
  if (at(TokenKind::KwLambda))
    return parseLambda();
  uint32_t begin = token->begin;
  const Expr *body = parseDisjunction();
  if (!accept(TokenKind::KwIf))
    return body;
  const Expr *test = parseDisjunction();
  if (!at(TokenKind::KwElse)) {
    unexpected("'else' after the condition");
    return body;
  }
  advance();
  const Expr *orelse = parseExpression();
  auto *node = make<IfExp>(begin);
  node->test = test;
  node->body = body;
  node->orelse = orelse;
  return done(node);
}

const Expr *Parser::parseLambda() {
  uint32_t begin = token->begin;
  advance();
  const Arguments *args = parseParameters(TokenKind::Colon, /*annotated=*/false);
  expect(TokenKind::Colon);
  const Expr *body = parseExpression();
  auto *node = make<Lambda>(begin);
  node->args = args;
  node->body = body;
  return done(node);
}

const Expr *Parser::parseDisjunction() {
  uint32_t begin = token->begin;
  const Expr *first = parseConjunction();
  if (!at(TokenKind::KwOr))
    return first;
  ExprList values = {first};
  while (accept(TokenKind::KwOr))
    values.push_back(parseConjunction());
  auto *node = make<BoolOp>(begin);
  node->op = BoolOperator::Or;
  node->values = save<const Expr *>(values);
  return done(node);
}

const Expr *Parser::parseConjunction() {
  uint32_t begin = token->begin;
  const Expr *first = parseInversion();
  if (!at(TokenKind::KwAnd))
    return first;
  ExprList values = {first};
  while (accept(TokenKind::KwAnd))
    values.push_back(parseInversion());
  auto *node = make<BoolOp>(begin);
  node->op = BoolOperator::And;
  node->values = save<const Expr *>(values);
  return done(node);
}

const Expr *Parser::parseInversion() {
  if (!at(TokenKind::KwNot))
    return parseComparison();
  Depth guard(*this);
  if (!guard)
    return errorExpr();
  uint32_t begin = token->begin;
  advance();
  const Expr *operand = parseInversion();
  auto *node = make<UnaryOp>(begin);
  node->op = UnaryOperator::Not;
  node->operand = operand;
  return done(node);
}

/// The comparison operator of one token; `in` and the two-word ones are the caller's.
static std::optional<CompareOperator> compareOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::EqualEqual:
    return CompareOperator::Eq;
  case TokenKind::NotEqual:
    return CompareOperator::NotEq;
  case TokenKind::Less:
    return CompareOperator::Lt;
  case TokenKind::LessEqual:
    return CompareOperator::LtE;
  case TokenKind::Greater:
    return CompareOperator::Gt;
  case TokenKind::GreaterEqual:
    return CompareOperator::GtE;
  case TokenKind::KwIn:
    return CompareOperator::In;
  case TokenKind::KwIs:
    return CompareOperator::Is;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseComparison() {
  uint32_t begin = token->begin;
  const Expr *left = parseBinary(1);
  llvm::SmallVector<CompareOperator, 4> ops;
  llvm::SmallVector<const Expr *, 4> comparators;
  while (true) {
    std::optional<CompareOperator> op = compareOperator(kind());
    if (op) {
      advance();
      if (*op == CompareOperator::Is && accept(TokenKind::KwNot))
        op = CompareOperator::IsNot;
    } else if (at(TokenKind::KwNot) && nextKind() == TokenKind::KwIn) {
      advance();
      advance();
      op = CompareOperator::NotIn;
    } else {
      break;
    }
    ops.push_back(*op);
    comparators.push_back(parseBinary(1));
  }
  if (ops.empty())
    return left;
  auto *node = make<Compare>(begin);
  node->left = left;
  node->ops = save<CompareOperator>(ops);
  node->comparators = save<const Expr *>(comparators);
  return done(node);
}

namespace {
struct BinaryOperator {
  /// Binds tighter the higher; 0 for tokens that are no binary operator.
  unsigned precedence;
  Operator op;
};
} // namespace

static BinaryOperator binaryOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::VBar:
    return {1, Operator::BitOr};
  case TokenKind::Circumflex:
    return {2, Operator::BitXor};
  case TokenKind::Ampersand:
    return {3, Operator::BitAnd};
  case TokenKind::LeftShift:
    return {4, Operator::LShift};
  case TokenKind::RightShift:
    return {4, Operator::RShift};
  case TokenKind::Plus:
    return {5, Operator::Add};
  case TokenKind::Minus:
    return {5, Operator::Sub};
  case TokenKind::Star:
    return {6, Operator::Mult};
  case TokenKind::At:
    return {6, Operator::MatMult};
  case TokenKind::Slash:
    return {6, Operator::Div};
  case TokenKind::Percent:
    return {6, Operator::Mod};
  case TokenKind::DoubleSlash:
    return {6, Operator::FloorDiv};
  default:
    return {0, Operator::Add};
  }
}

/// Precedence climbing over the left-associative operators of `minimum` and up.
const Expr *Parser::parseBinary(unsigned minimum) {
  uint32_t begin = token->begin;
  const Expr *left = parseUnary();
  while (true) {
    BinaryOperator info = binaryOperator(kind());
    if (info.precedence < minimum || info.precedence == 0)
      return left;
    Span opSpan = span(*token);
    advance();
    const Expr *right = parseBinary(info.precedence + 1);
    auto *node = make<BinOp>(begin);
    node->left = left;
    node->op = info.op;
    node->right = right;
    node->opSpan = opSpan;
    left = done(node);
  }
}

const Expr *Parser::parseUnary() {
  UnaryOperator op;
  switch (kind()) {
  case TokenKind::Plus:
    op = UnaryOperator::UAdd;
    break;
  case TokenKind::Minus:
    op = UnaryOperator::USub;
    break;
  case TokenKind::Tilde:
    op = UnaryOperator::Invert;
    break;
  default:
    return parsePower();
  }
  Depth guard(*this);
  if (!guard)
    return errorExpr();
  uint32_t begin = token->begin;
  advance();
  const Expr *operand = parseUnary();
  auto *node = make<UnaryOp>(begin);
  node->op = op;
  node->operand = operand;
  return done(node);
}

const Expr *Parser::parsePower() {
  uint32_t begin = token->begin;
  const Expr *left = parsePrimary();
  if (!at(TokenKind::DoubleStar))
    return left;
  Depth guard(*this);
  if (!guard)
    return errorExpr();
  Span opSpan = span(*token);
  advance();
  const Expr *right = parseUnary();
  auto *node = make<BinOp>(begin);
  node->left = left;
  node->op = Operator::Pow;
  node->right = right;
  node->opSpan = opSpan;
  return done(node);
}
