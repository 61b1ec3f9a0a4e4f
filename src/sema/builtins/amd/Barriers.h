//===- Barriers.h - AMD: barriers in LDS as operands ----------------------------===//
#pragma once

#include "sema/builtins/shared/Shared.h"

namespace gluonc::sema::ops {

/// A buffer of one int64; reports otherwise.
bool ldsBarrierArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name);

} // namespace gluonc::sema::ops
