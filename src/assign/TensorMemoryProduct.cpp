#include "assign/TensorMemoryProduct.h"

#include "ir/ttng/TensorMemoryRules.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gluonc::assign {

Operation *outermost(Operation *op) {
  while (!isa<tt::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

int64_t tensorColumnsOf(Operation *op) {
  llvm::SetVector<ttng::TMEMAllocOp> allocs;
  op->walk([&](Operation *inner) {
    if (auto alloc = dyn_cast<ttng::TMEMAllocOp>(inner))
      allocs.insert(alloc);
    for (Value operand : inner->getOperands())
      if (auto alloc = operand.getDefiningOp<ttng::TMEMAllocOp>())
        allocs.insert(alloc);
  });
  int64_t columns = 0;
  for (ttng::TMEMAllocOp alloc : allocs)
    columns += ttng::columnsOfBuffer(alloc.getResult().getType());
  return columns;
}

} // namespace gluonc::assign
