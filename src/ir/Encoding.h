//===- Encoding.h - Encodings as layouts, layouts as encodings --------------===//
//
// An encoding attribute wraps a layout::Layout, so both directions are cheap.
// The linear layout of a type is computed once per context and kept: passes ask
// for the same few types thousands of times.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "layout/plan/Conversion.h"

#include <optional>

namespace gluonc {

/// The attribute of a layout. Null if the layout does not validate.
mlir::Attribute fromLayout(mlir::MLIRContext *context, const layout::Layout &layout);

/// The layout of an encoding; nullopt for attributes that wrap none.
std::optional<layout::Layout> layoutOf(mlir::Attribute encoding);
/// The same for an encoding that is known to wrap one.
layout::Layout toLayout(mlir::Attribute encoding);
/// What names of an encoding at the top of a listing begin with; empty for those without names.
llvm::StringRef encodingAlias(mlir::Attribute encoding);

/// Where the elements of a verified tensor type live: register, lane, warp, block -> dim0, dim1, …
/// The reference lives as long as the context.
const layout::LinearLayout &toLinear(mlir::RankedTensorType type);
/// Offset, block -> dims, of one buffer of the allocation that `type` views (the leading dims of a
/// ring of buffers are dropped).
const layout::LinearLayout &toLinear(ttg::MemDescType type);
/// The same for types that nobody has verified: null where there is no linear layout.
const layout::LinearLayout *linearOrNull(mlir::RankedTensorType type);
const layout::LinearLayout *linearOrNull(ttg::MemDescType type);

/// How the conversion is done; what allocation sizes is what code generation emits. Computed once
/// per pair of types.
const layout::ConversionPlan &planOf(ttg::ConvertLayoutOp op);

/// Bits that an element takes in registers; pointers take 64.
unsigned elementBits(mlir::Type element);
/// Bytes that an element takes in shared memory; i1 takes one.
unsigned elementBytes(mlir::Type element);

} // namespace gluonc
