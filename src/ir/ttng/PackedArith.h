//===- PackedArith.h - What `ttng.packed_arith` has instructions for ----------===//
//
//   form         chips      elements of result and operands
//   Pairs        sm_100     f32, f16, bf16, all alike; no minimum or maximum of f32
//   MixedPairs   sm_107     f32 with halves, halves from f32, products of different halves
//   Quads        sm_107     8-bit floats and e2m1 into 8-bit floats
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include <optional>

namespace gluonc::ttng {

enum class PackedForm : uint8_t { Pairs, MixedPairs, Quads };

/// Elements of the result that one instruction computes.
unsigned lanesOf(PackedForm form);

/// The form of an instruction for these element types; nullopt where there is none.
std::optional<PackedForm> packedForm(PackedArithOpKind kind, mlir::Type result,
                                     llvm::ArrayRef<mlir::Type> operands);
/// The same for an operation that verifies.
PackedForm packedForm(PackedArithOp op);

/// The dim along which operands of type i8 have half of `shape`; nullopt where none does or they
/// disagree.
std::optional<unsigned> packedAxis(llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<mlir::RankedTensorType> operands);

} // namespace gluonc::ttng
