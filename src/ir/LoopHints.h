//===- LoopHints.h - What the author says of a loop ------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace gluonc {

/// What the loop does not change, LLVM does not compute before it.
inline constexpr llvm::StringLiteral disableLicmAttr = "tt.disable_licm";

} // namespace gluonc
