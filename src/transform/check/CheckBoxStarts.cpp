//===- CheckBoxStarts.cpp -----------------------------------------------------===//
//
// Problem: the copy engine stops a GPU's kernel ("illegal instruction") where a box
// begins between the 16-byte units of a row, or where a store begins before the tensor
// does. Where the text says so, warn:
//
//   async_tma_copy … [%row, 4], … 64x64xf16      warning: the box begins at element 4
//                                                of the last dim, byte 8 of a row; …
//
// The simulator checks those that only a run tells (BoxMisaligned, BoxBeforeTensor).
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "target/nvidia/BoxCopies.h"
#include "transform/Pipeline.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

void check(Operation *op, const BoxCopy &copy) {
  llvm::APInt start;
  for (auto [dim, coordinate] : llvm::enumerate(copy.start))
    if (copy.writesTensor && matchPattern(coordinate, m_ConstantInt(&start)) && start.isNegative())
      report(Kind::BoxStartBeforeTensor, op->getLoc(), start.getSExtValue(), copy.firstDim + dim);
  if (copy.start.empty() || !matchPattern(copy.start.back(), m_ConstantInt(&start)))
    return;
  auto buffer = cast<ttg::MemDescType>(copy.buffer.getType());
  int64_t byte = start.getSExtValue() * elementBytes(buffer.getElementType());
  if (byte % target::nvidia::tma::unitBytes != 0)
    report(Kind::BoxStartMisaligned, op->getLoc(), start.getSExtValue(), byte);
}

struct CheckBoxStartsPass : PassWrapper<CheckBoxStartsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckBoxStartsPass)
  llvm::StringRef getArgument() const override { return "gluonc-check-box-starts"; }
  llvm::StringRef getDescription() const override {
    return "Warn of bulk copies that begin where a GPU does not";
  }

  void runOnOperation() override {
    getOperation().walk([](OnChipMemoryOpInterface op) {
      if (std::optional<BoxCopy> copy = op.getBoxCopy())
        check(op, *copy);
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createCheckBoxStartsPass() { return std::make_unique<CheckBoxStartsPass>(); }

} // namespace gluonc
