//===- Views.h - What views of shared and of tensor memory have in common -----===//
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

/// What `dtype`, `shape` and `layout` make of a buffer; each is that of the buffer if not given.
struct Reinterpreted {
  ttg::MemDescType type;
  DType dtype;
};
std::optional<Reinterpreted> reinterpretArguments(Context &context, const BoundArgs &arguments,
                                                  const Value &buffer);

} // namespace gluonc::sema::ops
