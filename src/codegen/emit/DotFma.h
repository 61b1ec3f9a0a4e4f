//===- DotFma.h - Matrix products without tensor cores ----------------------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"

namespace gluonc::codegen {

/// A dot whose accumulator lies in a blocked layout.
mlir::LogicalResult emitDotFma(Emitter &emitter, tt::DotOp op);

} // namespace gluonc::codegen
