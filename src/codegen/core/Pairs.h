//===- Pairs.h - Arithmetic on two registers at once -------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

/// Two neighbouring registers as a vector; that which they were cut out of, where there is one.
llvm::Value *pairOf(Builder &builder, llvm::Value *low, llvm::Value *high);

/// `make` of the operands' registers, element by element; of vectors of two where the chip computes
/// pairs of the type. `make` takes one as the other.
Registers computeInPairs(Emitter &emitter, llvm::ArrayRef<const Registers *> operands,
                         llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> make);

} // namespace gluonc::codegen
