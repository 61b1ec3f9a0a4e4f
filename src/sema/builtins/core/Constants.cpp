//===- Constants.cpp - Types, constants and splats ----------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Numbers.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace gluonc::sema::ops {

/// Largest number of elements of a block tensor.
static constexpr int64_t maxElements = int64_t{1} << 20;

DType Operand::dtype() const {
  if (value.isNumber())
    return numberType(value).value_or(dtypes::int64);
  return value.dtype();
}

mlir::Type typeWithElement(mlir::Type like, mlir::Type element) {
  if (auto block = llvm::dyn_cast_if_present<mlir::RankedTensorType>(like))
    return mlir::RankedTensorType::get(block.getShape(), element, block.getEncoding());
  return element;
}

mlir::Type typeWithElement(Context &context, mlir::Type like, DType element) {
  return typeWithElement(like, element.toMlir(context.mlirContext()));
}

std::optional<DType> numberType(const Value &number) {
  if (number.is(ValueKind::Bool))
    return dtypes::int1;
  if (number.is(ValueKind::Int)) {
    llvm::APInt value = number.asApInt();
    if (value.isSignedIntN(32))
      return dtypes::int32;
    bool negative = value.isNegative();
    if (!negative && value.isIntN(32))
      return dtypes::uint32;
    if (value.isSignedIntN(64))
      return dtypes::int64;
    if (!negative && value.isIntN(64))
      return dtypes::uint64;
    return std::nullopt;
  }
  double value = number.asDouble();
  double magnitude = std::fabs(value);
  bool isSingle = value == 0 || !std::isfinite(value) ||
                  (magnitude >= double(std::numeric_limits<float>::min()) &&
                   magnitude <= double(std::numeric_limits<float>::max()));
  return isSingle ? dtypes::float32 : dtypes::float64;
}

/// Rounded once. Types of 8 bits saturate, as conversions on the device do.
static llvm::APFloat roundedTo(const llvm::fltSemantics &semantics, const Value &number) {
  llvm::APFloat value(number.asDouble());
  bool losesInfo = false, isNan = value.isNaN();
  if (number.is(ValueKind::Float)) {
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  } else {
    value = llvm::APFloat(semantics);
    value.convertFromAPInt(number.asApInt(), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  }
  bool isByte = llvm::APFloat::getSizeInBits(semantics) == 8;
  return isByte && !isNan && !value.isFinite()
             ? llvm::APFloat::getLargest(semantics, number.asDouble() < 0)
             : value;
}

/// The element of a constant: `number` as an attribute of type `element`.
static mlir::TypedAttr elementAttr(const Value &number, mlir::Type element, DType dtype) {
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(element)) {
    return mlir::FloatAttr::get(floating, roundedTo(floating.getFloatSemantics(), number));
  }
  auto integer = llvm::cast<mlir::IntegerType>(element);
  if (dtype.isBool())
    return mlir::IntegerAttr::get(integer, llvm::APInt(1, number.asDouble() != 0));
  if (number.is(ValueKind::Float)) {
    llvm::APSInt value(integer.getWidth(), /*isUnsigned=*/dtype.isUnsignedInt());
    bool isExact = false;
    llvm::APFloat(number.asDouble()).convertToInteger(value, llvm::APFloat::rmTowardZero, &isExact);
    return mlir::IntegerAttr::get(integer, value);
  }
  return mlir::IntegerAttr::get(integer, number.asApInt().sextOrTrunc(integer.getWidth()));
}

static mlir::Value constantOf(Context &context, mlir::TypedAttr element, mlir::Type type) {
  if (auto block = llvm::dyn_cast<mlir::RankedTensorType>(type))
    element = mlir::DenseElementsAttr::get(block, mlir::Attribute(element));
  return mlir::arith::ConstantOp::create(context.builder, context.loc(), type, element);
}

mlir::Value numberConstant(Context &context, const Value &number, DType dtype, mlir::Type type) {
  if (dtype.isPointer()) {
    mlir::Type addresses = typeWithElement(context, type, dtypes::int64);
    mlir::Value address = numberConstant(context, number, dtypes::int64, addresses);
    return tt::IntToPtrOp::create(context.builder, context.loc(), type, address);
  }
  return constantOf(context, elementAttr(number, mlir::getElementTypeOrSelf(type), dtype), type);
}

/// Whether `dtype` has bits for the number: 255 and -1 are both an int8, 256 is none.
static bool hasBitsFor(DType dtype, const Value &number) {
  unsigned bits = dtype.bitWidth();
  if (dtype.isBool())
    return true;
  if (dtype.isFloat())
    return doubleOf(number).has_value();
  if (number.is(ValueKind::Float) && !std::isfinite(number.asDouble()))
    return false;
  llvm::APInt value = number.is(ValueKind::Float) ? truncated(number.asDouble()) : number.asApInt();
  return value.isNegative() ? value.isSignedIntN(bits) : value.isIntN(bits);
}

Result filledConstant(Context &context, const Operand &number, DType dtype, mlir::Type type) {
  if (hasBitsFor(dtype, number.value))
    return tensor(numberConstant(context, number.value, dtype, type), dtype);
  context.report(diag::Kind::ScalarOutOfRange, number.span, number.value.repr(), dtype).end();
  return std::nullopt;
}

mlir::Value intConstant(Context &context, mlir::Type type, int64_t value) {
  auto integer = llvm::cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
  llvm::APInt bits = llvm::APInt(64, value, /*isSigned=*/true).sextOrTrunc(integer.getWidth());
  return constantOf(context, mlir::IntegerAttr::get(integer, bits), type);
}

Value splat(Context &context, const Value &scalar, mlir::RankedTensorType like) {
  mlir::Type type = typeWithElement(context, like, scalar.dtype());
  if (auto constant = scalar.ir().getDefiningOp<mlir::arith::ConstantOp>())
    return tensor(constantOf(context, constant.getValue(), type), scalar.dtype());
  return tensor(tt::SplatOp::create(context.builder, context.loc(), type, scalar.ir()),
                scalar.dtype());
}

Value unsplat(Context &context, const Value &block) {
  mlir::Type element = block.blockTensorType().getElementType();
  return tensor(tt::UnsplatOp::create(context.builder, context.loc(), element, block.ir()),
                block.dtype());
}

layout::Layout layoutOf(const Value &block) {
  return toLayout(block.blockTensorType().getEncoding());
}

bool isAuto(mlir::RankedTensorType type) {
  return llvm::isa_and_present<gluon::AutoEncodingAttr>(type.getEncoding());
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

bool checkBlockShape(Context &context, llvm::ArrayRef<int64_t> shape, diag::Span span) {
  if (shape.empty()) {
    context.report(diag::Kind::EmptyShape, span).end();
    return false;
  }
  int64_t count = 1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!layout::isPowerOf2(size)) {
      diag::Builder builder =
          context.report(diag::Kind::ShapeNotPowerOfTwo, span, i, shapeText(shape));
      if (size > 0 && size < maxElements)
        std::move(builder).hint("round up to {0} and mask what lies beyond",
                                int64_t(llvm::PowerOf2Ceil(uint64_t(size))));
      return false;
    }
    if (llvm::MulOverflow(count, size, count))
      count = std::numeric_limits<int64_t>::max();
    if (count > maxElements) {
      context.report(diag::Kind::TensorTooLarge, span, shapeText(shape), count, maxElements).end();
      return false;
    }
  }
  return true;
}

bool checkLayout(Context &context, const layout::Layout &layout, llvm::ArrayRef<int64_t> shape,
                 diag::Span span) {
  if (!layout.isDistributed()) {
    context.report(diag::Kind::LayoutNotDistributed, span, layout.toString())
        .hint("a tensor takes a BlockedLayout, SliceLayout, DistributedLinearLayout, …");
    return false;
  }
  if (layout::Problem problem = layout.validate()) {
    context.report(diag::Kind::LayoutDoesNotFit, span, *problem).end();
    return false;
  }
  if (layout.isPlaceholder())
    return true;
  if (*layout.rank() != shape.size()) {
    context.report(diag::Kind::LayoutRankMismatch, span, *layout.rank(), shape.size())
        .note("layout: {0}", layout.toString())
        .note("shape: {0}", shapeText(shape));
    return false;
  }
  layout::Problem problem =
      layout::checkFits(layout, context.numWarps(), context.threadsPerWarp(), context.numCtas());
  if (!problem)
    problem = layout::checkShape(layout, shape);
  if (problem) {
    context.report(diag::Kind::LayoutDoesNotFit, span, *problem)
        .note("layout: {0}", layout.toString());
    return false;
  }
  return true;
}

std::optional<mlir::RankedTensorType> blockType(Context &context, llvm::ArrayRef<int64_t> shape,
                                                diag::Span shapeSpan, DType dtype,
                                                const Value &layout, diag::Span layoutSpan) {
  if (!checkBlockShape(context, shape, shapeSpan))
    return std::nullopt;
  layout::Layout chosen = layout::AutoLayout();
  if (isGiven(layout)) {
    if (!layout.is(ValueKind::Layout)) {
      context.report(diag::Kind::ArgumentKind, layoutSpan, "layout", "a layout", layout.typeName())
          .end();
      return std::nullopt;
    }
    chosen = layout.asLayout();
  }
  context.choosesLayouts |= context.isTriton() && chosen.isPlaceholder();
  if (!checkLayout(context, chosen, shape, layoutSpan))
    return std::nullopt;
  return mlir::RankedTensorType::get(shape, dtype.toMlir(context.mlirContext()),
                                     fromLayout(context.mlirContext(), chosen));
}

} // namespace gluonc::sema::ops
