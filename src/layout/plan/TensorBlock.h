//===- TensorBlock.h - The block of a tensor that one copy moves --------------===//
//
// A tensor descriptor has two halves. A launch says the tensor in global memory
// (TensorDescription.h), the kernel says the block that one copy moves and how it
// lies in shared memory. The rules for both stand here, for sema, the verifiers and
// Python's TensorDescriptor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "support/TensorDescription.h"

namespace gluonc::layout {

struct TensorBlock {
  Ints shape;
  NVMMASharedLayout layout;
  /// 0 for what is no number.
  unsigned elementBits = 0;
  bool isFloat = false;
  bool isIm2Col = false;
};

/// Why the copy engine moves no such blocks, to be read behind "a tensor descriptor"; "" if it
/// moves them.
std::string whyNoBlock(const TensorBlock &block);

/// How `ctas` CTAs of a cluster share boxes where nobody says what each needs: rows, as far as
/// messages can still begin at each CTA's.
BasisList sharesOfBox(llvm::ArrayRef<int64_t> shape, unsigned elementBits, int64_t ctas);

/// Whether messages of the size that `descriptor` has fill a buffer, which differs from it at most
/// in what CTAs have.
bool isFilledBy(const NVMMASharedLayout &buffer, const NVMMASharedLayout &descriptor,
                llvm::ArrayRef<int64_t> shape);

/// The first rule that blocks of the tensor break; "" if there can be a descriptor of them.
std::string checkDescriptor(const TensorDescription &tensor, const TensorBlock &block);

} // namespace gluonc::layout
