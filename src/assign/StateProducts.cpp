//===- StateProducts.cpp - Matrix products by scalar multiplications -----------===//
//
// A thread computes a block of the result, of 4 x 4, 2 x 2 or one element, whatever
// keeps all threads busy. The operands' layouts give it the rows and columns for that.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Products.h"

using namespace mlir;

namespace gluonc {
namespace {

/// How many of `count` threads go along each dimension, and in `tiles` what is left to each: they
/// halve the longer of rows and columns, so that a thread needs few of both.
layout::Ints spreadEvenly(llvm::SmallVectorImpl<int64_t> &tiles, int64_t count) {
  layout::Ints result(tiles.size(), 1);
  size_t columns = tiles.size() - 1, rows = columns - 1;
  for (; count > 1; count /= 2) {
    size_t longer = tiles[rows] > tiles[columns] ? rows : columns;
    // Those that have nothing to share go to the batches.
    size_t dim = tiles[longer] > 1 ? longer : 0;
    result[dim] *= 2;
    tiles[dim] = std::max<int64_t>(tiles[dim] / 2, 1);
  }
  return result;
}

layout::BlockedLayout blocksFor(tt::DotOp dot) {
  auto type = cast<RankedTensorType>(dot.getD().getType());
  ThreadCounts threads = ThreadCounts::at(dot);
  int64_t perThread = type.getNumElements() / (threads.lanes * threads.warps * threads.ctas);
  int64_t side = perThread >= 16 ? 4 : perThread >= 4 ? 2 : 1;
  llvm::SmallVector<int64_t> tiles(type.getShape());
  layout::Ints block(type.getRank(), 1);
  for (int64_t dim : {type.getRank() - 2, type.getRank() - 1}) {
    block[dim] = std::min(side, type.getDimSize(dim));
    tiles[dim] /= block[dim];
  }
  layout::BlockedLayout result =
      spreadBlocked(tiles, rowMajorOrder(type.getRank()), 1, {1, 1, threads.ctas});
  for (const layout::Ints &basis : result.cga)
    for (auto [tile, step] : llvm::zip(tiles, basis))
      tile /= step ? 2 : 1;
  result.threadsPerWarp = spreadEvenly(tiles, threads.lanes);
  result.warpsPerCta = spreadEvenly(tiles, threads.warps);
  result.sizePerThread = block;
  return result;
}

struct StateProductsPass : PassWrapper<StateProductsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StateProductsPass)
  llvm::StringRef getArgument() const override { return "gluonc-state-products"; }
  llvm::StringRef getDescription() const override {
    return "State layouts of matrix products by scalar multiplications";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    getOperation().walk([](tt::DotOp dot) {
      if (isOpen(dot.getD().getType()) && dot.getD().getType().getRank() >= 2)
        state(dot);
    });
  }

  /// Floats of 8 bits are only held: f16 has all their values.
  static void widen(tt::DotOp dot, OpOperand &operand) {
    if (isa<FloatType>(getElementTypeOrSelf(operand.get().getType())) &&
        assign::bitsOf(operand.get()) == 8)
      assign::castOperand(dot, operand, Float16Type::get(dot.getContext()));
  }

  /// As tensor cores do, which have more bits than f16 for what they add up.
  static tt::DotOp widenSum(tt::DotOp dot) {
    RankedTensorType type = dot.getD().getType();
    if (!type.getElementType().isF16())
      return dot;
    OpBuilder builder(dot);
    RankedTensorType wide = type.clone(builder.getF32Type());
    Value c = arith::ExtFOp::create(builder, dot.getLoc(), wide, dot.getC());
    auto product = tt::DotOp::create(builder, dot.getLoc(), wide, dot.getA(), dot.getB(), c,
                                     dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    Value sum = arith::TruncFOp::create(builder, dot.getLoc(), type, product);
    dot.replaceAllUsesWith(sum);
    dot.erase();
    return product;
  }

  static void state(tt::DotOp dot) {
    dot = widenSum(dot);
    widen(dot, dot.getAMutable());
    widen(dot, dot.getBMutable());
    assign::stateProduct(dot, blocksFor(dot), /*kWidth=*/0);
  }
};

} // namespace

std::unique_ptr<Pass> createStateProductsPass() { return std::make_unique<StateProductsPass>(); }

} // namespace gluonc
