//===- StateProducts.cpp - Matrix products by scalar multiplications -----------===//
//
// A thread computes a block of the result, of 4 x 4, 2 x 2 or one element, whatever
// keeps all threads busy. The operands' layouts give it the rows and columns for that.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"

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
  static void widen(OpOperand &operand) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (!isa<FloatType>(type.getElementType()) || type.getElementTypeBitWidth() != 8)
      return;
    OpBuilder builder(operand.getOwner());
    Type half = type.clone(builder.getF16Type());
    operand.set(tt::FpToFpOp::create(builder, operand.getOwner()->getLoc(), half, operand.get(),
                                     tt::RoundingModeAttr()));
  }

  static void state(tt::DotOp dot) {
    widen(dot.getAMutable());
    widen(dot.getBMutable());
    layout::Layout parent = blocksFor(dot);
    auto encode = [&](const layout::Layout &layout) {
      return fromLayout(dot.getContext(), layout);
    };
    assign::OpLayouts layouts;
    for (int64_t index : {0, 1})
      layouts.operands.push_back(encode(layout::DotOperandLayout{index, parent, 0}));
    layouts.operands.push_back(encode(parent));
    layouts.results.push_back(encode(parent));
    assign::state(dot, layouts);
  }
};

} // namespace

std::unique_ptr<Pass> createStateProductsPass() { return std::make_unique<StateProductsPass>(); }

} // namespace gluonc
