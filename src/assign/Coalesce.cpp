//===- Coalesce.cpp - Layouts of accesses to global memory ---------------------===//
//
// See ir/tt/Coalescing.h for the layouts. A load of fewer elements than there are threads
// costs little in any layout, so that the uses of what it loads may decide.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Elements that one atomic instruction updates.
int64_t limitOf(Operation *access) {
  if (isa<tt::AtomicCASOp>(access))
    return 1;
  auto update = dyn_cast<tt::AtomicRMWOp>(access);
  if (!update)
    return std::numeric_limits<int64_t>::max();
  Type element = getElementTypeOrSelf(update.getVal().getType());
  return element.isF16() ? 2 : 1;
}

bool isLarge(Operation *access, RankedTensorType pointers) {
  ThreadCounts threads = ThreadCounts::at(access);
  return !isa<tt::LoadOp>(access) ||
         pointers.getNumElements() >= threads.lanes * threads.warps * threads.ctas;
}

struct CoalescePass : PassWrapper<CoalescePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoalescePass)
  llvm::StringRef getArgument() const override { return "gluonc-coalesce"; }
  llvm::StringRef getDescription() const override {
    return "State layouts of accesses to global memory";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        coalesce(function);
  }

  static void coalesce(tt::FuncOp function) {
    llvm::SmallVector<Operation *> accesses;
    function.getBody().walk([&](Operation *op) {
      Value pointers = pointersOf(op);
      if (pointers && isOpen(pointers.getType()) &&
          isLarge(op, cast<RankedTensorType>(pointers.getType())))
        accesses.push_back(op);
    });
    if (accesses.empty())
      return;
    Coalescing coalescing(function, limitOf);
    llvm::SmallVector<Attribute> encodings;
    for (Operation *access : accesses)
      encodings.push_back(
          fromLayout(access->getContext(), layout::Layout(coalescing.layoutFor(access))));
    for (auto [access, encoding] : llvm::zip_equal(accesses, encodings))
      if (std::optional<assign::OpLayouts> layouts =
              encoding ? assign::settle(access, pointersOf(access), encoding) : std::nullopt)
        assign::state(access, *layouts);
  }
};

} // namespace

std::unique_ptr<Pass> createCoalescePass() { return std::make_unique<CoalescePass>(); }

} // namespace gluonc
