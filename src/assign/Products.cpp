#include "assign/Products.h"

#include "assign/Assign.h"
#include "ir/Encoding.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;

namespace gluonc {
namespace assign {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

unsigned bitsOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

bool isPassedThrough(Operation *op) {
  if (!op || op->getNumRegions())
    return false;
  return !isOurs(op) || isa<tt::TransOp, tt::ReshapeOp, tt::BroadcastOp, tt::ExpandDimsOp,
                            tt::JoinOp, tt::FpToFpOp, ttg::ConvertLayoutOp, ttg::Fp4ToFpOp>(op);
}

llvm::SetVector<Operation *> chainBehind(Value operand, Block *block) {
  llvm::SetVector<Operation *> chain;
  llvm::SmallVector<Value> pending{operand};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !chain.insert(op) || !isPassedThrough(op))
      continue;
    llvm::append_range(pending, op->getOperands());
  }
  return chain;
}

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

bool isProduct(Operation *op) {
  return isa<tt::DotOp, ttng::WarpGroupDotOp, ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(op);
}

bool feedsProduct(Operation *dot) {
  ForwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == dot->getBlock(); };
  llvm::SetVector<Operation *> slice;
  getForwardSlice(dot, &slice, options);
  return llvm::any_of(slice, isProduct);
}

bool comesFromProduct(Operation *dot, Value operand) {
  return llvm::any_of(chainBehind(operand, dot->getBlock()),
                      [](Operation *op) { return isProduct(op) || isa<ttng::TMEMLoadOp>(op); });
}

bool comesFromProduct(Operation *dot) {
  return llvm::any_of(dot->getOperands().take_front(2),
                      [&](Value operand) { return comesFromProduct(dot, operand); });
}

void stateProduct(tt::DotOp dot, const layout::Layout &sum, int64_t kWidth) {
  auto encode = [&](const layout::Layout &layout) { return fromLayout(dot.getContext(), layout); };
  OpLayouts layouts;
  for (int64_t index : {0, 1})
    layouts.operands.push_back(encode(layout::DotOperandLayout{index, sum, kWidth}));
  layouts.operands.push_back(encode(sum));
  layouts.results.push_back(encode(sum));
  state(dot, layouts);
}

void castOperand(tt::DotOp dot, OpOperand &operand, Type element) {
  OpBuilder builder(dot);
  auto type = cast<RankedTensorType>(operand.get().getType());
  operand.set(tt::FpToFpOp::create(builder, dot.getLoc(), type.clone(element), operand.get(),
                                   tt::RoundingModeAttr()));
}

} // namespace assign

namespace {

class MatrixInstructionsPass : public PassWrapper<MatrixInstructionsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MatrixInstructionsPass)

  explicit MatrixInstructionsPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-matrix-instructions"; }
  llvm::StringRef getDescription() const override { return "Choose instructions for products"; }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    llvm::SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) {
      if (isOpen(dot.getType()))
        dots.push_back(dot);
    });
    auto choose = target.isNvidia() ? assign::chooseNvidiaProduct : assign::chooseAmdProduct;
    for (tt::DotOp dot : dots)
      choose(dot, target, ThreadCounts::at(dot));
  }

private:
  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createMatrixInstructionsPass(const target::Target &target) {
  return std::make_unique<MatrixInstructionsPass>(target);
}

} // namespace gluonc
