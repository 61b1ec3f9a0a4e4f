//===- Captures.h - What partitions capture -----------------------------------===//
#pragma once

#include "mlir/IR/Value.h"

namespace gluonc::ttg {

/// How many values of up to eight bytes travel through shared memory for a capture of a
/// `ttg.warp_specialize`: none for arguments of the kernel, which all warps have.
int64_t placesOfCapture(mlir::Value capture);

} // namespace gluonc::ttg
