//===- Flatten.h - Values as lists of SSA values -------------------------------===//
#pragma once

#include "sema/value/Value.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::sema {

/// Appends the IR inside `value`, depth first. Compile-time parts contribute nothing.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out);
/// Whether that is all the IR in it; a list, for one, keeps its items to itself.
bool canFlatten(const Value &value);
/// `model` with its IR replaced by the front of `values`, which is consumed.
Value unflatten(const Value &model, llvm::ArrayRef<mlir::Value> &values);
/// Can one variable hold either? Compile-time parts must be equal.
bool sameType(const Value &a, const Value &b);
/// "int32", "fp32[128] in …", "the constexpr 4": for messages about types that differ.
std::string describe(const Value &value);

} // namespace gluonc::sema
