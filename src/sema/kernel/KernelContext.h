//===- KernelContext.h - What builtins see of the walk of a kernel ------------===//
#pragma once

#include "sema/eval/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"

namespace gluonc::sema {

/// Says chip, warps and CTAs to what is built in the module.
void setModuleOptions(mlir::ModuleOp module, const Options &options);

/// The Context of a kernel: emits through the walk's builder, at the walk's place.
class KernelContext : public Context {
public:
  KernelContext(mlir::OpBuilder &builder, Interpreter &interpreter, const Options &options)
      : Context(builder, *interpreter.sink, options), interpreter(interpreter) {}

  bool isTriton() const override {
    // Arguments of the kernel are read before its walk.
    const Function *function = interpreter.inKernel() ? interpreter.frame().function : nullptr;
    return function && function->dialect == Dialect::Triton;
  }

  mlir::Location loc() override { return interpreter.location(mlirContext(), span); }

  std::optional<Value> call(const Value &callee, llvm::ArrayRef<Value> values) override {
    CallArguments arguments;
    arguments.span = span;
    for (const Value &value : values)
      arguments.add(value, span);
    return interpreter.call(callee, arguments);
  }

protected:
  void addCallChain(diag::Builder &builder) override { interpreter.addCallChain(builder); }

private:
  Interpreter &interpreter;
};

} // namespace gluonc::sema
