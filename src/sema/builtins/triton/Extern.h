//===- Extern.h - Functions of users' libraries -------------------------------===//
#pragma once

#include "sema/builtins/Ops.h"

namespace gluonc::sema::ops {

inline constexpr llvm::StringLiteral externElementwise = "extern_elementwise";

/// `tl.core.extern_elementwise`.
llvm::ArrayRef<Builtin> externBuiltins();

} // namespace gluonc::sema::ops
