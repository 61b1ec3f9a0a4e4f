//===- Walk.h - What the parts of the walk share ------------------------------===//
//
// The walk is made of parts, each with a header of its own: Expressions, Calls,
// Classes, HostStatements, KernelStatements, Outliner. A part holds nothing and is
// made where it is asked for; frames, budget and reports are the Interpreter's, which
// also evaluates for everybody else:
//
//   KernelStatements(interpreter).runBody(function.def->body)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/eval/Interpreter.h"

namespace gluonc::sema {

/// Base of the parts: short names for what they ask of the Interpreter.
class Walk {
public:
  explicit Walk(Interpreter &interpreter)
      : interpreter(interpreter), program(interpreter.program), context(interpreter.emitContext()) {
  }

protected:
  Interpreter &interpreter;
  Program &program;
  /// Null outside of kernels.
  Context *const context;

  Frame &frame() const { return interpreter.frame(); }
  bool inKernel() const { return interpreter.inKernel(); }
  template <typename... Args>
  diag::Builder report(diag::Kind kind, diag::Span at, const Args &...args) const {
    return interpreter.report(kind, at, args...);
  }
  bool step(diag::Span span) const { return interpreter.step(span); }
  bool checkSupported(const ast::Node &node) const { return interpreter.checkSupported(node); }
  MaybeValue eval(const ast::Expr *expr) const { return interpreter.eval(expr); }
  std::optional<bool> truth(const Value &value, diag::Span span) const {
    return interpreter.truth(value, span);
  }
  std::optional<std::vector<Value>> iterate(const Value &value, diag::Span span) const {
    return interpreter.iterate(value, span);
  }
  MaybeValue lookup(llvm::StringRef name, diag::Span span) const {
    return interpreter.lookup(name, span);
  }
  MaybeValue attribute(const Value &object, llvm::StringRef name, diag::Span span) const {
    return interpreter.attribute(object, name, span);
  }
  MaybeValue subscript(const Value &object, const Value &index, diag::Span span) const {
    return interpreter.subscript(object, index, span);
  }
  MaybeValue binary(ast::Operator op, const Value &lhs, const Value &rhs, diag::Span span,
                    diag::Span lhsSpan, diag::Span rhsSpan) const {
    return interpreter.binary(op, lhs, rhs, span, lhsSpan, rhsSpan);
  }
  MaybeValue compare(ast::CompareOperator op, const Value &lhs, const Value &rhs, diag::Span span,
                     diag::Span lhsSpan, diag::Span rhsSpan) const {
    return interpreter.compare(op, lhs, rhs, span, lhsSpan, rhsSpan);
  }
  MaybeValue unary(ast::UnaryOperator op, const Value &operand, diag::Span span,
                   diag::Span operandSpan) const {
    return interpreter.unary(op, operand, span, operandSpan);
  }
  MaybeValue call(const Value &callee, CallArguments &arguments) const {
    return interpreter.call(callee, arguments);
  }
  MaybeValue callFunction(const Value &function, CallArguments &arguments) const {
    return interpreter.callFunction(function, arguments);
  }
  MaybeValue text(std::string text, diag::Span span) const {
    return interpreter.text(std::move(text), span);
  }
};

} // namespace gluonc::sema
