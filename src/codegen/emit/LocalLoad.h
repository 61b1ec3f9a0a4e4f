//===- LocalLoad.h - Loads from shared memory by plain accesses ----------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"

namespace gluonc::codegen {

/// For vendors that have other ways, too, and come back where those do not fit.
mlir::LogicalResult emitLocalLoad(Emitter &emitter, ttg::LocalLoadOp op);

} // namespace gluonc::codegen
