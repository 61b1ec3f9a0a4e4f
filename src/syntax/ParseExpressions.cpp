#include "syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::isa;

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
    fail(Kind::SyntaxError, element->span,
         "iterable unpacking cannot be used in comprehension");
  Comprehensions generators = parseComprehensions();
  expect(close);
  auto *node = make<N>(begin);
  node->elt = element;
  node->generators = generators;
  return done(node);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

const Expr *Parser::parseCall(uint32_t begin, const Expr *func) {
  ExprList args;
  Vec<const Keyword *> keywords;
  parseArguments(args, keywords);
  auto *node = make<Call>(begin);
  node->func = func;
  node->args = save<const Expr *>(args);
  node->keywords = save<const Keyword *>(keywords);
  return done(node);
}

/// Arguments with their parentheses, of calls and of classes.
void Parser::parseArguments(ExprList &args, Vec<const Keyword *> &keywords) {
  uint32_t begin = token->begin;
  advance();
  while (!at(TokenKind::RightParen)) {
    parseArgument(args, keywords);
    if (atComprehension()) {
      // f(x for x in y): the parentheses of the call are those of the generator.
      const Expr *element = args.empty() ? errorExpr() : args.back();
      Comprehensions generators = parseComprehensions();
      bool sole = args.size() == 1 && keywords.empty() && at(TokenKind::RightParen);
      if (!sole && (at(TokenKind::RightParen) || at(TokenKind::Comma)))
        fail(Kind::InvalidArguments, element->span, "generator expression must be parenthesized");
      if (isa<Starred>(element))
        fail(Kind::SyntaxError, element->span,
             "iterable unpacking cannot be used in comprehension");
      expect(TokenKind::RightParen);
      auto *node = make<GeneratorExp>(begin);
      node->elt = element;
      node->generators = generators;
      args.assign({done(node)});
      return;
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen);
}

void Parser::parseArgument(ExprList &args, Vec<const Keyword *> &keywords) {
  uint32_t begin = token->begin;
  auto addKeyword = [&](StringRef name, const Expr *value) {
    auto *node = make<Keyword>(begin);
    node->arg = name;
    node->value = value;
    keywords.push_back(done(node));
  };
  bool unpacked = llvm::any_of(keywords, [](const Keyword *k) { return !k->arg.data(); });
  if (at(TokenKind::Name) && nextKind() == TokenKind::Equal) {
    StringRef name = takeName();
    advance();
    return addKeyword(name, parseExpression());
  }
  if (accept(TokenKind::DoubleStar))
    return addKeyword(StringRef(), parseExpression());
  if (accept(TokenKind::Star)) {
    const Expr *value = parseExpression();
    auto *node = make<Starred>(begin);
    node->value = value;
    args.push_back(done(node));
    if (unpacked)
      fail(Kind::InvalidArguments, node->span,
           "iterable argument unpacking follows keyword argument unpacking");
    return;
  }
  const Expr *value = parseNamedExpression();
  if (at(TokenKind::Equal))
    return failWithHint("use '==' to compare", Kind::InvalidArguments, value->span,
                        "a keyword argument needs a name before '='");
  args.push_back(value);
  if (!keywords.empty() && !atComprehension())
    fail(Kind::InvalidArguments, value->span,
         unpacked ? "positional argument follows keyword argument unpacking"
                  : "positional argument follows keyword argument");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

const Arg *Parser::parseParameter(bool annotated, bool starAnnotation) {
  uint32_t begin = token->begin;
  StringRef name = takeName();
  const Expr *annotation = nullptr;
  if (annotated && accept(TokenKind::Colon))
    annotation = starAnnotation ? parseStarExpression() : parseExpression();
  auto *node = make<Arg>(begin);
  node->arg = name;
  node->annotation = annotation;
  return done(node);
}

namespace {
/// Where the next parameter goes, and which of the separators were seen.
struct ParameterState {
  bool slash = false;
  bool star = false;
  /// A bare * that still needs a parameter behind it.
  bool starNeedsName = false;
  Span starSpan;
};
} // namespace

/// Parameters of a function (`close` is the parenthesis) or a lambda (the colon).
const Arguments *Parser::parseParameters(TokenKind close, bool annotated) {
  uint32_t begin = token->begin;
  Vec<const Arg *> positionalOnly, positional, keywordOnly;
  ExprList defaults, keywordDefaults;
  const Arg *vararg = nullptr, *kwarg = nullptr;
  ParameterState state;
  auto bad = [&](Span place, StringRef what) { fail(Kind::InvalidParameters, place, what); };
  while (!at(close) && !panicking) {
    Span here = span(*token);
    if (kwarg) {
      bad(here, "parameters cannot follow the ** parameter");
    } else if (accept(TokenKind::Slash)) {
      if (state.slash)
        bad(here, "/ may appear only once");
      else if (state.star)
        bad(here, "/ must be ahead of *");
      else if (positional.empty())
        bad(here, "at least one parameter must precede /");
      state.slash = true;
      positionalOnly = std::move(positional);
      positional.clear();
    } else if (accept(TokenKind::DoubleStar)) {
      if (state.starNeedsName)
        bad(state.starSpan, "named parameters must follow bare *");
      kwarg = parseParameter(annotated, false);
      if (at(TokenKind::Equal))
        bad(span(*token), "the ** parameter cannot have a default value");
    } else if (accept(TokenKind::Star)) {
      if (state.star)
        bad(here, "* may appear only once");
      state.star = true;
      state.starSpan = here;
      state.starNeedsName = at(TokenKind::Comma);
      if (at(close))
        bad(here, "named parameters must follow bare *");
      if (!state.starNeedsName)
        vararg = parseParameter(annotated, /*starAnnotation=*/true);
      if (at(TokenKind::Equal))
        bad(span(*token), "the * parameter cannot have a default value");
    } else {
      const Arg *arg = parseParameter(annotated, false);
      const Expr *value = accept(TokenKind::Equal) ? parseExpression() : nullptr;
      if (state.star) {
        keywordOnly.push_back(arg);
        keywordDefaults.push_back(value);
        state.starNeedsName = false;
      } else {
        positional.push_back(arg);
        if (value)
          defaults.push_back(value);
        else if (!defaults.empty())
          bad(arg->span, "a parameter without a default follows a parameter with a default");
      }
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  if (state.starNeedsName)
    bad(state.starSpan, "named parameters must follow bare *");
  auto *node = make<Arguments>(begin);
  node->posonlyargs = save<const Arg *>(positionalOnly);
  node->args = save<const Arg *>(positional);
  node->vararg = vararg;
  node->kwonlyargs = save<const Arg *>(keywordOnly);
  node->kw_defaults = save<const Expr *>(keywordDefaults);
  node->kwarg = kwarg;
  node->defaults = save<const Expr *>(defaults);
  return done(node);
}
