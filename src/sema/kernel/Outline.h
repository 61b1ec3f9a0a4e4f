//===- Outline.h - Functions that stay functions ------------------------------===//
#pragma once

#include "sema/eval/Walk.h"

namespace gluonc::sema {

/// Functions marked noinline: one tt.func per kind of arguments, and calls of it.
class Outliner : Walk {
public:
  using Walk::Walk;

  /// Calls `function`, whose parameters are bound in `callee`.
  MaybeValue call(const Function &function, Frame &callee, diag::Span span);

private:
  std::string freshSymbol(llvm::StringRef name);
  std::optional<Outlined> outline(const Function &function, Frame &callee,
                                  llvm::ArrayRef<mlir::Value> operands);
};

} // namespace gluonc::sema
