#include "sema/builtins/core/Overflow.h"

#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;

static constexpr llvm::StringLiteral isCheckAttr = "gluon.overflow_check";

/// What Triton calls the operation; empty for others.
static llvm::StringRef nameOf(mlir::Operation *op) {
  return llvm::isa_and_present<arith::AddIOp>(op)   ? "add"
         : llvm::isa_and_present<arith::SubIOp>(op) ? "sub"
         : llvm::isa_and_present<arith::MulIOp>(op) ? "mul"
                                                    : "";
}

void assertNoOverflow(Context &context, const Value &result) {
  if (!context.options.debug || !context.options.sanitizeOverflow || !result.isTensor())
    return;
  DType dtype = result.dtype();
  mlir::Operation *op = result.ir().getDefiningOp();
  llvm::StringRef name = nameOf(op);
  // What folds is older, or computed already.
  bool isNew = !name.empty() && op->getBlock() == context.builder.getInsertionBlock() &&
               std::next(op->getIterator()) == context.builder.getInsertionPoint();
  if (!isNew || !dtype.isSignedInt() || dtype.bitWidth() > 32)
    return;
  mlir::OpBuilder &builder = context.builder;
  mlir::Location loc = context.loc();
  mlir::Type wide = typeWithElement(context, op->getResult(0).getType(), dtypes::int64);
  auto widened = [&](mlir::Value value) -> mlir::Value {
    return arith::ExtSIOp::create(builder, loc, wide, value);
  };
  mlir::Operation *exact =
      builder.create(loc, op->getName().getIdentifier(),
                     {widened(op->getOperand(0)), widened(op->getOperand(1))}, wide);
  mlir::Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                           exact->getResult(0), widened(op->getResult(0)));
  auto check = tt::AssertOp::create(builder, loc, fits,
                                    "int" + std::to_string(dtype.bitWidth()) +
                                        " overflow detected for operation " + name.str());
  check->setAttr(isCheckAttr, builder.getUnitAttr());
}

void dropOverflowChecks(mlir::Region &region) {
  llvm::SmallVector<mlir::Operation *> checks;
  region.walk([&](tt::AssertOp op) {
    if (op->hasAttr(isCheckAttr))
      checks.push_back(op);
  });
  for (mlir::Operation *check : checks)
    check->erase();
}

} // namespace gluonc::sema::ops
