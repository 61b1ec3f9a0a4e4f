//===- Views.h - What slices of shared and of tensor memory have in common ----===//
#pragma once

#include "sema/builtins/shared/Shared.h"

namespace gluonc::sema::ops {

/// `start`, `length` and `dim` of a slice of a buffer. The dim is one of the buffer's; whether the
/// window lies inside is not checked.
struct SliceArguments {
  int64_t start, length;
  size_t dim;
};
std::optional<SliceArguments> sliceArguments(Context &context, const BoundArgs &arguments,
                                             ttg::MemDescType type);

} // namespace gluonc::sema::ops
