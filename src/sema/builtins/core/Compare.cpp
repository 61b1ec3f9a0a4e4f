//===- Compare.cpp - Comparisons and conditions -------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "support/Error.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;

static llvm::StringRef spelling(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return "==";
  case CompareOp::Ne:
    return "!=";
  case CompareOp::Lt:
    return "<";
  case CompareOp::Le:
    return "<=";
  case CompareOp::Gt:
    return ">";
  case CompareOp::Ge:
    return ">=";
  }
  GL_UNREACHABLE("covered switch");
}

static arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case CompareOp::Eq:
    return P::eq;
  case CompareOp::Ne:
    return P::ne;
  case CompareOp::Lt:
    return isSigned ? P::slt : P::ult;
  case CompareOp::Le:
    return isSigned ? P::sle : P::ule;
  case CompareOp::Gt:
    return isSigned ? P::sgt : P::ugt;
  case CompareOp::Ge:
    return isSigned ? P::sge : P::uge;
  }
  GL_UNREACHABLE("covered switch");
}

/// Ordered, but for `!=`: a NaN differs from everything and is in no order.
static arith::CmpFPredicate floatPredicate(CompareOp op) {
  using P = arith::CmpFPredicate;
  switch (op) {
  case CompareOp::Eq:
    return P::OEQ;
  case CompareOp::Ne:
    return P::UNE;
  case CompareOp::Lt:
    return P::OLT;
  case CompareOp::Le:
    return P::OLE;
  case CompareOp::Gt:
    return P::OGT;
  case CompareOp::Ge:
    return P::OGE;
  }
  GL_UNREACHABLE("covered switch");
}

Result compare(Context &context, CompareOp op, const Value &lhsValue, const Value &rhsValue,
               diag::Span lhsSpan, diag::Span rhsSpan) {
  Operand lhs{lhsValue, lhsSpan}, rhs{rhsValue, rhsSpan};
  std::optional<DType> dtype = promotedType(context, spelling(op), Promotion::Typed, lhs, rhs);
  if (!dtype)
    return std::nullopt;
  if (dtype->isFp8()) {
    context.report(diag::Kind::NoArithmetic, context.span, spelling(op), *dtype)
        .hint("cast to float16 or float32 first");
    return std::nullopt;
  }
  if (!promote(context, spelling(op), Promotion::Typed, lhs, rhs))
    return std::nullopt;
  mlir::Value l = lhs.value.ir(), r = rhs.value.ir();
  mlir::Value result =
      dtype->isFloat()
          ? context.builder.createOrFold<arith::CmpFOp>(context.loc(), floatPredicate(op), l, r)
          : context.builder.createOrFold<arith::CmpIOp>(
                context.loc(), intPredicate(op, dtype->isSignedInt()), l, r);
  return tensor(result, dtypes::int1);
}

Result condition(Context &context, const Value &value, diag::Span span) {
  Result scalar = materialize(context, value, span);
  if (!scalar)
    return std::nullopt;
  if (scalar->isBlock()) {
    mlir::RankedTensorType type = scalar->blockTensorType();
    if (type.getNumElements() != 1) {
      context.report(diag::Kind::AmbiguousCondition, span, shapeText(type.getShape()))
          .hint("reduce it to a scalar, or use `gl.where`");
      return std::nullopt;
    }
    context.report(diag::Kind::BlockCondition, span).end();
    scalar = unsplat(context, *scalar);
  }
  return castTensor(context, *scalar, dtypes::int1, span);
}

} // namespace gluonc::sema::ops
