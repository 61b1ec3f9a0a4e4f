//===- Buffers.h - AMD: a base and offsets as operands --------------------------===//
#pragma once

#include "sema/builtins/core/Memory.h"

namespace gluonc::sema::ops {

/// What every buffer operation takes: `ptr`, `offsets` and `mask`.
struct BufferOperands {
  Operand pointer, offsets, mask;

  DType element() const { return pointer.value.dtype().pointee(); }
  /// The same for int1, which is a byte in memory.
  DType stored() const { return element().isBool() ? DType(dtypes::int8) : element(); }
  mlir::Value maskIr() const { return isGiven(mask.value) ? mask.value.ir() : mlir::Value(); }
};

/// Reads base, offsets and mask, which agree in shape afterwards.
std::optional<BufferOperands> readBuffer(Context &context, const BoundArgs &arguments);
/// `other` of a load, in the shape of the offsets; nothing where it is not given.
std::optional<mlir::Value> readOther(Context &context, BufferOperands &buffer, Operand other);

} // namespace gluonc::sema::ops
