//===- Hopper.h - What the families of asynchronous operations share ----------===//
#pragma once

#include "sema/builtins/shared/Shared.h"

namespace gluonc::sema::ops {

/// A barrier; reports otherwise.
bool barrierArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name);
bool isBarrier(Context &context, const Value &value, diag::Span span, llvm::StringRef name);
/// For operations that always have a predicate.
mlir::Value predicateOrTrue(Context &context, mlir::Value predicate);

} // namespace gluonc::sema::ops
