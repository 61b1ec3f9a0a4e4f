//===- Shared.h - Types of buffers in shared memory ----------------------------===//
#pragma once

#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {

inline ttg::MemDescType bufferType(const Value &buffer) {
  return mlir::cast<ttg::MemDescType>(buffer.irType());
}
/// The layout of a buffer, one of the shared ones.
layout::Layout bufferLayout(const Value &buffer);
/// A memory descriptor of shared memory.
bool bufferArgument(Context &, const BoundArgs &, llvm::StringRef name);
/// One buffer and no part of a ring: the layout has as many dimensions as the descriptor.
bool checkSingleBuffer(Context &context, const Value &buffer, diag::Span span,
                       llvm::StringRef what);

/// One buffer of a ring, in shared or tensor memory.
Result indexBuffer(Context &context, const Value &buffer, const Operand &index);

/// The type of a whole buffer after checking that elements, shape and layout go together. The
/// layout may lack the first dimension, which then counts the buffers of a ring.
struct BufferRequest {
  DType dtype;
  diag::Span dtypeSpan;
  llvm::ArrayRef<int64_t> shape;
  diag::Span shapeSpan;
  Value layout;
  diag::Span layoutSpan;
  bool inTensorMemory = false;
};
std::optional<ttg::MemDescType> wholeBufferType(Context &context, BufferRequest request);

} // namespace gluonc::sema::ops
