//===- Parts.h - What the named layouts share ------------------------------===//
//
// Internal to the room: field checks with their wording, and small conversions
// between lists of numbers and linear layouts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::layout {

/// Far beyond any tensor, and small enough that nothing here overflows.
inline constexpr int64_t maxDimSize = int64_t{1} << 24;

/// `[1, 8]`
std::string listText(llvm::ArrayRef<int64_t> values);
/// `[[0, 1], [1, 0]]`
std::string basesText(const BasisList &bases);

Problem checkOrder(llvm::ArrayRef<int64_t> order);
/// `what` names the field in the plural.
Problem checkPowers(const char *what, llvm::ArrayRef<int64_t> values);
Problem checkBases(const char *what, const BasisList &bases, unsigned rank);
Problem checkCga(const BasisList &cga, unsigned rank);

using Order = llvm::SmallVector<unsigned, 4>;
/// Row-major, but with the last two dims exchanged if `innerIsRow`; fastest first.
Order matrixOrder(unsigned rank, bool innerIsRow);
/// As many lanes or warps as `sizes` says; those along dim `copied` (if any) hold the same.
LinearLayout spreadExcept(Dim in, llvm::ArrayRef<int64_t> sizes, const Order &order,
                          std::optional<unsigned> copied);
/// Operands of AMD's matrix products (AmdLayouts.cpp).
Problem checkOperand(const DotOperandLayout &operand, const AMDWMMALayout &parent);
LinearLayout operandToLinear(const DotOperandLayout &operand, const AMDMFMALayout &parent,
                             llvm::ArrayRef<int64_t> shape);
LinearLayout operandToLinear(const DotOperandLayout &operand, const AMDWMMALayout &parent,
                             llvm::ArrayRef<int64_t> shape);

llvm::SmallVector<DimSize, 4> axisSizes(llvm::ArrayRef<int64_t> shape);
llvm::SmallVector<Dim, 4> axes(unsigned rank);
/// Explicit bases as a linear layout; they must have been checked.
LinearLayout fromBases(llvm::ArrayRef<std::pair<Dim, const BasisList *>> ins,
                       llvm::ArrayRef<int64_t> shape);
/// Block bases in elements to bases in units of each CTA's share.
BasisList blockBasesToCga(const BasisList &blockBases, llvm::ArrayRef<int64_t> shape);

/// Of powers of two; unlike their product it cannot overflow.
inline unsigned log2Product(llvm::ArrayRef<int64_t> values) {
  unsigned result = 0;
  for (int64_t value : values)
    result += llvm::Log2_64(value);
  return result;
}

inline int64_t product(llvm::ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

} // namespace gluonc::layout
