//===- CtaShares.h - What CTAs of a cluster have of each tensor -----------------===//
//
// Products decide: each CTA computes rows, or rows and columns, of the sum, loads what
// it multiplies, and stores what it computed, so that nothing goes from one CTA to
// another. Where the sum has too little for all of them, some compute the same.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "layout/named/Layouts.h"

#include "llvm/ADT/DenseMap.h"

namespace gluonc::assign {

/// How `ctas` CTAs share the sum of `dot`, as `cga_layout` says it; empty for one.
layout::BasisList sharesOf(tt::DotOp dot, int64_t ctas);

/// Those of an operand: CTAs that differ along the other's dim have the same of it.
layout::BasisList sharesOfOperand(layout::BasisList sum, unsigned index);

/// What is left to each CTA.
layout::Ints shareOf(llvm::ArrayRef<int64_t> shape, const layout::BasisList &bases);

/// Registers for `type` of which CTAs have those parts.
layout::Layout registersSharedAs(mlir::RankedTensorType type, const layout::BasisList &bases,
                                 mlir::Operation *place);

/// How CTAs share a tensor or a buffer.
layout::BasisList sharesOf(mlir::Type type);
/// Whether each CTA has the same part of both, tensors or buffers.
bool areSharedAlike(mlir::Type one, mlir::Type other);

class CtaShares {
public:
  explicit CtaShares(tt::FuncOp function);

  /// What products want of a load, a store or an atomic; null where none has to do with it.
  const layout::BasisList *of(mlir::Operation *access) const {
    auto entry = shares.find(access);
    return entry == shares.end() ? nullptr : &entry->second;
  }

private:
  llvm::DenseMap<mlir::Operation *, layout::BasisList> shares;
};

} // namespace gluonc::assign
