//===- Promotion.cpp - Common types, shapes and layouts of operands -----------===//
//
// A number that is known at compile time yields to a tensor
// of its own kind or a higher one (bool < int < float): `int8_tensor + 1` stays
// int8. Everything else follows a ladder of rules over the two element types.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "sema/value/Arithmetic.h"

namespace gluonc::sema::ops {

static int kindRank(DType dtype) { return dtype.isBool() ? 0 : dtype.isInt() ? 1 : 2; }

/// The wider integer; unsigned wins over signed of the same width.
static DType promoteIntegers(DType lhs, DType rhs) {
  if (lhs.isSignedInt() == rhs.isSignedInt())
    return lhs.bitWidth() >= rhs.bitWidth() ? lhs : rhs;
  DType isUnsigned = lhs.isUnsignedInt() ? lhs : rhs;
  DType isSigned = lhs.isUnsignedInt() ? rhs : lhs;
  return isUnsigned.bitWidth() >= isSigned.bitWidth() ? isUnsigned : isSigned;
}

/// Rules 2 to 5; nullopt where the types have nothing in common.
static std::optional<DType> commonType(DType lhs, DType rhs, Promotion mode) {
  auto either = [&](DType dtype) { return lhs == dtype || rhs == dtype; };
  if (either(dtypes::float64))
    return dtypes::float64;
  bool divides = mode == Promotion::Division || mode == Promotion::Integral;
  if (divides && (lhs.isFloat() || rhs.isFloat()))
    return dtypes::float32;
  if (either(dtypes::float32))
    return dtypes::float32;
  if (either(dtypes::float16))
    return dtypes::float16;
  if (either(dtypes::bfloat16))
    return lhs == rhs ? dtypes::bfloat16 : dtypes::float32;
  if (lhs.isFp8() && rhs.isFp8())
    return lhs == rhs ? lhs : dtypes::float16;
  if (!lhs.isInt() || !rhs.isInt())
    return std::nullopt;
  if (mode == Promotion::Division)
    return dtypes::float32;
  return promoteIntegers(lhs, rhs);
}

/// Numbers and tensors but for pointers. A number without a type of its own takes a tensor's.
static bool isArithmetic(const Operand &operand, const Operand &other) {
  if (operand.isNumber())
    return other.value.isTensor() || numberType(operand.value).has_value();
  return operand.value.isTensor() && !operand.value.dtype().isPointer();
}

static std::nullopt_t reportTypes(Context &context, llvm::StringRef what, const Operand &lhs,
                                  const Operand &rhs) {
  context
      .report(diag::Kind::BadOperands, context.span, what, lhs.value.typeName(),
              rhs.value.typeName())
      .label(lhs.span, "{0}", lhs.value.typeName())
      .label(rhs.span, "{0}", rhs.value.typeName());
  return std::nullopt;
}

std::optional<DType> promotedType(Context &context, llvm::StringRef what, Promotion mode,
                                  const Operand &lhs, const Operand &rhs) {
  if (!isArithmetic(lhs, rhs) || !isArithmetic(rhs, lhs))
    return reportTypes(context, what, lhs, rhs);
  DType left = lhs.dtype(), right = rhs.dtype();
  bool yields = mode != Promotion::Typed;
  if (yields && lhs.isNumber() && !rhs.isNumber() && kindRank(left) <= kindRank(right))
    left = right;
  else if (yields && rhs.isNumber() && !lhs.isNumber() && kindRank(right) <= kindRank(left))
    right = left;
  std::optional<DType> common = commonType(left, right, mode);
  if (!common)
    return reportTypes(context, what, lhs, rhs);
  bool divides = mode == Promotion::Division || mode == Promotion::Integral;
  if (divides && left.isInt() && right.isInt() && left.isSignedInt() != right.isSignedInt()) {
    context.report(diag::Kind::SignednessDiffers, context.span, what, left, right)
        .hint("cast one side with `.to(…)`");
    return std::nullopt;
  }
  return common;
}

/// Whether the value of an int or bool number is one of the type, or rounds to one.
static bool fits(const Value &number, DType dtype) {
  if (number.is(ValueKind::Float))
    return true;
  if (!dtype.isInt())
    return doubleOf(number).has_value();
  llvm::APInt value = number.asApInt();
  return dtype.isSignedInt() ? value.isSignedIntN(dtype.bitWidth())
                             : !value.isNegative() && value.isIntN(dtype.bitWidth());
}

Result toType(Context &context, const Operand &operand, DType dtype, mlir::Type like) {
  if (!operand.isNumber())
    return castTensor(context, operand.value, dtype, operand.span);
  if (!fits(operand.value, dtype)) {
    context.report(diag::Kind::ScalarOutOfRange, operand.span, operand.value.repr(), dtype)
        .hint("cast the other side to a wider type first");
    return std::nullopt;
  }
  if (dtype == ScalarKind::Float8E4B15) {
    context.report(diag::Kind::BadCast, operand.span, operand.dtype(), dtype).end();
    return std::nullopt;
  }
  mlir::Type type = typeWithElement(context, like, dtype);
  return tensor(numberConstant(context, operand.value, dtype, type), dtype);
}

bool promote(Context &context, llvm::StringRef what, Promotion mode, Operand &lhs, Operand &rhs) {
  std::optional<DType> dtype = promotedType(context, what, mode, lhs, rhs);
  if (!dtype)
    return false;
  // A number takes the other side's shape at once: a dense constant, not a splat.
  mlir::Type left = lhs.isNumber() && !rhs.isNumber() ? rhs.value.irType() : mlir::Type();
  mlir::Type right = rhs.isNumber() && !lhs.isNumber() ? lhs.value.irType() : mlir::Type();
  Result newLhs = toType(context, lhs, *dtype, left);
  Result newRhs = newLhs ? toType(context, rhs, *dtype, right) : std::nullopt;
  if (!newRhs)
    return false;
  lhs.value = *newLhs;
  rhs.value = *newRhs;
  return broadcast(context, lhs, rhs);
}

Value pinLayout(Context &context, const Value &block, mlir::Attribute encoding) {
  mlir::RankedTensorType type = block.blockTensorType();
  if (type.getEncoding() == encoding)
    return block;
  auto pinned = mlir::RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
  // Constants and ranges carry no layout of their own yet: they are born in the right one.
  if (auto constant = block.ir().getDefiningOp<mlir::arith::ConstantOp>())
    if (auto dense = llvm::dyn_cast<mlir::SplatElementsAttr>(constant.getValue())) {
      auto value = mlir::SplatElementsAttr::get(pinned, dense.getSplatValue<mlir::Attribute>());
      return tensor(mlir::arith::ConstantOp::create(context.builder, context.loc(), pinned, value),
                    block.dtype());
    }
  return tensor(gluon::SetAutoLayoutOp::create(context.builder, context.loc(), pinned, block.ir()),
                block.dtype());
}

mlir::Value openLayout(Context &context, mlir::Value block) {
  auto type = llvm::cast<mlir::RankedTensorType>(block.getType());
  if (isAuto(type))
    return block;
  context.choosesLayouts = true;
  auto open = mlir::RankedTensorType::get(type.getShape(), type.getElementType(),
                                          gluon::AutoEncodingAttr::get(context.mlirContext()));
  return ttg::ConvertLayoutOp::create(context.builder, context.loc(), open, block);
}

/// In Triton a block of fewer dimensions has others of size 1 in front.
static Result withRank(Context &context, const Operand &block, size_t rank) {
  Operand wide = block;
  while (context.isTriton() && wide.value.shape().size() < rank) {
    Result next = expandDims(context, wide, 0);
    if (!next)
      return std::nullopt;
    wide.value = *next;
  }
  return wide.value;
}

Result broadcastTo(Context &context, const Operand &given, llvm::ArrayRef<int64_t> shape) {
  Result value = withRank(context, given, shape.size());
  if (!value)
    return std::nullopt;
  Operand block{*value, given.span};
  mlir::RankedTensorType type = block.value.blockTensorType();
  if (type.getShape() == shape)
    return block.value;
  if (type.getShape().size() != shape.size()) {
    context.report(diag::Kind::RankMismatch, block.span, type.getRank(), shape.size())
        .note("shapes: {0} and {1}", shapeText(type.getShape()), shapeText(shape));
    return std::nullopt;
  }
  for (auto [i, from, to] : llvm::enumerate(type.getShape(), shape))
    if (from != to && from != 1) {
      context
          .report(diag::Kind::ShapeMismatch, block.span, shapeText(type.getShape()),
                  shapeText(shape), i)
          .end();
      return std::nullopt;
    }
  auto wide = mlir::RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  return tensor(
      context.builder.createOrFold<tt::BroadcastOp>(context.loc(), wide, block.value.ir()),
      block.value.dtype());
}

/// The shape that two shapes of equal rank broadcast to.
static std::optional<llvm::SmallVector<int64_t>> commonShape(Context &context, const Operand &lhs,
                                                             const Operand &rhs) {
  llvm::ArrayRef<int64_t> left = lhs.value.shape(), right = rhs.value.shape();
  if (left.size() != right.size()) {
    context.report(diag::Kind::RankMismatch, context.span, left.size(), right.size())
        .label(lhs.span, "shape {0}", shapeText(left))
        .label(rhs.span, "shape {0}", shapeText(right))
        .hint("insert dimensions with `[:, None]` or `gl.expand_dims`");
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> shape;
  for (auto [i, l, r] : llvm::enumerate(left, right)) {
    if (l != r && l != 1 && r != 1) {
      context.report(diag::Kind::ShapeMismatch, context.span, shapeText(left), shapeText(right), i)
          .label(lhs.span, "shape {0}", shapeText(left))
          .label(rhs.span, "shape {0}", shapeText(right));
      return std::nullopt;
    }
    shape.push_back(l == 1 ? r : l);
  }
  return shape;
}

/// Makes the encodings of two blocks equal, which AutoLayout admits, and Triton.
static bool unifyLayouts(Context &context, Operand &lhs, Operand &rhs) {
  mlir::RankedTensorType left = lhs.value.blockTensorType(), right = rhs.value.blockTensorType();
  if (left.getEncoding() == right.getEncoding())
    return true;
  if (isAuto(left)) {
    lhs.value = pinLayout(context, lhs.value, right.getEncoding());
    return true;
  }
  if (isAuto(right)) {
    rhs.value = pinLayout(context, rhs.value, left.getEncoding());
    return true;
  }
  if (context.isTriton()) {
    lhs.value = openLayout(context, lhs.value);
    rhs.value = openLayout(context, rhs.value);
    return true;
  }
  std::string leftText = layoutOf(lhs.value).toString();
  std::string rightText = layoutOf(rhs.value).toString();
  context.report(diag::Kind::LayoutMismatch, context.span, leftText, rightText)
      .label(lhs.span, "{0}", leftText)
      .label(rhs.span, "{0}", rightText)
      .hint("wrap one side in `gl.convert_layout`");
  return false;
}

bool broadcast(Context &context, Operand &lhs, Operand &rhs) {
  if (!lhs.isBlock() && !rhs.isBlock())
    return true;
  if (!lhs.isBlock() || !rhs.isBlock()) {
    Operand &scalar = lhs.isBlock() ? rhs : lhs;
    const Operand &block = lhs.isBlock() ? lhs : rhs;
    scalar.value = splat(context, scalar.value, block.value.blockTensorType());
    return true;
  }
  Result wideLhs = withRank(context, lhs, rhs.value.shape().size());
  Result wideRhs = withRank(context, rhs, lhs.value.shape().size());
  if (!wideLhs || !wideRhs)
    return false;
  lhs.value = *wideLhs;
  rhs.value = *wideRhs;
  std::optional<llvm::SmallVector<int64_t>> shape = commonShape(context, lhs, rhs);
  if (!shape || !unifyLayouts(context, lhs, rhs))
    return false;
  Result left = broadcastTo(context, lhs, *shape), right = broadcastTo(context, rhs, *shape);
  if (!left || !right)
    return false;
  lhs.value = *left;
  rhs.value = *right;
  return true;
}

bool broadcast(Context &context, llvm::MutableArrayRef<Operand> operands) {
  // Once to find the largest shape in the first operand, once more to give it to the others.
  for (int round = 0; round < 2; ++round)
    for (Operand &other : operands.drop_front())
      if (!broadcast(context, operands.front(), other))
        return false;
  return true;
}

} // namespace gluonc::sema::ops
