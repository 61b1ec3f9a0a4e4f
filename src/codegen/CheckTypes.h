//===- CheckTypes.h - Types that the emitters can hold ----------------------------===//
//
// Verified IR may still name types that have no registers here: 128-bit
// integers, fragments of tensor cores, vectors. Finding them before emission
// lets every emit function take its types for granted.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"
#include "ir/Dialects.h"

namespace gluonc::codegen {

/// The first value of `function` whose type cannot be held, as an error.
llvm::Error checkTypes(tt::FuncOp function);

} // namespace gluonc::codegen
