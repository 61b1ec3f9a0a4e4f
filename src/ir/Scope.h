//===- Scope.h - Regions that a kernel names itself ------------------------------===//
//
// `gluon.scope`. Not part of Dialects.h: few files need it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc::gluon {

/// What borders of regions write: nothing.
struct Scopes : mlir::SideEffects::Resource::Base<Scopes> {
  llvm::StringRef getName() final { return "<Scopes>"; }
};

/// On the module: borders become code.
inline constexpr llvm::StringLiteral tracedAttr = "gluon.traced";
/// On borders of such a module: the number of the name.
inline constexpr llvm::StringLiteral numberAttr = "gluon.number";

} // namespace gluonc::gluon

#define GET_OP_CLASSES
#include "ir/GluonScope.h.inc"
