//===- TensorMemory.h - What loads from tensor memory share --------------------===//
#pragma once

#include "sema/builtins/Emit.h"

namespace gluonc::sema::ops {

/// The type of what a method loads: that of the buffer `tmem` in `layout`, or in a layout of the
/// buffer's own where none is given. Nullopt after a report.
std::optional<mlir::RankedTensorType> loadedType(Context &context, const BoundArgs &arguments,
                                                 llvm::StringRef what);

} // namespace gluonc::sema::ops
