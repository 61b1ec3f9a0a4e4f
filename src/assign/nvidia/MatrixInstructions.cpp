//===- MatrixInstructions.cpp - Matrix products by tensor cores ----------------===//
//
// wgmma where a product has 64 rows for each group of four warps, mma.sync elsewhere:
//
//   tt.dot %a, %b, %c          mma.sync: operands and sum in registers, in layouts of
//                              the instruction
//   ttng.warp_group_dot        wgmma: operands in shared memory; the left one may stay in
//                              registers, where it was computed
//   ttng.tc_gen5_mma           tcgen05: sums in tensor memory (TensorMemoryProducts.cpp)
//
// Products that no instruction takes stay open (StateProducts.cpp).
//
//===----------------------------------------------------------------------===//
#include "assign/CtaShares.h"
#include "assign/nvidia/Operands.h"
#include "ir/Encoding.h"
#include "ir/tt/DescriptorAccess.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "target/Features.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::bitsOf;
using assign::chainBehind;
using assign::comesFromProduct;
using assign::convertTo;
using assign::feedsProduct;
using assign::isLoaded;
using assign::shapeOf;

namespace mma = target::nvidia::mma;
namespace wgmma = target::nvidia::wgmma;
using target::Feature;
using target::nvidia::MatrixElement;

/// Products of one function.
class Products {
public:
  Products(const target::Target &target, ThreadCounts threads) : target(target), threads(threads) {}

  void choose(tt::DotOp dot) {
    if (!assign::chooseTensorMemoryProduct(dot, target, threads) && !takeWarpGroup(dot))
      takeWarp(dot);
  }

private:
  struct Elements {
    MatrixElement a, b, sum;
  };

  static std::optional<Elements> elementsOf(tt::DotOp dot) {
    auto a = ttng::matrixElement(getElementTypeOrSelf(dot.getA().getType()));
    auto b = ttng::matrixElement(getElementTypeOrSelf(dot.getB().getType()));
    auto sum = ttng::matrixElement(getElementTypeOrSelf(dot.getD().getType()));
    // float32 is cut to tf32, if that is allowed.
    bool isExact = dot.getInputPrecision() != tt::InputPrecision::TF32;
    if (!a || !b || !sum || (*a == MatrixElement::F32 && isExact))
      return std::nullopt;
    return Elements{*a, *b, *sum};
  }

  bool takeWarpGroup(tt::DotOp dot);
  void takeWarp(tt::DotOp dot);
  layout::Ints warpGroupsOf(tt::DotOp dot, int64_t m) const;
  int64_t columnsOf(int64_t m, int64_t n) const;
  layout::Ints warpsOf(tt::DotOp dot, ArrayRef<int64_t> shape) const;
  int64_t kWidthOf(tt::DotOp dot) const;
  static int64_t wordOf(tt::DotOp dot) {
    return std::max<int64_t>(target::nvidia::matrixWordBits / bitsOf(dot.getA()), 1);
  }
  /// `cga`: how CTAs share the sum.
  static Value inShared(OpBuilder &builder, tt::DotOp dot, Value operand, bool isLeft,
                        const layout::BasisList &cga) {
    return assign::inShared(
        builder, dot, operand,
        wgmma::transposes(bitsOf(operand)) ? assign::isFirstDimContiguous(operand) : !isLeft,
        /*isPadded=*/false, assign::sharesOfOperand(cga, isLeft ? 0 : 1));
  }

  const target::Target &target;
  ThreadCounts threads;
};

bool Products::takeWarpGroup(tt::DotOp dot) {
  std::optional<Elements> elements = elementsOf(dot);
  if (!elements || !target::has(target, Feature::WarpgroupMma) ||
      !wgmma::multiplies(elements->a, elements->b, elements->sum))
    return false;
  if (dot.getD().getType().getRank() != 2)
    return false;
  layout::BasisList cga = assign::sharesOf(dot, threads.ctas);
  layout::Ints shape = assign::shareOf(shapeOf(dot.getD()), cga);
  if (threads.warps % wgmma::warps || shape[0] % wgmma::rows || shape[1] % wgmma::minColumns)
    return false;
  int64_t m = shape[0], n = shape[1], depth = shapeOf(dot.getA())[1];
  unsigned bits = bitsOf(dot.getA());
  int64_t instrK = target::nvidia::matrixDepth(bits);
  bool isFp8 = target::nvidia::isFloat8(elements->a);
  // Sums of 8-bit floats have fewer bits within one instruction, of 32 elements.
  bool isTooExact =
      isFp8 && elements->sum == MatrixElement::F32 && dot.getMaxNumImpreciseAcc() < 32;
  if (depth < instrK || isTooExact)
    return false;

  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  layout::NVMMADistributedLayout layout{
      {3, 0}, warpGroupsOf(dot, m), {wgmma::rowsPerWarp, columnsOf(m, n), instrK}, cga};
  Value a = isLoaded(dot.getA())
                ? inShared(builder, dot, dot.getA(), /*isLeft=*/true, cga)
                : convertTo(builder, loc, dot.getA(),
                            layout::DotOperandLayout{0, layout::Layout(layout),
                                                     target::nvidia::matrixWordBits / bits});
  Value b = inShared(builder, dot, dot.getB(), /*isLeft=*/false, cga);
  assign::Sum of = assign::sumOf(dot.getC());
  Value sum = convertTo(builder, loc, of.value, layout::Layout(layout));
  Value useC = assign::addsSum(builder, loc, dot.getC(), of);
  Value product = ttng::WarpGroupDotOp::create(
      builder, loc, sum.getType(), a, b, sum, useC, dot.getInputPrecision(),
      dot.getMaxNumImpreciseAcc(), /*isAsync=*/false, /*unsignedA=*/false, /*unsignedB=*/false);
  Value open = ttg::ConvertLayoutOp::create(builder, loc, dot.getType(), product,
                                            /*force_warp_shuffle=*/false);
  dot.replaceAllUsesWith(open);
  dot.erase();
  return true;
}

/// Warps along M and N. What a product computes for the next one stays within rows of a warp.
layout::Ints Products::warpGroupsOf(tt::DotOp dot, int64_t m) const {
  if (feedsProduct(dot))
    return {threads.warps, 1};
  layout::Ints warps{wgmma::warps, 1};
  while (warps[0] * warps[1] < threads.warps)
    warps[m > wgmma::rowsPerWarp * warps[0] ? 0 : 1] *= 2;
  return warps;
}

/// The widest instruction that leaves something to do for all warps.
int64_t Products::columnsOf(int64_t m, int64_t n) const {
  int64_t groups = std::max<int64_t>(threads.warps / (m / wgmma::rowsPerWarp), 1);
  // Sizes are powers of two.
  return std::min<int64_t>(std::max<int64_t>(n / groups, wgmma::minColumns), wgmma::maxColumns);
}

/// `shape`: what a CTA has of the sum.
layout::Ints Products::warpsOf(tt::DotOp dot, ArrayRef<int64_t> shape) const {
  if (shape.size() == 3)
    return {threads.warps, 1, 1};
  int64_t m = shape[0], n = shape[1];
  if (feedsProduct(dot) || comesFromProduct(dot))
    return m >= n ? layout::Ints{threads.warps, 1} : layout::Ints{1, threads.warps};
  // Near squares, for which warps read least of the operands; of two choices the one that leaves
  // rows whole, which sums then need.
  layout::Ints warps{1, 1};
  while (warps[0] * warps[1] < threads.warps) {
    bool byRows = m / warps[0] >= n / warps[1] && 16 * warps[0] < m;
    warps[byRows || mma::columns * warps[1] >= n ? 0 : 1] *= 2;
  }
  return warps;
}

/// Neighbours along K in a thread: as many as fill a word of what was loaded.
int64_t Products::kWidthOf(tt::DotOp dot) const {
  unsigned least = bitsOf(dot.getA());
  for (Value operand : {dot.getA(), dot.getB()})
    for (Operation *op : chainBehind(operand, dot->getBlock())) {
      if (isa<ttg::Fp4ToFpOp>(op))
        least = std::min(least, 4u);
      else if (isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
        least = std::min(least, bitsOf(op->getResult(0)));
    }
  return std::max<int64_t>(target::nvidia::matrixWordBits / std::max(least, 1u), 1);
}

void Products::takeWarp(tt::DotOp dot) {
  std::optional<Elements> elements = elementsOf(dot);
  if (!elements || !target::has(target, Feature::MmaSync))
    return;
  bool isFp8 = target::nvidia::isFloat8(elements->a) && target::nvidia::isFloat8(elements->b);
  if (isFp8 && (!target::has(target, Feature::MmaSyncFp8) ||
                !mma::multiplies(elements->a, elements->b, elements->sum)))
    elements->a = elements->b = MatrixElement::F16;
  else
    isFp8 = false;
  layout::BasisList cga;
  if (dot.getD().getType().getRank() > 1)
    cga = assign::sharesOf(dot, threads.ctas);
  layout::Ints shape = assign::shareOf(shapeOf(dot.getD()), cga);
  size_t rank = shape.size();
  int64_t rows = mma::rows(elements->a), depth = shapeOf(dot.getA()).back();
  int64_t perWidth = elements->a == MatrixElement::F64 ? 4 : 8;
  if ((rank != 2 && rank != 3) || !mma::multiplies(elements->a, elements->b, elements->sum) ||
      shape[rank - 2] < rows || shape[rank - 1] < mma::columns || depth < perWidth)
    return;
  int64_t least = elements->a == MatrixElement::F16 && isFp8 ? 2 : wordOf(dot);
  int64_t kWidth = std::min(kWidthOf(dot), depth / perWidth);
  if (kWidth < least)
    return;
  // Instructions of older chips have no 8-bit floats.
  if (isFp8)
    for (OpOperand &operand : dot->getOpOperands().take_front(2))
      assign::castOperand(dot, operand, Float16Type::get(dot.getContext()));
  layout::Ints instruction(rank, 1);
  instruction[rank - 2] = rows;
  instruction[rank - 1] = mma::columns;
  layout::Layout parent =
      layout::NVMMADistributedLayout{{2, 0}, warpsOf(dot, shape), instruction, cga};
  assign::stateProduct(dot, parent, kWidth);
}

} // namespace

void assign::chooseNvidiaProduct(tt::DotOp dot, const target::Target &target,
                                 ThreadCounts threads) {
  Products(target, threads).choose(dot);
}

} // namespace gluonc
