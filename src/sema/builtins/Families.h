//===- Families.h - The tables of builtins, family by family ------------------===//
#pragma once

#include "sema/builtins/Ops.h"

namespace gluonc::sema::ops {

/// What a file of this folder brings into the language.
struct Family {
  llvm::StringLiteral title;
  llvm::ArrayRef<Builtin> rows;
};

/// In the order in which the reference shows them.
llvm::ArrayRef<Family> families();

} // namespace gluonc::sema::ops
