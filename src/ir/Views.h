//===- Views.h - How much of shared memory a view covers --------------------===//
#pragma once

#include "ir/Dialects.h"

#include <optional>

namespace gluonc {

/// How many leading dims of a buffer in shared memory its encoding does not speak of: 1 for a ring
/// of buffers, else 0.
size_t ringDims(ttg::MemDescType type);

/// Whether the view leaves out part of what the encoding describes.
bool isSubslice(ttg::MemDescType type);

/// Whether the elements of a view lie one behind the other, nothing between them, in one CTA. True
/// of whole buffers and rings.
bool isContiguous(ttg::MemDescType type);

/// Bytes from the start of `view` that it may be reinterpreted as: those of its elements, and
/// behind one buffer of a ring those of the buffers that follow it. Of which buffer is meant only
/// the program may know; then the whole ring counts. Nullopt where the layout is not known.
std::optional<int64_t> reachableBytes(mlir::Value view);

/// Bytes from the first to the last of a whole buffer or ring.
std::optional<int64_t> footprint(ttg::MemDescType type);

/// Interval and padding in bytes, which a reinterpretation keeps. Empty for other layouts.
llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOf(ttg::MemDescType type);

} // namespace gluonc
