//===- AmdOps.h - The operations of the amdg dialect --------------------------===//
//
// Operations of AMD's chips. Not part of Dialects.h: few files need them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include "ir/AMDGDialect.h.inc"

namespace gluonc::amdg {

/// The pointer to the elements of a tensor.
mlir::Type bufferPointer(mlir::Type values);
/// i32 in the shape and encoding of a tensor.
mlir::Type bufferOffsets(mlir::Type values);

} // namespace gluonc::amdg

#define GET_OP_CLASSES
#include "ir/AMDGOps.h.inc"
