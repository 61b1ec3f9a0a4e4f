#include "lift/ops/Handlers.h"

namespace gluonc::lift {

Handler handlerOf(mlir::Operation *op) {
  static const HandlerTable table = [] {
    HandlerTable made;
    for (auto add : {addArithmetic, addConversions, addMath, addShape, addMemory, addAtomics,
                     addBuffers, addCopyEngine, addProducts, addTensorMemory, addFunctions})
      add(made);
    return made;
  }();
  return table.lookup(op->getName().getStringRef());
}

} // namespace gluonc::lift
