//===- SayProducts.cpp - By which instructions products are computed -----------===//
#include "assign/Assign.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "target/Features.h"

using namespace mlir;

namespace gluonc {
namespace {

std::string instructionOf(tt::DotOp dot, const target::Target &target) {
  layout::Layout sum = toLayout(dot.getD().getType().getEncoding());
  bool hasTensorMemory = target::has(target, target::Feature::TensorMemory);
  if (sum.as<layout::NVMMADistributedLayout>())
    return hasTensorMemory
               ? "mma.sync, not tcgen05, as " +
                     assign::whyNoTensorMemoryProduct(dot, target, ThreadCounts::at(dot))
               : "mma.sync";
  if (sum.as<layout::AMDMFMALayout>())
    return "MFMA";
  if (sum.as<layout::AMDWMMALayout>())
    return "WMMA";
  if (getElementTypeOrSelf(dot.getA().getType()).isF32() &&
      dot.getInputPrecision() == tt::InputPrecision::IEEE)
    return "scalar instructions, as input_precision=\"ieee\" of float32 has no matrix instruction";
  return "scalar instructions, as no matrix instruction of the chip takes these types and shapes";
}

class SayProductsPass : public PassWrapper<SayProductsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SayProductsPass)

  explicit SayProductsPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-say-products"; }
  llvm::StringRef getDescription() const override {
    return "Say by which instructions matrix products are computed";
  }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto dot = dyn_cast<tt::DotOp>(op))
        report(diag::Kind::ProductChoice, op->getLoc(), instructionOf(dot, target));
      else if (isa<ttng::WarpGroupDotOp>(op))
        report(diag::Kind::ProductChoice, op->getLoc(), "wgmma");
      else if (isa<ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(op))
        report(diag::Kind::ProductChoice, op->getLoc(), "tcgen05");
    });
  }

private:
  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createSayProductsPass(const target::Target &target) {
  return std::make_unique<SayProductsPass>(target);
}

} // namespace gluonc
