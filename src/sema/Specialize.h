//===- Specialize.h - A kernel and its argument types become ttg -------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/builtins/Context.h"
#include "sema/names/Program.h"
#include "sema/value/ArgSpec.h"
#include "sema/value/Observer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gluonc::sema {

/// Specializes one kernel: binds compile-time arguments, resolves every name, emits
/// verified tt/ttg in one walk. One spec per parameter, in order (a tuple for
/// `*args`); missing trailing ones take their defaults. The module holds one public tt.func
/// whose parameters are the run-time arguments. Null exactly when it has reported an error.
/// The observer is told also of what is evaluated before and behind an error.
mlir::OwningOpRef<mlir::ModuleOp> specialize(Program &program, const Function &kernel,
                                             llvm::ArrayRef<ArgSpec> arguments,
                                             const Options &options, mlir::MLIRContext &context,
                                             diag::Sink &sink, ValueObserver observer = {});

/// `gluonc check`: resolves everything in `module` that is decorated, without types: unknown
/// names, constructs that the language does not have, bad decorators. Reports all errors.
void check(Program &program, Module &module, diag::Sink &sink);

} // namespace gluonc::sema
