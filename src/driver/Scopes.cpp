#include "driver/Scopes.h"

#include "ir/Scope.h"

namespace gluonc::driver {

bool keepScopes(mlir::ModuleOp ir) {
  const bool any =
      ir.walk([](gluon::ScopeOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
  if (any)
    ir->setAttr(gluon::tracedAttr, mlir::UnitAttr::get(ir.getContext()));
  return any;
}

} // namespace gluonc::driver
