//===- SayProducts.cpp - By which instructions products are computed -----------===//
#include "assign/Assign.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/Report.h"

using namespace mlir;

namespace gluonc {
namespace {

llvm::StringRef instructionOf(tt::DotOp dot) {
  layout::Layout sum = toLayout(dot.getD().getType().getEncoding());
  if (sum.as<layout::NVMMADistributedLayout>())
    return "mma.sync";
  if (sum.as<layout::AMDMFMALayout>())
    return "MFMA";
  if (sum.as<layout::AMDWMMALayout>())
    return "WMMA";
  if (getElementTypeOrSelf(dot.getA().getType()).isF32() &&
      dot.getInputPrecision() == tt::InputPrecision::IEEE)
    return "scalar instructions, as input_precision=\"ieee\" of float32 has no matrix instruction";
  return "scalar instructions, as no matrix instruction of the chip takes these types and shapes";
}

struct SayProductsPass : PassWrapper<SayProductsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SayProductsPass)

  llvm::StringRef getArgument() const override { return "gluonc-say-products"; }
  llvm::StringRef getDescription() const override {
    return "Say by which instructions matrix products are computed";
  }

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto dot = dyn_cast<tt::DotOp>(op))
        report(diag::Kind::ProductChoice, op->getLoc(), instructionOf(dot));
      else if (isa<ttng::WarpGroupDotOp>(op))
        report(diag::Kind::ProductChoice, op->getLoc(), "wgmma");
    });
  }
};

} // namespace

std::unique_ptr<Pass> createSayProductsPass() { return std::make_unique<SayProductsPass>(); }

} // namespace gluonc
