//===- Descriptors.h - Tensor descriptors of both vendors -----------------------===//
#pragma once

#include "sema/builtins/Emit.h"

namespace gluonc::sema::ops {

/// int32 scalars of a list; any number of them where `count` is 0.
std::optional<llvm::SmallVector<mlir::Value>>
coordinates(Context &context, const BoundArgs &arguments, llvm::StringRef name, size_t count);

/// Numbers and scalars of a list, as `dtype`.
std::optional<std::vector<Value>> scalars(Context &context, const BoundArgs &arguments,
                                          llvm::StringRef name, size_t count, DType dtype);

} // namespace gluonc::sema::ops
