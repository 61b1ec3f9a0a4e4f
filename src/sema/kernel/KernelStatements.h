//===- KernelStatements.h - Statements of kernels -----------------------------===//
//
// Statements follow the rules of the kernel language and become scf. In kernels the
// statement is where the walk recovers: what it would have assigned becomes poison,
// whose readers fail silently, and the next statement is looked at, so that one run
// reports all errors that do not follow from each other.
//
// Structured control flow only.  A dynamic `if` with a `return` inside takes the
// rest of the function into its branches:
//
//   if c: return a        scf.if c { yield a }
//   rest; return b   ⇒    else     { rest; yield b }
//
// so calls are inlined by walking the callee in place, whatever it contains. Where
// both branches may go on, a bit tells who has returned, and what follows stands
// once, under an `scf.if` of that bit (ControlFlow.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/eval/Walk.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace gluonc::sema {

/// What remains of the function after the current block; see the head of this file.
struct Rest {
  llvm::function_ref<Flow(const Rest *next)> run;
  const Rest *next;
  /// Nothing to run.
  bool isEmpty;
};

/// Each once, in the order of their first assignment.
using NameSet = llvm::SetVector<llvm::StringRef>;
/// Adds the names that the nodes below `node` assign, nested functions aside.
void collectAssigned(const ast::Node &node, NameSet &names);

class KernelStatements : Walk {
public:
  using Walk::Walk;

  /// The body of a function: Returned or Failed.
  Flow runBody(ast::Stmts body) {
    for (const Binding &parameter : frame().scope.all())
      noteVariable(parameter.name, parameter.value, parameter.span);
    return finish(run(body, nullptr), nullptr);
  }
  bool assign(const ast::Expr *target, const Value &value, diag::Span valueSpan, bool isConstexpr);
  /// Lets a variable's value have its name, where a debugger asks for that.
  void noteVariable(llvm::StringRef name, const Value &value, diag::Span span);
  /// `a if test else b` with a test that is known on the device only.
  MaybeValue conditional(const ast::IfExp &node, const Value &test);

private:
  // KernelStatements.cpp
  Flow run(ast::Stmts body, const Rest *rest);
  Flow runStatements(ast::Stmts &body, const Rest *rest);
  Flow runStatement(const ast::Stmt &stmt, const Rest *rest);
  /// After a report: poisons what the statement assigns. False when the walk must end.
  bool recover(const ast::Stmt &stmt);
  Flow runWith(const ast::With &node, const Rest *rest);
  Flow runReturn(const ast::Return &node);
  bool annotatedAssign(const ast::AnnAssign &node);
  bool augment(const ast::AugAssign &node);
  MaybeValue materialized(const Value &value, llvm::StringRef name, diag::Span span);
  bool runAssert(const ast::Assert &node);

  // ControlFlow.cpp
  Flow runIf(const ast::If &node, const Rest *rest);
  Flow runDynamicIf(const ast::If &node, const Value &condition);
  Flow runReturningIf(const ast::If &node, const Value &condition, const Rest *rest);
  struct Arm;
  void walkArm(Arm &arm, const Scope &before, diag::Span span, llvm::function_ref<Flow()> body);
  Flow closeIf(diag::Span span, mlir::Value condition, llvm::MutableArrayRef<Arm> arms,
               const Scope &before);
  bool agreeOnResult(llvm::MutableArrayRef<Arm> arms);
  void mergeScopes(diag::Span span, llvm::MutableArrayRef<Arm> arms, const Scope &before,
                   llvm::SmallVectorImpl<Binding> &merged);
  void takeScope(llvm::MutableArrayRef<Arm> arms, const Scope &before,
                 llvm::SmallVectorImpl<Binding> &changed);
  /// What follows a statement that may have returned, for those that have not.
  Flow runGuarded(llvm::function_ref<Flow()> body);
  /// Runs what follows until the function ends.
  Flow finish(Flow flow, const Rest *rest);

  // Loops.cpp
  Flow runFor(const ast::For &node, const Rest *rest);
  Flow runStaticFor(const ast::For &node, const Value &range, int64_t index, const Rest *rest);
  struct DeviceRange;
  /// Nullopt after a report.
  std::optional<DeviceRange> deviceRange(const Value &range, diag::Span span);
  Flow runDeviceFor(const ast::For &node, const Value &range);
  Flow runDeviceWhile(const ast::While &node);
};

} // namespace gluonc::sema
