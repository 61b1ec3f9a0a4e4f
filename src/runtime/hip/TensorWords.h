//===- TensorWords.h - What the tensor mover reads, as a launch gives it ------===//
//
// A kernel of gfx1250 takes a descriptor by value, as words that stand side by side in
// its parameters: 12, or 20 for more than two dims. A launch writes what describes the
// tensor. What one copy moves, and where to, is the kernel's half and stays zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "support/TensorDescription.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace gluonc::hip {

/// What a parameter says of the tensors that it may be given.
struct TensorBlock {
  unsigned rank = 0;
  unsigned elementBytes = 1;
};

/// Fails where the fields of a descriptor cannot hold `tensor`, with the number and the limit.
llvm::Error check(const TensorBlock &block, const TensorDescription &tensor);

/// Appends the words of a tensor that passed `check`, one a slot.
void appendWords(const TensorBlock &block, const TensorDescription &tensor,
                 llvm::SmallVectorImpl<uint64_t> &slots);

} // namespace gluonc::hip
