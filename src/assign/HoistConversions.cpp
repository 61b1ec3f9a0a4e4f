//===- HoistConversions.cpp - Operands of products are read from shared memory -----===//
//
// A loop that copies blocks ahead reads them from shared memory in any layout for nothing.
// Where a product takes what was computed from such a block, the computation is in the
// layout of the operand:
//
//   %x = tt.load %p                        %x = tt.load %p
//   %y = arith.mulf %x, %f          =>     %z = ttg.convert_layout %x
//   %z = ttg.convert_layout %y             %y = arith.mulf %z, %g
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Fetch.h"
#include "assign/Recompute.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "target/Features.h"

using namespace mlir;

namespace gluonc {
namespace {

class HoistConversionsPass : public PassWrapper<HoistConversionsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistConversionsPass)

  explicit HoistConversionsPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-hoist-conversions"; }
  llvm::StringRef getDescription() const override {
    return "Compute on what loops copy ahead in the layouts of the products that take it";
  }

  void runOnOperation() override {
    bool copies = target::has(target, target::Feature::AsyncCopy) ||
                  target::has(target, target::Feature::AsyncLds);
    if (!choosesLayouts(getOperation()) || !copies)
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        if (assign::stagesOf(loop) > 1 && ThreadCounts::at(loop).ctas == 1)
          hoist(function, loop);
      assign::eraseUnused(function);
    }
  }

private:
  static void hoist(tt::FuncOp function, scf::ForOp loop) {
    AxisInfos facts(function);
    std::optional<assign::Fetch> fetch = assign::findFetch(loop, facts);
    if (!fetch)
      return;
    SmallVector<ttg::ConvertLayoutOp> conversions;
    for (auto conversion : loop.getOps<ttg::ConvertLayoutOp>())
      if (isa<ttg::DotOperandEncodingAttr>(conversion.getType().getEncoding()) &&
          !fetch->copyOf(conversion.getSrc()))
        conversions.push_back(conversion);
    for (ttg::ConvertLayoutOp conversion : conversions) {
      // Narrower elements lie in other runs than the operand wants.
      assign::Costs costs;
      for (const assign::Copy &copy : fetch->copies)
        if (elementBytes(getElementTypeOrSelf(copy.load->getResult(0).getType())) >=
            elementBytes(conversion.getType().getElementType()))
          costs.readInAnyLayout(copy.load);
      assign::Recompute recompute(costs, conversion);
      if (!recompute.plan())
        continue;
      recompute.apply();
      conversion.erase();
    }
  }

  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createHoistConversionsPass(const target::Target &target) {
  return std::make_unique<HoistConversionsPass>(target);
}

} // namespace gluonc
