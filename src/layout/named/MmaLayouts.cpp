//===- MmaLayouts.cpp - Fragments of NVIDIA tensor cores ---------------------===//
//
// All fragments of mma.sync and wgmma are one pattern, by the PTX manual's
// tables: four lanes side by side along the inner dim with a few neighbouring
// elements each, eight such groups along the outer dim, then the registers that
// repeat this, first along the outer dim, then along the inner one.
//
//   result          inner N, outer M   2 neighbours
//   left operand    inner K, outer M   kWidth neighbours
//   right operand   inner K, outer N   kWidth neighbours
//
//===----------------------------------------------------------------------===//
#include "layout/named/Parts.h"

#include "support/Error.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

namespace mma = target::nvidia::mma;
namespace wgmma = target::nvidia::wgmma;

Order matrixOrder(unsigned rank, bool innerIsRow) {
  Order order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  if (innerIsRow)
    std::swap(order[0], order[1]);
  return order;
}

LinearLayout spreadExcept(Dim in, llvm::ArrayRef<int64_t> sizes, const Order &order,
                          std::optional<unsigned> copied) {
  LinearLayout result = LinearLayout::zeros1D(0, in, Dim::axis(order[0]));
  for (unsigned d : order) {
    unsigned log2 = llvm::Log2_64(sizes[d]);
    result *= d == copied ? LinearLayout::zeros1D(log2, in, Dim::axis(d))
                          : LinearLayout::identity1D(log2, in, Dim::axis(d));
  }
  return result;
}

namespace {

/// Registers and lanes of one instruction: `outer` by `inner` elements along the first two dims of
/// `order`, which is also the order in which the tile is repeated.
LinearLayout fragment(int64_t outer, int64_t inner, int64_t neighbours, const Order &order) {
  Dim along = Dim::axis(order[0]), across = Dim::axis(order[1]);
  auto spread = [](int64_t size, Dim in, Dim out) {
    return LinearLayout::identity1D(llvm::Log2_64(size), in, out);
  };
  LinearLayout tile = spread(1, Dim::Register, along);
  for (unsigned d : llvm::ArrayRef(order).drop_front())
    tile *= spread(1, Dim::Register, Dim::axis(d));
  return tile * spread(neighbours, Dim::Register, along) * spread(4, Dim::Lane, along) *
         spread(8, Dim::Lane, across) * spread(outer / 8, Dim::Register, across) *
         spread(inner / (4 * neighbours), Dim::Register, along);
}

/// Warp groups stand one below the other, so that their warps run down first.
LinearLayout warpsOf(const NVMMADistributedLayout &mma, std::optional<unsigned> copied) {
  return spreadExcept(Dim::Warp, mma.warpsPerCta, matrixOrder(mma.rank(), mma.isWarpGroup()),
                      copied);
}

LinearLayout mmaOperand(const DotOperandLayout &operand, const NVMMADistributedLayout &mma,
                        llvm::ArrayRef<int64_t> shape) {
  int64_t outer = operand.operandIndex == 0 ? mma.instrM() : 8;
  // The instruction for f64 has 8 rows and half as many registers along K.
  int64_t inner = operand.kWidth * (mma.instrM() == 8 ? 4 : 8);
  Order order = matrixOrder(operand.rank(), operand.operandIndex == 1);
  LinearLayout tile = fragment(outer, inner, operand.kWidth, order) * warpsOf(mma, operand.kDim());
  return combine(tile, cgaToLinear(Layout(operand).cga(), operand.rank()), shape);
}

/// Without tensor cores: each thread has all of K for its rows or columns.
LinearLayout blockedOperand(const DotOperandLayout &operand, const BlockedLayout &blocked,
                            llvm::ArrayRef<int64_t> shape) {
  Order order(blocked.order.begin(), blocked.order.end());
  Ints registers = blocked.sizePerThread;
  registers[operand.kDim()] = shape[operand.kDim()];
  LinearLayout tile = spreadExcept(Dim::Register, registers, order, std::nullopt) *
                      spreadExcept(Dim::Lane, blocked.threadsPerWarp, order, operand.kDim()) *
                      spreadExcept(Dim::Warp, blocked.warpsPerCta, order, operand.kDim());
  return combine(tile, cgaToLinear(Layout(operand).cga(), operand.rank()), shape);
}

} // namespace

// -- NVMMADistributedLayout -----------------------------------------------------------

Problem NVMMADistributedLayout::validate() const {
  if (version != Ints{2, 0} && version != Ints{2, 1} && version != Ints{3, 0})
    return "the version of an MMA layout must be [2, 0] or [3, 0], but is " + listText(version);
  if (rank() != 2 && rank() != 3)
    return "warps_per_cta of an MMA layout must have two or three dimensions, but is " +
           listText(warpsPerCta);
  if (Problem problem = checkPowers("warps_per_cta", warpsPerCta))
    return problem;
  if (log2Product(warpsPerCta) > 10)
    return "warps_per_cta are too large: " + listText(warpsPerCta);
  if (Problem problem = checkPowers("the sizes of instr_shape", instrShape))
    return problem;
  if (isWarpGroup()) {
    // With more rows than the instruction has it is a layout like others; products refuse it.
    if (instrShape.size() != 3 || instrM() < wgmma::rowsPerWarp ||
        instrM() > 8 * wgmma::rowsPerWarp || instrN() < wgmma::minColumns ||
        instrN() > wgmma::maxColumns)
      return "instr_shape of a version 3 MMA layout must be [16, N, K] with N from " +
             std::to_string(wgmma::minColumns) + " to " + std::to_string(wgmma::maxColumns) +
             ", but is " + listText(instrShape);
  } else {
    if (instrShape.size() != rank() || (rank() == 3 && instrShape[0] != 1) ||
        instrN() != mma::columns || (instrM() != 16 && instrM() != 8))
      return "instr_shape of a version 2 MMA layout must be [16, 8], or [8, 8] for float64, with "
             "a leading 1 for three dimensions, but is " +
             listText(instrShape);
  }
  return checkCga(cga, rank());
}

Owners NVMMADistributedLayout::owners() const {
  return {target::nvidia::warpSize, product(warpsPerCta)};
}

LinearLayout NVMMADistributedLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  LinearLayout tile =
      fragment(instrM(), instrN(), 2, matrixOrder(rank(), false)) * warpsOf(*this, std::nullopt);
  return combine(tile, cgaToLinear(cga, rank()), shape);
}

// -- DotOperandLayout -----------------------------------------------------------------

Problem DotOperandLayout::validate() const {
  if (operandIndex != 0 && operandIndex != 1)
    return "the operand index must be 0 or 1, but is " + std::to_string(operandIndex);
  const auto *mma = parent.as<NVMMADistributedLayout>();
  const auto *wmma = parent.as<AMDWMMALayout>();
  bool isMatrix = mma || wmma || parent.as<AMDMFMALayout>();
  if (!isMatrix && !parent.as<BlockedLayout>())
    return "the parent of a dot operand layout must be a blocked or an MMA layout, but is " +
           parent.toString();
  if (Problem problem = parent.validate())
    return "in the parent of a dot operand layout: " + *problem;
  if (rank() < 2)
    return "the parent of a dot operand layout must have at least two dimensions";
  if (!isMatrix) {
    if (kWidth != 0)
      return "k_width must be 0 where the parent is a blocked layout, but is " +
             std::to_string(kWidth);
    return std::nullopt;
  }
  if (!isPowerOf2(kWidth) || kWidth > 64)
    return "k_width must be a power of two where the parent is an MMA layout, but is " +
           std::to_string(kWidth);
  if (wmma)
    return checkOperand(*this, *wmma);
  if (mma && mma->isWarpGroup() && operandIndex != 0)
    return "only operand 0 of a version 3 MMA can be in registers";
  return std::nullopt;
}

Owners DotOperandLayout::owners() const { return ownersOf(parent); }

LinearLayout DotOperandLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  if (const auto *mma = parent.as<NVMMADistributedLayout>())
    return mmaOperand(*this, *mma, shape);
  if (const auto *mfma = parent.as<AMDMFMALayout>())
    return operandToLinear(*this, *mfma, shape);
  if (const auto *wmma = parent.as<AMDWMMALayout>())
    return operandToLinear(*this, *wmma, shape);
  return blockedOperand(*this, *parent.as<BlockedLayout>(), shape);
}

} // namespace gluonc::layout
