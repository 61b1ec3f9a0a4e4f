//===- MatrixInstructions.cpp - Matrix products by matrix cores ----------------===//
//
// MFMA on CDNA, WMMA on RDNA and gfx1250: `tt.dot` with operands and sum in registers,
// in layouts of the instruction. Which there are says target/amd/MatrixInstructions.h.
//
// Layouts are transposed: neighbouring registers run along a row of the sum. So results
// are stored as vectors, and a sum of which the next product takes the rows already lies
// as an operand does.
//
//===----------------------------------------------------------------------===//
#include "target/amd/MatrixInstructions.h"
#include "assign/Products.h"
#include "ir/amdg/MatrixElement.h"
#include "target/Features.h"
#include "target/amd/Chips.h"

using namespace mlir;

namespace gluonc {
namespace {

namespace amd = target::amd;
using amd::MatrixElement;
using assign::bitsOf;
using assign::shapeOf;

/// Loads from LDS and registers for a run along K are at most so wide.
constexpr int64_t runBits = 128;

std::optional<MatrixElement> elementOf(Value operand) {
  return amdg::matrixElement(getElementTypeOrSelf(operand.getType()));
}

bool isFloat8(Value operand) {
  return isa<FloatType>(getElementTypeOrSelf(operand.getType())) && bitsOf(operand) == 8;
}

/// One product, and what was found for it.
class Product {
public:
  Product(tt::DotOp dot, const target::Target &target, ThreadCounts threads)
      : dot(dot), chip(*target.amdChip()), threads(threads), shape(shapeOf(dot.getD())),
        depth(shapeOf(dot.getA()).back()), isMfma(chip.waveSize == amd::mfmaLanes),
        isChained(assign::feedsProduct(dot) || assign::comesFromProduct(dot)),
        takesFewerColumns(target::has(target, target::Feature::TransposedLdsLoad)) {}

  void choose() {
    size_t rank = shape.size();
    if (threads.ctas > 1 || threads.lanes != chip.waveSize || (rank != 2 && rank != 3) ||
        !findElements())
      return;
    side = sideOf();
    if (!side || !find(a, b))
      return;
    warps = warpsOf();
    cast();
    assign::stateProduct(dot, layoutOfSum(), widthAlongK());
  }

private:
  int64_t rows() const { return shape[shape.size() - 2]; }
  int64_t columns() const { return shape.back(); }

  bool findElements();
  bool find(MatrixElement left, MatrixElement right);
  int64_t sideOf() const;
  layout::Ints warpsOf() const;
  layout::Layout layoutOfSum() const;
  int64_t widthAlongK() const;
  void cast();

  mutable tt::DotOp dot;
  const amd::Chip &chip;
  ThreadCounts threads;
  ArrayRef<int64_t> shape;
  int64_t depth;
  bool isMfma, isChained;
  /// Of as many rows as columns a warp takes more rows: reads across the depth, where B mostly lies
  /// so, are half as wide as others.
  bool takesFewerColumns;
  /// As the instruction takes them.
  MatrixElement a, b, sum;
  bool isTf32 = false;
  /// Rows, and columns, of an instruction's results.
  int64_t side = 0;
  layout::Ints warps;
  amd::MatrixInstruction instruction;
};

bool Product::findElements() {
  std::optional<MatrixElement> left = elementOf(dot.getA()), right = elementOf(dot.getB()),
                               result = elementOf(dot.getC());
  if (!left || !right || !result)
    return false;
  a = *left;
  b = *right;
  // Instructions have no sums of 16 bits.
  bool isShort = *result == MatrixElement::F16 || *result == MatrixElement::BF16;
  sum = isShort ? MatrixElement::F32 : *result;
  return true;
}

/// The largest tiles that there are enough of for all warps; 0 where there are none.
int64_t Product::sideOf() const {
  if (std::min(rows(), columns()) < 16)
    return 0;
  if (!isMfma || a == MatrixElement::F64 || std::min(rows(), columns()) < 32)
    return 16;
  int64_t batches = shape.size() == 3 ? shape[0] : 1;
  int64_t tiles = batches * (rows() / 32) * (isChained ? 1 : columns() / 32);
  return tiles >= threads.warps ? 32 : 16;
}

/// Takes tf32 where that is allowed, and f16 in place of 8-bit floats that the chip does not
/// multiply.
bool Product::find(MatrixElement left, MatrixElement right) {
  auto ask = [&](bool tf32) {
    return isMfma
               ? amd::mfma(chip.matrixVersion, int(side), int(side), depth, left, right, sum, tf32)
               : amd::wmma(chip.matrixVersion, depth, left, right, sum);
  };
  bool mayCut =
      isMfma && left == MatrixElement::F32 && dot.getInputPrecision() == tt::InputPrecision::TF32;
  std::optional<amd::MatrixInstruction> found = mayCut ? ask(true) : std::nullopt;
  isTf32 = found && depth >= found->perLane;
  if (!isTf32)
    found = ask(false);
  if (found && depth >= found->perLane) {
    instruction = *found;
    a = left;
    b = right;
    return true;
  }
  return isFloat8(dot.getA()) && isFloat8(dot.getB()) && left != MatrixElement::F16 &&
         find(MatrixElement::F16, MatrixElement::F16);
}

/// Batches first. What a product computes for the next one stays within rows of a warp, as far as
/// there are enough.
layout::Ints Product::warpsOf() const {
  layout::Ints result(shape.size(), 1);
  size_t m = shape.size() - 2, n = shape.size() - 1;
  int64_t left = threads.warps;
  if (shape.size() == 3) {
    result[0] = std::min(left, shape[0]);
    left /= result[0];
  }
  int64_t tiles[] = {rows() / side, columns() / side};
  for (; left > 1; left /= 2) {
    bool alongRows = isChained           ? tiles[0] > 1 || tiles[1] <= 1
                     : takesFewerColumns ? tiles[0] > tiles[1]
                                         : tiles[0] >= tiles[1];
    result[alongRows ? m : n] *= 2;
    int64_t &count = tiles[alongRows ? 0 : 1];
    count = std::max<int64_t>(count / 2, 1);
  }
  return result;
}

layout::Layout Product::layoutOfSum() const {
  layout::Ints instrShape{side, side, instruction.k};
  if (!isMfma)
    return layout::AMDWMMALayout::forWarps(chip.matrixVersion, /*transposed=*/true, warps,
                                           instrShape, layout::Ints(shape.size(), 1), {});
  layout::AMDMFMALayout layout{
      chip.matrixVersion,  instrShape,
      /*transposed=*/true, warps,      sum == MatrixElement::F64 ? 64 : 32, {}, {}};
  layout.fillDefaults();
  return layout;
}

/// Neighbours along K in a lane, which may be those of several instructions, or some of one.
int64_t Product::widthAlongK() const {
  // In both halves of a wave the same.
  if (!isMfma && chip.matrixVersion == 1)
    return instruction.perLane;
  int64_t groups = instruction.k / instruction.perLane;
  // Lanes that are left over hold what others do.
  if (depth < instruction.k)
    return instruction.perLane;
  bool isFromSum = assign::comesFromProduct(dot, dot.getA());
  // As many neighbours as sums have.
  int64_t width = isFromSum ? (isMfma ? 4 : 8) : runBits / int64_t(bitsOf(dot.getA()));
  return std::min(width, depth / groups);
}

void Product::cast() {
  if (!isTf32)
    dot.setInputPrecision(tt::InputPrecision::IEEE);
  for (OpOperand &operand : dot->getOpOperands().take_front(2))
    if (isFloat8(operand.get()) && a == MatrixElement::F16)
      assign::castOperand(dot, operand, Float16Type::get(dot.getContext()));
  Type given = getElementTypeOrSelf(dot.getType());
  if (sum != MatrixElement::F32 || given.isF32())
    return;
  OpBuilder builder(dot);
  auto wide = cast<RankedTensorType>(dot.getType()).clone(builder.getF32Type());
  Value c = arith::ExtFOp::create(builder, dot.getLoc(), wide, dot.getC());
  Value result = tt::DotOp::create(builder, dot.getLoc(), wide, dot.getA(), dot.getB(), c,
                                   dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
  dot.replaceAllUsesWith(
      arith::TruncFOp::create(builder, dot.getLoc(), dot.getType(), result).getResult());
  dot.erase();
  dot = result.getDefiningOp<tt::DotOp>();
}

} // namespace

void assign::chooseAmdProduct(tt::DotOp dot, const target::Target &target, ThreadCounts threads) {
  Product(dot, target, threads).choose();
}

} // namespace gluonc
