//===- FitStores.cpp - Stores of more than shared memory holds ----------------------===//
//
// Stores are in the layout that suits their pointers, and sums of products come to it through
// shared memory. Where that has too little room, the store is in the layout of what it stores:
//
//   %y = ttg.convert_layout %x             %q = ttg.convert_layout %p
//   tt.store %p, %y                  =>    tt.store %q, %x
//
// Pointers and masks are then computed in that layout (RemoveConversions.cpp).
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/Encoding.h"
#include "ir/OpenLayouts.h"

using namespace mlir;

namespace gluonc {
namespace {

class FitStoresPass : public PassWrapper<FitStoresPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FitStoresPass)

  explicit FitStoresPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-fit-stores"; }
  llvm::StringRef getDescription() const override {
    return "Store in the layout of the values what shared memory has no room to convert";
  }

  void runOnOperation() override {
    if (choosesLayouts(getOperation()))
      getOperation().walk([&](tt::StoreOp store) { fit(store); });
  }

private:
  void fit(tt::StoreOp store) const {
    auto conversion = store.getValue().getDefiningOp<ttg::ConvertLayoutOp>();
    if (!conversion || isOpen(conversion.getSrc().getType()) ||
        scratchBytesOf(conversion) <= int64_t(target.maxSharedBytes()))
      return;
    Attribute encoding = conversion.getSrc().getType().getEncoding();
    OpBuilder builder(store);
    auto convert = [&](OpOperand &operand) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      operand.set(ttg::ConvertLayoutOp::create(
          builder, store.getLoc(),
          RankedTensorType::get(type.getShape(), type.getElementType(), encoding), operand.get()));
    };
    convert(store.getPtrMutable());
    if (store.getMask())
      convert(store.getMaskMutable()[0]);
    store.getValueMutable().assign(conversion.getSrc());
    if (conversion.use_empty())
      conversion.erase();
  }

  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createFitStoresPass(const target::Target &target) {
  return std::make_unique<FitStoresPass>(target);
}

} // namespace gluonc
