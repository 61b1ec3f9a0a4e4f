//===- InlineAnything.h - What the inliner may do with our operations -------===//
#pragma once

#include "ir/Dialects.h"

#include "mlir/Transforms/InliningUtils.h"

namespace gluonc {

/// Everything of ours may be inlined into anything; which calls stay is for the pass to say.
struct InlineAnything : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Operation *, mlir::Operation *, bool) const override { return true; }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const override {
    return true;
  }

  void handleTerminator(mlir::Operation *op, mlir::Block *next) const override {
    mlir::OpBuilder builder(op);
    mlir::cf::BranchOp::create(builder, op->getLoc(), next, op->getOperands());
    op->erase();
  }
  void handleTerminator(mlir::Operation *op, mlir::ValueRange toReplace) const override {
    for (auto [old, value] : llvm::zip_equal(toReplace, op->getOperands()))
      old.replaceAllUsesWith(value);
  }
};

} // namespace gluonc
