//===- ParseCalls.cpp - Arguments and parameters --------------------------===//
#include "syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::isa;

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
