//===- Barriers.h - What barriers of both vendors share -------------------------===//
#pragma once

#include "sema/builtins/Emit.h"

namespace gluonc::sema::ops {

/// A compile-time integer from `least` to `most`.
std::optional<int64_t> countArgument(Context &context, const BoundArgs &arguments,
                                     llvm::StringRef name, int64_t least, int64_t most);
/// Whether the kernel is one for several CTAs; reports otherwise.
bool checkCluster(Context &context, llvm::StringRef what);

} // namespace gluonc::sema::ops
