//===- HostStatements.h - Statements of compile-time code ---------------------===//
#pragma once

#include "sema/eval/Walk.h"

namespace gluonc::sema {

/// Bodies of constexpr functions and launch helpers: a small Python.
class HostStatements : Walk {
public:
  using Walk::Walk;

  Flow run(ast::Stmts body);
  bool assign(const ast::Expr *target, const Value &value);
  MaybeValue lambda(const ast::Lambda &node);
  /// Reports the exception, in kernels as well.
  Flow runRaise(const ast::Raise &node);

private:
  Flow runStatement(const ast::Stmt &stmt);
  Flow runFor(const ast::For &node);
  Flow runWhile(const ast::While &node);
  Flow runAssert(const ast::Assert &node);
  Flow runTry(const ast::Try &node);
  Flow runHandler(const ast::Try &node, const diag::Diagnostic &problem);
  bool runImport(const ast::Import &node);
  bool runImport(const ast::ImportFrom &node);
  Scope &scopeOf(llvm::StringRef name);
  bool remove(const ast::Expr *target);
  bool unpack(ast::Exprs targets, const Value &value, diag::Span span);
  bool augment(const ast::AugAssign &node);
  bool define(const ast::FunctionDef &node);
  /// Evaluates the defaults of a function that is being defined in the current frame.
  bool fixDefaults(Function &function);
};

} // namespace gluonc::sema
