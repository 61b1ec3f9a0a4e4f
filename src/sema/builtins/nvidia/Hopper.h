//===- Hopper.h - What the families of asynchronous operations share ----------===//
#pragma once

#include "sema/builtins/shared/Barriers.h"
#include "sema/builtins/shared/Shared.h"

namespace gluonc::sema::ops {

/// A barrier; reports otherwise.
bool barrierArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name);
bool isBarrier(Context &context, const Value &value, diag::Span span, llvm::StringRef name);
/// A tensor descriptor as `tensor_desc`, tiled or of im2col; reports otherwise.
bool descriptorArgument(Context &context, const BoundArgs &arguments, bool isIm2Col);
/// Whether several CTAs hold the same block: only then one copy serves many.
bool isShared(const Value &buffer);
/// For operations that always have a predicate.
mlir::Value predicateOrTrue(Context &context, mlir::Value predicate);

} // namespace gluonc::sema::ops
