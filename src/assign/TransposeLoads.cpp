//===- TransposeLoads.cpp - Operands of products, loaded as they are needed ------===//
//
// A product takes a transposed block from where it was loaded to. Addresses are transposed
// instead, which moves nothing:
//
//   %x = tt.load %p                     %q = tt.trans %p
//   %y = tt.trans %x             =>     %y = tt.load %q
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Products.h"
#include "ir/OpenLayouts.h"

#include "llvm/ADT/SetVector.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gluonc {
namespace {

struct TransposeLoadsPass : PassWrapper<TransposeLoadsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransposeLoadsPass)
  llvm::StringRef getArgument() const override { return "gluonc-transpose-loads"; }
  llvm::StringRef getDescription() const override {
    return "Load operands of products transposed where they are transposed";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    llvm::SmallVector<tt::TransOp> candidates;
    getOperation().walk([&](tt::TransOp trans) { candidates.push_back(trans); });
    for (tt::TransOp trans : candidates) {
      auto load = trans.getSrc().getDefiningOp<tt::LoadOp>();
      if (load && isOpen(load.getType()) && isOpen(trans.getType()) && load->hasOneUse() &&
          load->getBlock() == trans->getBlock() && isReadOnly(load.getPtr()) && feedsProduct(trans))
        transpose(load, trans);
    }
  }

  /// What a thread stores it loads itself, by the same addresses.
  static bool isReadOnly(Value pointers) {
    return llvm::all_of(pointers.getUsers(), [](Operation *user) {
      return isMemoryEffectFree(user) || isa<tt::LoadOp>(user);
    });
  }

  /// Whether only products take it, as an operand, perhaps computed on.
  static bool feedsProduct(Value value) {
    llvm::SetVector<Value> pending;
    pending.insert(value);
    for (size_t i = 0; i < pending.size(); ++i)
      for (OpOperand &use : pending[i].getUses()) {
        Operation *user = use.getOwner();
        if (assign::isProduct(user) && use.getOperandNumber() < 2)
          continue;
        if (assign::isProduct(user) || !user->hasTrait<OpTrait::Elementwise>())
          return false;
        pending.insert_range(user->getResults());
      }
    return true;
  }

  static void transpose(tt::LoadOp load, tt::TransOp trans) {
    OpBuilder builder(load);
    for (OpOperand &operand : load->getOpOperands()) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      RankedTensorType turned =
          trans.getType().clone(trans.getType().getShape(), type.getElementType());
      // What takes the place of masked-off elements stays a constant: of zeros copies know.
      if (SplatElementsAttr splat; matchPattern(operand.get(), m_Constant(&splat))) {
        operand.set(
            arith::ConstantOp::create(builder, load.getLoc(), turned, splat.resizeSplat(turned)));
        continue;
      }
      operand.set(tt::TransOp::create(builder, trans.getLoc(), turned, operand.get(),
                                      trans.getOrderAttr()));
    }
    load.getResult().setType(trans.getType());
    trans.replaceAllUsesWith(load.getResult());
    trans.erase();
  }
};

} // namespace

std::unique_ptr<Pass> createTransposeLoadsPass() { return std::make_unique<TransposeLoadsPass>(); }

} // namespace gluonc
