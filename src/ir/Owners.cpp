//===- Owners.cpp -----------------------------------------------------------===//
#include "ir/Owners.h"

namespace gluonc {

using layout::Dim;
using layout::DimSize;
using layout::LinearLayout;

bool sameOwners(const LinearLayout &a, const LinearLayout &b) {
  if (a.totalOutLog2() != b.totalOutLog2())
    return false;
  LinearLayout left = a.removeZeroBases(Dim::Register), right = b.removeZeroBases(Dim::Register);
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block, Dim::Offset}) {
    // A layout for one CTA may lack the block dim.
    llvm::ArrayRef<uint64_t> ofLeft, ofRight;
    if (left.hasIn(in))
      ofLeft = left.packedBases(in);
    if (right.hasIn(in))
      ofRight = right.packedBases(in);
    if (ofLeft != ofRight)
      return false;
  }
  return true;
}

static llvm::SmallVector<Dim, 4> outDims(const LinearLayout &linear) {
  llvm::SmallVector<Dim, 4> dims;
  for (DimSize out : linear.outDims())
    dims.push_back(out.dim);
  return dims;
}

static llvm::SmallVector<Dim, 4> inDims(const LinearLayout &linear) {
  llvm::SmallVector<Dim, 4> dims;
  for (DimSize in : linear.inDims())
    dims.push_back(in.dim);
  return dims;
}

LinearLayout rowMajor(const LinearLayout &linear) {
  llvm::SmallVector<Dim, 4> dims;
  for (unsigned axis = linear.outDims().size(); axis-- > 0;)
    dims.push_back(Dim::axis(axis));
  return linear.transposeOuts(dims);
}

LinearLayout permuted(const LinearLayout &linear, llvm::ArrayRef<int32_t> order) {
  llvm::SmallVector<Dim, 4> dims;
  for (int32_t axis : order)
    dims.push_back(Dim::axis(axis));
  return linear.transposeOuts(dims);
}

LinearLayout without(const LinearLayout &linear, unsigned axis) {
  llvm::SmallVector<Dim, 4> kept = outDims(linear);
  llvm::erase(kept, Dim::axis(axis));
  return linear.sublayout(inDims(linear), kept);
}

std::optional<LinearLayout> halved(const LinearLayout &linear) {
  unsigned last = linear.outDims().size() - 1;
  uint64_t unit = uint64_t{1} << linear.outShift(Dim::axis(last));
  llvm::SmallVector<uint64_t, 12> registers(linear.packedBases(Dim::Register));
  auto moves = [&](uint64_t basis) { return (basis & unit) != 0; };
  if (!llvm::is_contained(registers, unit) || llvm::count_if(linear.packedBases(), moves) != 1)
    return std::nullopt;
  llvm::erase(registers, unit);
  return without(linear.withBases(Dim::Register, registers), last);
}

LinearLayout unpacked(const LinearLayout &linear, unsigned axis) {
  LinearLayout pair = LinearLayout::identity1D(1, Dim::Register, Dim::axis(axis));
  return (pair * linear.removeZeroBases(Dim::Register)).transposeOuts(outDims(linear));
}

bool isPermutation(llvm::ArrayRef<int32_t> order, size_t rank) {
  if (order.size() != rank)
    return false;
  llvm::SmallVector<bool, 8> seen(rank, false);
  for (int32_t axis : order) {
    if (axis < 0 || size_t(axis) >= rank || seen[axis])
      return false;
    seen[axis] = true;
  }
  return true;
}

} // namespace gluonc
