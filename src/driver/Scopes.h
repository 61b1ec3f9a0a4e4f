//===- Scopes.h - Regions that a kernel names itself ------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace gluonc::driver {

/// For a timeline: borders of regions (`pl.scope`) become code. Before the kernel's key is asked
/// for, and before it is transformed. Whether there are any.
bool keepScopes(mlir::ModuleOp ir);

} // namespace gluonc::driver
