//===- Settle.h - The layouts of one operation ---------------------------------===//
//
// One layout of an operation decides its others, as the operation says
// (LayoutFlowOpInterface). `settle` asks it, and answers only with what the operation
// can be built with.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/OpenLayouts.h"

namespace gluonc::assign {

/// Encodings of the operands and results of an operation. Null: none, or any.
struct OpLayouts {
  llvm::SmallVector<mlir::Attribute, 4> operands, results;

  /// That of the first result that has one, else of the first operand.
  mlir::Attribute first() const;
};

/// `type` with another encoding.
mlir::RankedTensorType withEncoding(mlir::Type type, mlir::Attribute encoding);

/// The layout of a tensor at `place` that nothing else decides: lanes and warps along the last dim
/// first, `perThread` neighbours in each thread. Null where the type has none.
mlir::Attribute defaultEncoding(mlir::Type type, mlir::Operation *place, int64_t perThread = 1);

/// Whether the layouts of the operands and results of `op` depend on each other.
bool ties(mlir::Operation *op);

/// Whether `op` has tensors, all of them results, and can be made anew in any layout for nothing.
bool isMadeAnywhere(mlir::Operation *op);

/// The layouts of `op`, which ties, where its operand or result `from` has this one; nullopt where
/// that decides too little, or the operation cannot have such layouts. Stated tensors keep theirs,
/// unless the operation is to be made `anew`.
std::optional<OpLayouts> settle(mlir::Operation *op, mlir::Value from, mlir::Attribute encoding,
                                bool anew = false);

/// The layouts that tensors of `op` with stated ones decide, if there are any.
std::optional<OpLayouts> settleStated(mlir::Operation *op);

/// The layouts of `op`, which ties, where nothing is known of its operands or results.
OpLayouts settleByDefault(mlir::Operation *op);

/// States the layouts of `op`: conversions of its open operands to them, and of its results back.
void state(mlir::Operation *op, const OpLayouts &layouts);

/// A copy of `op`, of one result that takes any layout, with this one.
mlir::Operation *makeIn(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Attribute encoding);

/// The user, or the outermost loop around it outside of which `value` is.
mlir::Operation *placeFor(mlir::Value value, mlir::Operation *user);

/// A conversion of `value` for `user`: before it, or before the loops around it that `value` does
/// not change in. What can be made in any layout is made anew.
mlir::Value convertFor(mlir::Value value, mlir::Attribute encoding, mlir::Operation *user);

/// Erases pure operations that nothing uses.
void eraseUnused(mlir::Operation *function);

} // namespace gluonc::assign
