//===- Unsupported.h - Syntax that kernels cannot use -------------------------===//
//
// One table for the walker, which meets a construct when it gets there, and for
// `check`, which looks everywhere.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "syntax/Ast.h"

namespace gluonc::sema {

class Interpreter;
struct Parameter;

/// What diagnostics call the construct; empty when kernels may use it. Looks at the
/// node itself only, not below it.
llvm::StringRef unsupportedInKernel(const ast::Node &node);
/// The same for compile-time code.
llvm::StringRef unsupportedInHostCode(const ast::Node &node);
/// Reports that a kernel has a parameter `**name`.
void rejectKeywordVariadic(Interpreter &interpreter, const Parameter &parameter);

} // namespace gluonc::sema
