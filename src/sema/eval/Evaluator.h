//===- Evaluator.h - Compile-time evaluation of expression text --------------===//
//
// For the command line and launch code: `layout='gl.BlockedLayout([1],[32],[4],[0])'`,
// `--grid 'triton.cdiv(n, XBLOCK)'`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/names/Program.h"
#include "sema/value/Value.h"

namespace gluonc::sema {

struct NamedValue {
  std::string name;
  Value value;
};

/// Evaluates `text` in the scope of `module` (plain Python rules: any global is readable),
/// with `names` ahead of it; `gl`, `gluon`, `triton` and `math` are visible even when the file
/// does not import them. `origin` names the text in diagnostics, e.g. "<layout>".
std::optional<Value> evaluate(Program &program, Module &module, llvm::StringRef text,
                              llvm::ArrayRef<NamedValue> names, llvm::StringRef origin,
                              diag::Sink &sink);

/// Calls a host-side function of the source (a grid lambda, a layout helper).
std::optional<Value> callFunction(Program &program, const Value &function,
                                  llvm::ArrayRef<Value> arguments, diag::Sink &sink);

} // namespace gluonc::sema
