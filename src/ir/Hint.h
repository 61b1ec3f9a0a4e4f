//===- Hint.h - What the author says of a value --------------------------------===//
//
// `gluon.hint`. Not part of Dialects.h: few files need it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc::gluon {

/// What hints write: nothing.
struct Hints : mlir::SideEffects::Resource::Base<Hints> {
  llvm::StringRef getName() final { return "<Hints>"; }
};

} // namespace gluonc::gluon

#define GET_OP_CLASSES
#include "ir/GluonHint.h.inc"
