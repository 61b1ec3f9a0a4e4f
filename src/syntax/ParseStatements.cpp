//===- ParseStatements.cpp - Blocks and compound statements ---------------===//
#include "syntax/ParserImpl.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

//===----------------------------------------------------------------------===//
// Lines and blocks
//===----------------------------------------------------------------------===//

void Parser::parseStatement(StmtList &out) {
  panicking = false;
  statementBegin = token->begin;
  Depth guard(*this);
  if (!guard)
    return finishLine();
  switch (kind()) {
  case TokenKind::Indent:
    return parseStrayIndent(out);
  case TokenKind::KwIf:
    return out.push_back(parseIf());
  case TokenKind::KwWhile:
    return out.push_back(parseWhile());
  case TokenKind::KwFor:
    return out.push_back(parseFor<For>(token->begin));
  case TokenKind::KwWith:
    return out.push_back(parseWith<With>(token->begin));
  case TokenKind::KwTry:
    return out.push_back(parseTry());
  case TokenKind::KwDef:
    return out.push_back(parseFunction<FunctionDef>(token->begin, {}));
  case TokenKind::KwClass:
    return out.push_back(parseClass({}));
  case TokenKind::KwAsync:
    return out.push_back(parseAsync({}));
  case TokenKind::At:
    return out.push_back(parseDecorated());
  case TokenKind::Name:
    if (atMatchStatement())
      return out.push_back(parseMatch());
    break;
  default:
    break;
  }
  parseSimpleLine(out);
}

/// Takes the end of a logical line; what an error left behind was skipped before.
void Parser::finishLine() {
  if (!at(TokenKind::Newline) && !at(TokenKind::EndMarker) && !panicking)
    unexpected("end of line");
  panicking = false;
  accept(TokenKind::Newline);
}

void Parser::parseSimpleLine(StmtList &out) {
  do {
    Stmt *statement = parseSimpleStatement();
    if (!at(TokenKind::Semicolon) && !at(TokenKind::Newline))
      unexpected("end of line");
    if (!panicking)
      out.push_back(statement);
  } while (accept(TokenKind::Semicolon) && !at(TokenKind::Newline));
  finishLine();
}

/// Statements up to the Dedent of an Indent that was taken.
void Parser::parseIndented(StmtList &out) {
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndMarker))
    parseStatement(out);
  accept(TokenKind::Dedent);
}

void Parser::parseStrayIndent(StmtList &out) {
  Span place = span(*token);
  if (!quiet(place))
    sink.report(Kind::BadIndentation, place, "unexpected indent").end();
  advance();
  parseIndented(out);
}

/// The colon and the block of a compound statement whose first token is `header`.
Stmts Parser::parseBlock(StringRef what, const Token &header) {
  expect(TokenKind::Colon);
  StmtList body;
  if (!at(TokenKind::Newline)) {
    if (!panicking)
      parseSimpleLine(body);
    return save<const Stmt *>(body);
  }
  bool headerFailed = panicking;
  panicking = false;
  advance();
  if (accept(TokenKind::Indent)) {
    parseIndented(body);
  } else if (!headerFailed) {
    statementBegin = token->begin;
    if (!quiet(span(*token)))
      sink.report(Kind::MissingBlock, span(*token), what)
          .label(span(header), "the statement is here")
          .end();
  }
  return save<const Stmt *>(body);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// `if` or `elif`, up to the end of its chain.
Stmt *Parser::parseIf() {
  Depth guard(*this);
  const Token header = *token;
  if (!guard) {
    // The chain goes on with else clauses that nobody takes; skip this header.
    finishLine();
    return make<Pass>(header.begin);
  }
  advance();
  const Expr *test = parseNamedExpression();
  if (at(TokenKind::Equal))
    failWithHint("use '==' to compare or ':=' to assign", Kind::UnexpectedToken, span(*token),
                 "':'", "'='");
  Stmts body = parseBlock(header.kind == TokenKind::KwIf ? "'if'" : "'elif'", header);
  Stmts orelse;
  if (at(TokenKind::KwElif)) {
    statementBegin = token->begin;
    const Stmt *chain = parseIf();
    orelse = save<const Stmt *>(ArrayRef(chain));
  } else {
    orelse = parseElse();
  }
  auto *node = make<If>(header.begin);
  node->test = test;
  node->body = body;
  node->orelse = orelse;
  return done(node);
}

Stmts Parser::parseElse() {
  if (!at(TokenKind::KwElse))
    return {};
  const Token header = *token;
  statementBegin = header.begin;
  advance();
  return parseBlock("'else'", header);
}

Stmt *Parser::parseWhile() {
  const Token header = *token;
  advance();
  const Expr *test = parseNamedExpression();
  Stmts body = parseBlock("'while'", header);
  Stmts orelse = parseElse();
  auto *node = make<While>(header.begin);
  node->test = test;
  node->body = body;
  node->orelse = orelse;
  return done(node);
}

template <typename N> Stmt *Parser::parseFor(uint32_t begin) {
  const Token header = *token;
  advance();
  const Expr *target = parseForTargets();
  expect(TokenKind::KwIn);
  const Expr *iter = parseStarExpressions();
  Stmts body = parseBlock("'for'", header);
  Stmts orelse = parseElse();
  auto *node = make<N>(begin);
  node->target = target;
  node->iter = iter;
  node->body = body;
  node->orelse = orelse;
  return done(node);
}

/// At the opening parenthesis behind `with`: does it enclose items, as in
/// `with (a as b, c):`, or an expression, as in `with (a, b) as c:` or `with (a).b:`?
bool Parser::withItemsAreParenthesized() const {
  unsigned open = 0;
  const Token *t = token;
  bool afterSeparator = true;
  bool plain = true; // nothing that an item cannot begin with or contain
  do {
    switch (t->kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftSquare:
    case TokenKind::LeftBrace:
      ++open;
      break;
    case TokenKind::RightParen:
    case TokenKind::RightSquare:
    case TokenKind::RightBrace:
      --open;
      break;
    case TokenKind::Newline:
    case TokenKind::EndMarker:
      return false;
    case TokenKind::ColonEqual:
    case TokenKind::KwFor:
    case TokenKind::KwYield:
      plain &= open != 1;
      break;
    case TokenKind::Star:
      plain &= open != 1 || !afterSeparator;
      break;
    default:
      break;
    }
    afterSeparator = t->kind == TokenKind::Comma || (t == token);
    ++t;
  } while (open != 0);
  bool empty = t - token == 2;
  return plain && !empty && t->kind == TokenKind::Colon;
}

const WithItem *Parser::parseWithItem() {
  uint32_t begin = token->begin;
  const Expr *context = parseExpression();
  const Expr *vars = nullptr;
  if (accept(TokenKind::KwAs)) {
    vars = at(TokenKind::Star) ? parseStarExpression() : parseBinary(1);
    toTarget(vars, ExprContext::Store);
  }
  auto *node = make<WithItem>(begin);
  node->context_expr = context;
  node->optional_vars = vars;
  return done(node);
}

template <typename N> Stmt *Parser::parseWith(uint32_t begin) {
  const Token header = *token;
  advance();
  Vec<const WithItem *> items;
  if (at(TokenKind::LeftParen) && withItemsAreParenthesized()) {
    advance();
    do
      items.push_back(parseWithItem());
    while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
    expect(TokenKind::RightParen);
  } else {
    do
      items.push_back(parseWithItem());
    while (accept(TokenKind::Comma));
  }
  Stmts body = parseBlock("'with'", header);
  auto *node = make<N>(begin);
  node->items = save<const WithItem *>(items);
  node->body = body;
  return done(node);
}

const ExceptHandler *Parser::parseExceptHandler(bool &star) {
  const Token header = *token;
  statementBegin = header.begin;
  advance();
  star = accept(TokenKind::Star);
  const Expr *type = nullptr;
  StringRef name;
  if (!at(TokenKind::Colon) || star) {
    type = parseExpression();
    if (at(TokenKind::Comma))
      failWithHint("write except (A, B):", Kind::SyntaxError, span(*token),
                   "multiple exception types must be parenthesized");
    if (accept(TokenKind::KwAs))
      name = takeName();
  }
  Stmts body = parseBlock(star ? "'except*'" : "'except'", header);
  auto *node = make<ExceptHandler>(header.begin);
  node->type = type;
  node->name = name;
  node->body = body;
  return done(node);
}

template <typename N>
Stmt *Parser::finishTry(uint32_t begin, Stmts body, ArrayRef<const ExceptHandler *> handlers,
                        Stmts orelse, Stmts finalbody) {
  auto *node = make<N>(begin);
  node->body = body;
  node->handlers = save<const ExceptHandler *>(handlers);
  node->orelse = orelse;
  node->finalbody = finalbody;
  return done(node);
}

Stmt *Parser::parseTry() {
  const Token header = *token;
  advance();
  Stmts body = parseBlock("'try'", header);
  Vec<const ExceptHandler *> handlers;
  bool allStar = false;
  while (at(TokenKind::KwExcept)) {
    Span place = span(*token);
    bool star = false;
    handlers.push_back(parseExceptHandler(star));
    if (handlers.size() > 1 && star != allStar)
      sink.report(Kind::SyntaxError, place, "cannot have both 'except' and 'except*' on one 'try'")
          .end();
    allStar = star;
    if (!handlers.back()->type && at(TokenKind::KwExcept))
      sink.report(Kind::SyntaxError, place, "default 'except:' must be last").end();
  }
  Stmts orelse = handlers.empty() ? Stmts() : parseElse();
  Stmts finalbody;
  bool finally = at(TokenKind::KwFinally);
  if (finally) {
    const Token clause = *token;
    statementBegin = clause.begin;
    advance();
    finalbody = parseBlock("'finally'", clause);
  } else if (handlers.empty()) {
    statementBegin = token->begin;
    if (!quiet(span(*token)))
      sink.report(Kind::UnexpectedToken, span(*token), "'except' or 'finally' block",
                  ast::describe(kind()))
          .label(span(header), "the 'try' is here")
          .end();
  }
  return allStar ? finishTry<TryStar>(header.begin, body, handlers, orelse, finalbody)
                 : finishTry<Try>(header.begin, body, handlers, orelse, finalbody);
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

Stmt *Parser::parseAsync(Exprs decorators) {
  uint32_t begin = token->begin;
  advance();
  switch (kind()) {
  case TokenKind::KwDef:
    return parseFunction<AsyncFunctionDef>(begin, decorators);
  case TokenKind::KwFor:
    if (decorators.empty())
      return parseFor<AsyncFor>(begin);
    break;
  case TokenKind::KwWith:
    if (decorators.empty())
      return parseWith<AsyncWith>(begin);
    break;
  default:
    break;
  }
  unexpected(decorators.empty() ? "'def', 'for' or 'with'" : "'def'");
  finishLine();
  return make<Pass>(begin);
}

Stmt *Parser::parseDecorated() {
  ExprList decorators;
  while (accept(TokenKind::At)) {
    decorators.push_back(parseNamedExpression());
    finishLine();
    statementBegin = token->begin;
  }
  Exprs list = save<const Expr *>(decorators);
  switch (kind()) {
  case TokenKind::KwDef:
    return parseFunction<FunctionDef>(token->begin, list);
  case TokenKind::KwClass:
    return parseClass(list);
  case TokenKind::KwAsync:
    return parseAsync(list);
  default:
    if (!quiet(span(*token)))
      sink.report(Kind::UnexpectedToken, span(*token), "a function or class behind the decorator",
                  ast::describe(kind()))
          .end();
    return make<Pass>(token->begin);
  }
}

template <typename N> Stmt *Parser::parseFunction(uint32_t begin, Exprs decorators) {
  const Token header = *token;
  advance();
  Span nameSpan = span(*token);
  StringRef name = takeName();
  TypeParams typeParams = parseTypeParams();
  expect(TokenKind::LeftParen);
  const Arguments *args = parseParameters(TokenKind::RightParen, /*annotated=*/true);
  expect(TokenKind::RightParen);
  const Expr *returns = accept(TokenKind::Arrow) ? parseExpression() : nullptr;
  Stmts body = parseBlock("a function definition", header);
  auto *node = make<N>(begin);
  node->name = name;
  node->args = args;
  node->body = body;
  node->decorator_list = decorators;
  node->returns = returns;
  node->type_params = typeParams;
  node->nameSpan = nameSpan;
  return done(node);
}

Stmt *Parser::parseClass(Exprs decorators) {
  const Token header = *token;
  advance();
  Span nameSpan = span(*token);
  StringRef name = takeName();
  TypeParams typeParams = parseTypeParams();
  ExprList bases;
  Vec<const Keyword *> keywords;
  if (at(TokenKind::LeftParen))
    parseArguments(bases, keywords);
  Stmts body = parseBlock("a class definition", header);
  auto *node = make<ClassDef>(header.begin);
  node->name = name;
  node->bases = save<const Expr *>(bases);
  node->keywords = save<const Keyword *>(keywords);
  node->body = body;
  node->decorator_list = decorators;
  node->type_params = typeParams;
  node->nameSpan = nameSpan;
  return done(node);
}

TypeParams Parser::parseTypeParams() {
  if (!accept(TokenKind::LeftSquare))
    return {};
  Vec<const TypeParam *> params;
  do
    params.push_back(parseTypeParam());
  while (accept(TokenKind::Comma) && !at(TokenKind::RightSquare));
  expect(TokenKind::RightSquare);
  return save<const TypeParam *>(params);
}

const TypeParam *Parser::parseTypeParam() {
  uint32_t begin = token->begin;
  if (accept(TokenKind::DoubleStar)) {
    StringRef name = takeName();
    auto *node = make<ParamSpec>(begin);
    node->name = name;
    return done(node);
  }
  if (accept(TokenKind::Star)) {
    StringRef name = takeName();
    auto *node = make<TypeVarTuple>(begin);
    node->name = name;
    return done(node);
  }
  StringRef name = takeName();
  const Expr *bound = accept(TokenKind::Colon) ? parseExpression() : nullptr;
  auto *node = make<TypeVar>(begin);
  node->name = name;
  node->bound = bound;
  return done(node);
}
