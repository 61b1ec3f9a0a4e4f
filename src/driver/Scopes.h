//===- Scopes.h - Regions that a kernel names itself ------------------------------===//
#pragma once

#include "target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace gluonc::driver {

/// For a timeline: borders of regions (`pl.scope`) become code of NVIDIA's GPUs. Before the
/// kernel's key is asked for, and before it is transformed. Whether there are any.
bool keepScopes(mlir::ModuleOp ir, const target::Target &target);

} // namespace gluonc::driver
