//===- DropUnitDims.cpp - Blocks of descriptors as products take them ---------------===//
//
// A block of one matrix of many is loaded as that matrix, so that products take it from where it
// was copied to:
//
//   %x = tt.descriptor_load %d[%b, %m, %k] : … -> tensor<1x64x64xf16>
//   %y = tt.reshape %x : … -> tensor<64x64xf16>
//                                   =>
//   %y = tt.descriptor_load %d[%b, %m, %k] : … -> tensor<64x64xf16>
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"
#include "ir/tt/DescriptorAccess.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Matrices are what products and the layouts of their buffers are for.
constexpr size_t leastDims = 2;

struct DropUnitDimsPass : PassWrapper<DropUnitDimsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropUnitDimsPass)
  llvm::StringRef getArgument() const override { return "gluonc-drop-unit-dims"; }
  llvm::StringRef getDescription() const override {
    return "Load blocks of descriptors without the leading dims of one that are reshaped away";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    llvm::SmallVector<tt::DescriptorLoadOp> loads;
    getOperation().walk([&](tt::DescriptorLoadOp load) { loads.push_back(load); });
    for (tt::DescriptorLoadOp load : loads)
      if (auto type = typeWanted(load)) {
        for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
          user->replaceAllUsesWith(load);
          user->erase();
        }
        load.getResult().setType(type);
      }
  }

  /// What all that use the block reshape it to, if only leading dims of one are missing.
  static RankedTensorType typeWanted(tt::DescriptorLoadOp load) {
    RankedTensorType type;
    for (Operation *user : load->getUsers()) {
      auto reshape = dyn_cast<tt::ReshapeOp>(user);
      if (!reshape || (type && reshape.getType() != type))
        return {};
      type = reshape.getType();
    }
    if (!type || !isOpen(type) || !isOpen(load.getType()))
      return {};
    ArrayRef<int64_t> all = load.getType().getShape(), wanted = type.getShape();
    bool fits = wanted.size() >= leastDims && wanted.size() < all.size() &&
                all.take_back(wanted.size()) == wanted;
    return fits ? type : RankedTensorType();
  }
};

} // namespace

std::unique_ptr<Pass> createDropUnitDimsPass() { return std::make_unique<DropUnitDimsPass>(); }

} // namespace gluonc
