//===- Arithmetic.cpp - Binary, unary and boolean operators -------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "support/Error.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;

static llvm::StringRef spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::FloorDiv:
    return "//";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::And:
    return "&";
  case BinaryOp::Or:
    return "|";
  case BinaryOp::Xor:
    return "^";
  case BinaryOp::Shl:
    return "<<";
  case BinaryOp::Shr:
    return ">>";
  case BinaryOp::Pow:
    return "**";
  case BinaryOp::MatMul:
    return "@";
  }
  GL_UNREACHABLE("covered switch");
}

static Promotion promotionOf(BinaryOp op) {
  if (op == BinaryOp::Div)
    return Promotion::Division;
  return op == BinaryOp::FloorDiv || op == BinaryOp::Mod ? Promotion::Integral : Promotion::Plain;
}

/// Whether the operator takes integers only.
static bool isIntegral(BinaryOp op) {
  switch (op) {
  case BinaryOp::FloorDiv:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor:
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return true;
  default:
    return false;
  }
}

template <typename Op> static mlir::Value emit(Context &context, mlir::Value l, mlir::Value r) {
  // Folds such as x * 1 look for the constant on the right.
  if (Op::template hasTrait<mlir::OpTrait::IsCommutative>() && l.getDefiningOp<arith::ConstantOp>())
    std::swap(l, r);
  return context.builder.createOrFold<Op>(context.loc(), l, r);
}

template <typename IntOp, typename FloatOp>
static mlir::Value emitEither(Context &context, DType dtype, mlir::Value l, mlir::Value r) {
  return dtype.isFloat() ? emit<FloatOp>(context, l, r) : emit<IntOp>(context, l, r);
}

/// The operation on two tensors of one type. `leftSigned` is of the left operand as written.
static mlir::Value emitBinary(Context &context, BinaryOp op, DType dtype, bool leftSigned,
                              mlir::Value l, mlir::Value r) {
  bool isSigned = dtype.isSignedInt();
  switch (op) {
  case BinaryOp::Add:
    return emitEither<arith::AddIOp, arith::AddFOp>(context, dtype, l, r);
  case BinaryOp::Sub:
    return emitEither<arith::SubIOp, arith::SubFOp>(context, dtype, l, r);
  case BinaryOp::Mul:
    return emitEither<arith::MulIOp, arith::MulFOp>(context, dtype, l, r);
  case BinaryOp::Div:
    return emit<arith::DivFOp>(context, l, r);
  case BinaryOp::FloorDiv:
    return isSigned ? emit<arith::DivSIOp>(context, l, r) : emit<arith::DivUIOp>(context, l, r);
  case BinaryOp::Mod:
    if (dtype.isFloat())
      return emit<arith::RemFOp>(context, l, r);
    return isSigned ? emit<arith::RemSIOp>(context, l, r) : emit<arith::RemUIOp>(context, l, r);
  case BinaryOp::And:
    return emit<arith::AndIOp>(context, l, r);
  case BinaryOp::Or:
    return emit<arith::OrIOp>(context, l, r);
  case BinaryOp::Xor:
    return emit<arith::XOrIOp>(context, l, r);
  case BinaryOp::Shl:
    return emit<arith::ShLIOp>(context, l, r);
  case BinaryOp::Shr:
    return leftSigned ? emit<arith::ShRSIOp>(context, l, r) : emit<arith::ShRUIOp>(context, l, r);
  case BinaryOp::Pow:
  case BinaryOp::MatMul:
    break;
  }
  GL_UNREACHABLE("operator without tensor form");
}

static std::nullopt_t refuse(Context &context, BinaryOp op, const Operand &lhs, const Operand &rhs,
                             llvm::StringRef hint = "") {
  diag::Builder builder = context.report(diag::Kind::BadOperands, context.span, spelling(op),
                                         lhs.value.typeName(), rhs.value.typeName());
  if (!hint.empty())
    std::move(builder).hint(hint);
  return std::nullopt;
}

static bool isPointer(const Operand &operand) {
  return operand.value.isTensor() && operand.value.dtype().isPointer();
}

Result addPointer(Context &context, const Operand &pointer, const Operand &offset, bool subtract) {
  BinaryOp op = subtract ? BinaryOp::Sub : BinaryOp::Add;
  if (!offset.isNumber() && !offset.value.isTensor())
    return refuse(context, op, pointer, offset);
  if (!offset.dtype().isInt())
    return refuse(context, op, pointer, offset, "an offset is an integer number of elements");
  Operand base = pointer, distance = offset;
  if (offset.isNumber()) {
    // A fresh constant of the pointer's shape.
    std::optional<DType> dtype = numberType(offset.value);
    if (!dtype)
      return materialize(context, offset);
    Value number = subtract ? Value::integer(-offset.value.asApInt().sext(65)) : offset.value;
    mlir::Type type = typeWithElement(context, base.value.irType(), *dtype);
    distance.value = tensor(numberConstant(context, number, *dtype, type), *dtype);
  }
  // Offsets are sign-extended when addresses are computed, so small unsigned ones grow first.
  DType dtype = distance.value.dtype();
  if (dtype.isUnsignedInt() && dtype.bitWidth() < 64)
    distance.value = *castTensor(context, distance.value, dtypes::int64, offset.span);
  if (subtract && !offset.isNumber()) {
    mlir::Value zero = intConstant(context, distance.value.irType(), 0);
    distance.value =
        tensor(emit<arith::SubIOp>(context, zero, distance.value.ir()), distance.value.dtype());
  }
  if (!broadcast(context, base, distance))
    return std::nullopt;
  return tensor(context.builder.createOrFold<tt::AddPtrOp>(context.loc(), base.value.irType(),
                                                           base.value.ir(), distance.value.ir()),
                base.value.dtype());
}

/// A shift by a constant that leaves nothing.
static void warnAboutShift(Context &context, DType dtype, const Operand &amount) {
  if (!amount.isNumber())
    return;
  std::optional<int64_t> bits = amount.value.asInt64();
  if (!bits || *bits < 0 || *bits >= int64_t(dtype.bitWidth()))
    context.report(diag::Kind::ShiftTooFar, amount.span, amount.value.repr(), dtype).end();
}

Result binary(Context &context, BinaryOp op, const Value &lhsValue, const Value &rhsValue,
              diag::Span lhsSpan, diag::Span rhsSpan) {
  Operand lhs{lhsValue, lhsSpan}, rhs{rhsValue, rhsSpan};
  if (lhsValue.is(ValueKind::FloatPairs) || rhsValue.is(ValueKind::FloatPairs))
    return floatPairsArithmetic(context, op, lhsValue, rhsValue);
  if (op == BinaryOp::Pow || op == BinaryOp::MatMul)
    return refuse(context, op, lhs, rhs,
                  op == BinaryOp::Pow ? "`**` works on compile-time numbers only" : "");
  if (isPointer(lhs) != isPointer(rhs)) {
    if (op == BinaryOp::Add)
      return isPointer(lhs) ? addPointer(context, lhs, rhs, false)
                            : addPointer(context, rhs, lhs, false);
    if (op == BinaryOp::Sub && isPointer(lhs))
      return addPointer(context, lhs, rhs, true);
  }
  bool leftSigned = lhs.dtype().isSignedInt();
  std::optional<DType> dtype = promotedType(context, spelling(op), promotionOf(op), lhs, rhs);
  if (!dtype)
    return std::nullopt;
  if (dtype->isFloat() && isIntegral(op))
    return refuse(context, op, lhs, rhs,
                  op == BinaryOp::FloorDiv ? "use `/` and `gl.floor`" : "cast to an integer type");
  if (dtype->isFp8() && context.isTriton()) {
    // float16 has no less than the type, in which one rounding ends it.
    Result left = toType(context, lhs, *dtype, {}), right = toType(context, rhs, *dtype, {});
    Result wideLeft = left ? castTensor(context, *left, dtypes::float16, lhsSpan) : std::nullopt;
    Result wideRight =
        right && wideLeft ? castTensor(context, *right, dtypes::float16, rhsSpan) : std::nullopt;
    Result wide =
        wideRight ? binary(context, op, *wideLeft, *wideRight, lhsSpan, rhsSpan) : std::nullopt;
    return wide ? castTensor(context, *wide, *dtype, context.span) : std::nullopt;
  }
  if (dtype->isFp8()) {
    context.report(diag::Kind::NoArithmetic, context.span, spelling(op), *dtype)
        .hint("cast to float16 or float32 first");
    return std::nullopt;
  }
  if (op == BinaryOp::Shl || op == BinaryOp::Shr)
    warnAboutShift(context, *dtype, rhs);
  if (!promote(context, spelling(op), promotionOf(op), lhs, rhs))
    return std::nullopt;
  return tensor(emitBinary(context, op, *dtype, leftSigned, lhs.value.ir(), rhs.value.ir()),
                *dtype);
}

static std::nullopt_t refuseUnary(Context &context, llvm::StringRef what, const Value &operand,
                                  diag::Span span) {
  context.report(diag::Kind::BadOperand, span, what, operand.typeName()).end();
  return std::nullopt;
}

static Result negate(Context &context, const Value &operand) {
  DType dtype = operand.dtype();
  if (dtype.isFloat())
    return tensor(context.builder.createOrFold<arith::NegFOp>(context.loc(), operand.ir()), dtype);
  mlir::Value zero = intConstant(context, operand.irType(), 0);
  return tensor(emit<arith::SubIOp>(context, zero, operand.ir()), dtype);
}

/// The operand of a boolean operator as int1.
static Result booleanOperand(Context &context, llvm::StringRef what, const Operand &operand) {
  Result value = materialize(context, operand);
  if (!value)
    return std::nullopt;
  if (value->dtype().isBool())
    return value;
  context.report(diag::Kind::BadOperand, operand.span, what, value->typeName())
      .hint("compare with zero, or cast with `.to(gl.int1)`");
  return std::nullopt;
}

Result unary(Context &context, UnaryOp op, const Value &operand, diag::Span span) {
  if (op == UnaryOp::Not) {
    Result value = booleanOperand(context, "not", {operand, span});
    if (!value)
      return std::nullopt;
    mlir::Value ones = intConstant(context, value->irType(), -1);
    return tensor(emit<arith::XOrIOp>(context, value->ir(), ones), dtypes::int1);
  }
  llvm::StringRef what = op == UnaryOp::Neg ? "-" : op == UnaryOp::Pos ? "+" : "~";
  if (!operand.isTensor() || operand.dtype().isPointer())
    return refuseUnary(context, what, operand, span);
  DType dtype = operand.dtype();
  if (op == UnaryOp::Pos)
    return operand;
  if (op == UnaryOp::Neg && dtype.isFp8()) {
    context.report(diag::Kind::NoArithmetic, span, what, dtype)
        .hint("cast to float16 or float32 first");
    return std::nullopt;
  }
  if (op == UnaryOp::Neg)
    return negate(context, operand);
  if (!dtype.isInt())
    return refuseUnary(context, what, operand, span);
  mlir::Value ones = intConstant(context, operand.irType(), -1);
  return tensor(emit<arith::XOrIOp>(context, operand.ir(), ones), dtype);
}

Result logical(Context &context, bool isAnd, const Value &lhsValue, const Value &rhsValue,
               diag::Span lhsSpan, diag::Span rhsSpan) {
  llvm::StringRef what = isAnd ? "and" : "or";
  Result left = booleanOperand(context, what, {lhsValue, lhsSpan});
  Result right = left ? booleanOperand(context, what, {rhsValue, rhsSpan}) : std::nullopt;
  if (!right)
    return std::nullopt;
  Operand lhs{*left, lhsSpan}, rhs{*right, rhsSpan};
  if (lhs.isBlock() || rhs.isBlock())
    context.report(diag::Kind::LogicalOnBlock, context.span, what)
        .hint("write `{0}`", isAnd ? "&" : "|");
  if (!broadcast(context, lhs, rhs))
    return std::nullopt;
  return tensor(isAnd ? emit<arith::AndIOp>(context, lhs.value.ir(), rhs.value.ir())
                      : emit<arith::OrIOp>(context, lhs.value.ir(), rhs.value.ir()),
                dtypes::int1);
}

} // namespace gluonc::sema::ops
