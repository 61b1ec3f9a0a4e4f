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
  layout::BlockedLayout result = spreadBlocked(tiles, rowMajorOrder(type.getRank()), 1, threads);
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
