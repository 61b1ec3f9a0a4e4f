#include "syntax/ParserImpl.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::dyn_cast;
using llvm::isa;

StringRef Parser::describe(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Call:
    return "function call";
  case NodeKind::BinOp:
  case NodeKind::UnaryOp:
  case NodeKind::BoolOp:
    return "expression";
  case NodeKind::Compare:
    return "comparison";
  case NodeKind::IfExp:
    return "conditional expression";
  case NodeKind::Lambda:
    return "lambda";
  case NodeKind::Dict:
    return "dict literal";
  case NodeKind::Set:
    return "set display";
  case NodeKind::ListComp:
    return "list comprehension";
  case NodeKind::SetComp:
    return "set comprehension";
  case NodeKind::DictComp:
    return "dict comprehension";
  case NodeKind::GeneratorExp:
    return "generator expression";
  case NodeKind::Await:
    return "await expression";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "yield expression";
  case NodeKind::JoinedStr:
  case NodeKind::FormattedValue:
    return "f-string expression";
  case NodeKind::NamedExpr:
    return "named expression";
  case NodeKind::Tuple:
    return "tuple";
  case NodeKind::List:
    return "list";
  case NodeKind::Starred:
    return "starred";
  case NodeKind::Name:
    return "name";
  case NodeKind::Attribute:
    return "attribute";
  case NodeKind::Subscript:
    return "subscript";
  case NodeKind::Constant:
    switch (llvm::cast<Constant>(expr)->value) {
    case ConstantKind::None:
      return "None";
    case ConstantKind::True:
      return "True";
    case ConstantKind::False:
      return "False";
    case ConstantKind::Ellipsis:
      return "ellipsis";
    default:
      return "literal";
    }
  default:
    return "expression";
  }
}

void Parser::toTarget(const Expr *expr, ExprContext context) {
  // The parser still owns its nodes; only their users see them as immutable.
  auto *node = const_cast<Expr *>(expr);
  if (auto *name = dyn_cast<Name>(node)) {
    name->ctx = context;
  } else if (auto *attribute = dyn_cast<Attribute>(node)) {
    attribute->ctx = context;
  } else if (auto *subscript = dyn_cast<Subscript>(node)) {
    subscript->ctx = context;
  } else if (auto *tuple = dyn_cast<Tuple>(node)) {
    tuple->ctx = context;
    for (const Expr *element : tuple->elts)
      toTarget(element, context);
  } else if (auto *list = dyn_cast<List>(node)) {
    list->ctx = context;
    for (const Expr *element : list->elts)
      toTarget(element, context);
  } else if (auto *starred = dyn_cast<Starred>(node); starred && context == ExprContext::Store) {
    starred->ctx = context;
    toTarget(starred->value, context);
  } else if (!panicking) {
    bool deleting = context == ExprContext::Del;
    failWithHint(deleting ? "" : "use '==' to compare", Kind::InvalidTarget, expr->span,
                 deleting ? "delete" : "assign to", describe(expr));
  }
}

const Expr *Parser::parseForTargets() {
  uint32_t begin = token->begin;
  ExprList elements;
  bool comma = false;
  // Targets are read above comparisons, which would take the `in`.
  while (true) {
    if (at(TokenKind::Star)) {
      uint32_t starBegin = token->begin;
      advance();
      const Expr *value = parseBinary(1);
      auto *starred = make<Starred>(starBegin);
      starred->value = value;
      elements.push_back(done(starred));
    } else {
      elements.push_back(parseBinary(1));
    }
    if (!accept(TokenKind::Comma))
      break;
    comma = true;
    if (at(TokenKind::KwIn))
      break;
  }
  const Expr *target = elements.front();
  if (comma) {
    auto *tuple = make<Tuple>(begin);
    tuple->elts = save<const Expr *>(elements);
    target = done(tuple);
  }
  toTarget(target, ExprContext::Store);
  return target;
}
