//===- ScaledProducts.cpp - Products with scales by tcgen05 -------------------------===//
//
// The front end makes `tt.dot_scaled` where the chip multiplies so (ir/ttng/ScaledProduct.h):
//
//   %d = tt.dot_scaled %a scale %s, %b scale %u, %c      ==>    %t = ttng.tmem_alloc %s
//                                                               %v = ttng.tmem_alloc %u
//                                                               ttng.tc_gen5_mma_scaled …, %t, %v
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/nvidia/Operands.h"
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/tt/DotScaled.h"
#include "ir/ttng/ScaledProduct.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::shapeOf;

class ScaledProductsPass : public PassWrapper<ScaledProductsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScaledProductsPass)

  explicit ScaledProductsPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-scaled-products"; }
  llvm::StringRef getDescription() const override {
    return "Multiply with scales in tensor memory";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()) || !target.isNvidia())
      return;
    SmallVector<tt::DotScaledOp> dots;
    getOperation().walk([&](tt::DotScaledOp dot) {
      if (isOpen(dot.getD().getType()))
        dots.push_back(dot);
    });
    for (tt::DotScaledOp dot : dots)
      multiply(dot);
  }

private:
  static ttng::ScaledProduct productOf(tt::DotScaledOp dot, bool isContiguousAlongK) {
    return {shapeOf(dot.getD())[0], shapeOf(dot.getD())[1],
            dot.getDepth(),         dot.getAElemType(),
            dot.getBElemType(),     getElementTypeOrSelf(dot.getAScale().getType()),
            dot.getScaleBlock(),    isContiguousAlongK};
  }

  /// Where its operands lie: b as it was loaded, if tensor cores can read it so.
  std::optional<ttng::ScaledOperands> placesOf(tt::DotScaledOp dot, int64_t warps) {
    if (!dot.getAScale() || !dot.getBScale())
      return std::nullopt;
    std::string why;
    bool asLoaded = assign::isFirstDimContiguous(dot.getB());
    auto places = ttng::placesOf(productOf(dot, asLoaded), target, warps, why);
    return places || asLoaded
               ? places
               : ttng::placesOf(productOf(dot, /*isContiguousAlongK=*/true), target, warps, why);
  }

  void multiply(tt::DotScaledOp dot) {
    const int64_t warps = ThreadCounts::at(dot).warps;
    std::optional<ttng::ScaledOperands> places = placesOf(dot, warps);
    // Of IR that is read; the front end asks first.
    if (!places)
      return;
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    std::string why;
    auto registersFor = [&](ttg::MemDescType type) {
      return layout::Layout(*ttng::tensorMemoryRegisters(type, "32x32b", warps, why));
    };
    auto inShared = [&](Value operand, ttg::MemDescType type) {
      layout::NVMMASharedLayout layout =
          cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding()).getValue();
      return assign::inShared(builder, dot, operand, layout.transposed, layout.fp4Padded);
    };
    auto inTensorMemory = [&](Value scale, ttg::MemDescType type) {
      return ttng::TMEMAllocOp::create(builder, loc, type,
                                       assign::convertTo(builder, loc, scale, registersFor(type)))
          .getResult();
    };
    Value a = inShared(dot.getA(), places->a), b = inShared(dot.getB(), places->b);
    Value aScale = inTensorMemory(dot.getAScale(), places->aScale);
    Value bScale = inTensorMemory(dot.getBScale(), places->bScale);
    assign::SumPlace sum =
        assign::placeSum(builder, dot, dot.getC(), places->d, registersFor(places->d));
    Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
    ttng::TCGen5MMAScaledOp::create(builder, loc, Type(), a, b, sum.buffer, Value(), aScale, bScale,
                                    dot.getAElemType(), dot.getBElemType(), sum.adds, yes,
                                    ValueRange(), ValueRange(), /*two_ctas=*/false,
                                    /*multicast=*/false, /*is_async=*/false);
    assign::takeSum(builder, dot, sum);
  }

  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createScaledProductsPass(const target::Target &target) {
  return std::make_unique<ScaledProductsPass>(target);
}

} // namespace gluonc
