//===- Types.h - Types of tensors and buffers, spelled out --------------------===//
#pragma once

#include "sema/builtins/Ops.h"

namespace gluonc::sema::ops {

/// Fields of `gl.distributed_type` and, with the last one, `gl.shared_memory_descriptor_type` and
/// that of tensor memory.
inline constexpr llvm::StringLiteral typeFields[] = {"element_ty", "shape", "layout",
                                                     "alloc_shape"};

/// The type with these fields, three or four. Host code has no kernel to check them against, and
/// keeps them in a named tuple until one is at hand.
std::optional<Value> describedType(Context &context, const BoundArgs &fields);
/// `value` with the tuples that host code made for types turned into them, at any depth.
std::optional<Value> withTypes(Context &context, const Value &value, diag::Span span);

} // namespace gluonc::sema::ops
