//===- Shuffle.h - Elements of any type from another lane ------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

/// The element that `lane` of the same warp passes in.
llvm::Value *shuffle(Emitter &emitter, llvm::Value *element, llvm::Value *lane);
/// The element of the lane whose number is this lane's XOR `distance`.
llvm::Value *shuffleXor(Emitter &emitter, llvm::Value *element, unsigned distance);

} // namespace gluonc::codegen
