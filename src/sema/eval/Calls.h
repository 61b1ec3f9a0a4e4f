//===- Calls.h - Calls of builtins and functions ------------------------------===//
#pragma once

#include "sema/eval/Walk.h"

namespace gluonc::sema {

/// An undecorated function that a kernel calls as `module.f(…)` is called while the kernel is
/// compiled, as in Triton: then a constexpr function in its place, else `callee`.
Value memberOfModule(Interpreter &interpreter, const ast::Call &node, const Value &callee);

/// Evaluates arguments, binds them to parameters, walks callees in place.
class Calls : Walk {
public:
  using Walk::Walk;

  MaybeValue evalCall(const ast::Call &node);
  MaybeValue callBuiltin(const Value &callee, CallArguments &arguments);
  MaybeValue runFunction(const std::shared_ptr<const Function> &function, CallArguments &arguments);
  bool checkRecursion(const Function &function, diag::Span span);
  bool bindFunction(const Function &function, CallArguments &arguments, Frame &callee);

private:
  MaybeValue evalArgument(const Value &callee, const ast::Expr *argument);
  bool evalArguments(const Value &callee, const ast::Call &node, CallArguments &arguments);
  Value openLayouts(const Value &result);
  MaybeValue callPartial(bool isMaking, CallArguments &arguments);
  MaybeValue callFormat(CallArguments &arguments);
};

} // namespace gluonc::sema
