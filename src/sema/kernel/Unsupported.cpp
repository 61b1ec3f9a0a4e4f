#include "sema/kernel/Unsupported.h"

#include "sema/eval/Interpreter.h"

namespace gluonc::sema {

using ast::NodeKind;

/// Constructs that neither kernels nor compile-time code have.
static llvm::StringRef unsupportedAnywhere(const ast::Node &node) {
  switch (node.kind) {
  case NodeKind::Await:
    return "`await`";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "`yield`";
  case NodeKind::TryStar:
    return "`except*`";
  case NodeKind::Match:
    return "`match`";
  case NodeKind::Global:
    return "`global`";
  case NodeKind::AsyncFunctionDef:
  case NodeKind::AsyncFor:
  case NodeKind::AsyncWith:
    return "`async`";
  case NodeKind::TypeAlias:
    return "`type`";
  default:
    break;
  }
  if (const auto *constant = llvm::dyn_cast<ast::Constant>(&node)) {
    if (constant->value == ast::ConstantKind::Ellipsis)
      return "`...`";
    if (constant->value == ast::ConstantKind::Complex)
      return "a complex number";
    if (constant->value == ast::ConstantKind::Bytes)
      return "a bytes literal";
  }
  return {};
}

llvm::StringRef unsupportedInHostCode(const ast::Node &node) {
  if (node.kind == NodeKind::With)
    return "`with`";
  return unsupportedAnywhere(node);
}

llvm::StringRef unsupportedInKernel(const ast::Node &node) {
  switch (node.kind) {
  case NodeKind::ClassDef:
    return "a nested class";
  case NodeKind::Break:
    return "`break`";
  case NodeKind::Continue:
    return "`continue`";
  case NodeKind::Try:
    return "`try`";
  case NodeKind::Nonlocal:
    return "`nonlocal`";
  case NodeKind::Delete:
    return "`del`";
  case NodeKind::Import:
  case NodeKind::ImportFrom:
    return "`import`";
  case NodeKind::FunctionDef:
    return "a nested function";
  case NodeKind::Lambda:
    return "a lambda";
  case NodeKind::Set:
    return "a set";
  case NodeKind::SetComp:
    return "a set comprehension";
  case NodeKind::Dict:
    return "a dict";
  case NodeKind::DictComp:
    return "a dict comprehension";
  case NodeKind::GeneratorExp:
    return "a generator";
  default:
    break;
  }
  if (const auto *loop = llvm::dyn_cast<ast::For>(&node); loop && !loop->orelse.empty())
    return "`else` of a loop";
  if (const auto *loop = llvm::dyn_cast<ast::While>(&node); loop && !loop->orelse.empty())
    return "`else` of a loop";
  if (const auto *assign = llvm::dyn_cast<ast::Assign>(&node); assign && assign->targets.size() > 1)
    return "assignment to several targets";
  if (const auto *subscript = llvm::dyn_cast<ast::Subscript>(&node);
      subscript && subscript->ctx == ast::ExprContext::Store)
    return "assignment to an element";
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&node);
      attribute && attribute->ctx == ast::ExprContext::Store)
    return "assignment to an attribute";
  if (const auto *starred = llvm::dyn_cast<ast::Starred>(&node);
      starred && starred->ctx == ast::ExprContext::Store)
    return "a starred target";
  if (const auto *list = llvm::dyn_cast<ast::ListComp>(&node); list && list->generators.size() > 1)
    return "a comprehension with several `for`";
  if (const auto *operation = llvm::dyn_cast<ast::BinOp>(&node);
      operation && operation->op == ast::Operator::MatMult)
    return "the operator `@`";
  if (const auto *compare = llvm::dyn_cast<ast::Compare>(&node)) {
    if (llvm::is_contained(compare->ops, ast::CompareOperator::In))
      return "`in`";
    if (llvm::is_contained(compare->ops, ast::CompareOperator::NotIn))
      return "`not in`";
  }
  return unsupportedAnywhere(node);
}

void rejectKeywordVariadic(Interpreter &interpreter, const Parameter &parameter) {
  interpreter
      .report(diag::Kind::UnsupportedConstruct, parameter.span,
              ("`**" + parameter.name + "`").str())
      .hint("name each parameter, behind a `*` those that are given by keyword only");
}

} // namespace gluonc::sema
