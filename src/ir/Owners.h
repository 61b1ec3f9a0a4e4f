//===- Owners.h - Does an operation leave every element where it is? ---------===//
//
// Reshaping operations promise that no element changes its thread. Two tensors
// meet that promise if equal register, lane, warp and block indices name equal
// elements, where "equal element" is the operation's business. Registers that
// hold copies (zero bases) do not count.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

namespace gluonc {

/// Whether a and b own packed elements alike: same bases of every input dim, copies aside.
bool sameOwners(const layout::LinearLayout &a, const layout::LinearLayout &b);

/// `linear` with its packed output in row-major order (last dim fastest).
layout::LinearLayout rowMajor(const layout::LinearLayout &linear);
/// Output dim i is dim order[i] of `linear`.
layout::LinearLayout permuted(const layout::LinearLayout &linear, llvm::ArrayRef<int32_t> order);
/// Without output dim `axis`.
layout::LinearLayout without(const layout::LinearLayout &linear, unsigned axis);
/// Either half along the last dim, of size 2; nullopt unless each thread holds both.
std::optional<layout::LinearLayout> halved(const layout::LinearLayout &linear);
/// Twice as large along `axis`, which a new first register bit moves by one.
layout::LinearLayout unpacked(const layout::LinearLayout &linear, unsigned axis);

/// Whether `order` is a permutation of 0 … rank-1.
bool isPermutation(llvm::ArrayRef<int32_t> order, size_t rank);

} // namespace gluonc
