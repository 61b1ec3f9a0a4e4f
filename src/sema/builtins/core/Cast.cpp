//===- Cast.cpp - Conversions between element types ---------------------------===//
//
// Same IR type, other signedness: only the
// front-end type changes. 16-bit floats go through float32 unless the target is
// float32; fp8 and non-default rounding use tt.fp_to_fp.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "sema/value/Arithmetic.h"

namespace gluonc::sema::ops {

namespace {

/// One conversion under way.
struct Caster {
  Context &context;
  diag::Span span;

  template <typename Op> Value emit(const Value &value, DType dtype) {
    mlir::Type type = typeWithElement(context, value.irType(), dtype);
    return tensor(context.builder.createOrFold<Op>(context.loc(), type, value.ir()), dtype);
  }

  std::nullopt_t refuse(DType from, DType to, llvm::StringRef hint = "") {
    diag::Builder builder = context.report(diag::Kind::BadCast, span, from, to);
    if (!hint.empty())
      std::move(builder).hint(hint);
    return std::nullopt;
  }

  Result run(const Value &value, DType to, Rounding rounding);
  Result floatToFloat(const Value &value, DType to, Rounding rounding);
  Result throughBytes(const Value &value, DType to, Rounding rounding);
  Result intToInt(const Value &value, DType to);
  Result pointer(const Value &value, DType to);
};

} // namespace

static Value fpToFp(Context &context, const Value &value, DType to, Rounding rounding) {
  mlir::Type type = typeWithElement(context, value.irType(), to);
  tt::RoundingModeAttr mode;
  if (to.bitWidth() < value.dtype().bitWidth())
    mode = tt::RoundingModeAttr::get(context.mlirContext(), rounding == Rounding::TowardZero
                                                                ? tt::RoundingMode::RTZ
                                                                : tt::RoundingMode::RTNE);
  return tensor(tt::FpToFpOp::create(context.builder, context.loc(), type, value.ir(), mode), to);
}

namespace {

/// Integer arithmetic on the bits of every element, whatever their width.
struct Bits {
  Context &context;
  mlir::Value value;

  template <typename Op> Bits with(mlir::Value other) const {
    return {context, context.builder.createOrFold<Op>(context.loc(), value, other)};
  }
  template <typename Op> Bits with(int64_t constant) const {
    return with<Op>(intConstant(context, value.getType(), constant));
  }
  template <typename Op> Bits resized(DType to) const {
    mlir::Type type = typeWithElement(context, value.getType(), to);
    return {context, context.builder.createOrFold<Op>(context.loc(), type, value)};
  }
};

} // namespace

/// fp8e4b15 is float16 without its highest exponent bit and its last seven of the mantissa: its
/// largest magnitude, 1.75, stands for all beyond, NaN among them. Elements are bytes to the IR.
static Value fromE4B15(Context &context, const Value &value) {
  Bits bytes{context, value.ir()};
  Bits wide = bytes.resized<mlir::arith::ExtUIOp>(dtypes::int16);
  Bits sign = wide.with<mlir::arith::AndIOp>(0x80).with<mlir::arith::ShLIOp>(8);
  Bits magnitude = wide.with<mlir::arith::AndIOp>(0x7f).with<mlir::arith::ShLIOp>(7);
  Bits half = sign.with<mlir::arith::OrIOp>(magnitude.value);
  return tensor(half.resized<tt::BitcastOp>(dtypes::float16).value, dtypes::float16);
}

/// Rounds halves away from zero, as the bit tricks of Triton's conversion do.
static Value toE4B15(Context &context, const Value &half) {
  Bits bits = Bits{context, half.ir()}.resized<tt::BitcastOp>(dtypes::int16);
  Bits magnitude = bits.with<mlir::arith::AndIOp>(0x7fff).with<mlir::arith::MinUIOp>(0x3f00);
  Bits rounded = magnitude.with<mlir::arith::AddIOp>(0x40).with<mlir::arith::ShRUIOp>(7);
  Bits sign = bits.with<mlir::arith::ShRUIOp>(8).with<mlir::arith::AndIOp>(0x80);
  Bits byte = sign.with<mlir::arith::OrIOp>(rounded.value);
  DType to = DType(ScalarKind::Float8E4B15);
  return tensor(byte.resized<mlir::arith::TruncIOp>(to).value, to);
}

Result Caster::throughBytes(const Value &value, DType to, Rounding rounding) {
  DType from = value.dtype();
  if (!context.options.target.isNvidia())
    return refuse(from, to, "float8e4b15 has conversions on NVIDIA's targets only");
  if (from == ScalarKind::Float8E4B15) {
    Value half = fromE4B15(context, value);
    return to == dtypes::float16 ? half : floatToFloat(half, to, rounding);
  }
  if (from == dtypes::float16)
    return toE4B15(context, value);
  // What float16 cuts off cannot matter twice: it is rounded toward zero first.
  Result half =
      run(value, dtypes::float16, from.isFp8() ? Rounding::Default : Rounding::TowardZero);
  return half ? Result(toE4B15(context, *half)) : std::nullopt;
}

Result Caster::floatToFloat(const Value &value, DType to, Rounding rounding) {
  DType from = value.dtype();
  bool narrows = to.bitWidth() < from.bitWidth();
  if (from == ScalarKind::Float8E4B15 || to == ScalarKind::Float8E4B15)
    return throughBytes(value, to, rounding);
  if (from.isFp8() && to.isFp8()) {
    // float16 holds every value of every fp8 format.
    return fpToFp(context, fpToFp(context, value, dtypes::float16, Rounding::Default), to,
                  rounding);
  }
  if (from.isFp8() || to.isFp8() || (narrows && rounding == Rounding::TowardZero))
    return fpToFp(context, value, to, rounding);
  if (from.bitWidth() == 16 && to != dtypes::float32)
    return floatToFloat(emit<mlir::arith::ExtFOp>(value, dtypes::float32), to, rounding);
  return narrows ? emit<mlir::arith::TruncFOp>(value, to) : emit<mlir::arith::ExtFOp>(value, to);
}

Result Caster::intToInt(const Value &value, DType to) {
  DType from = value.dtype();
  if (to.isBool())
    return notZero(context, value);
  if (from.bitWidth() == to.bitWidth())
    return tensor(value.ir(), to);
  if (to.bitWidth() < from.bitWidth())
    return emit<mlir::arith::TruncIOp>(value, to);
  return from.isSignedInt() ? emit<mlir::arith::ExtSIOp>(value, to)
                            : emit<mlir::arith::ExtUIOp>(value, to);
}

Result Caster::pointer(const Value &value, DType to) {
  DType from = value.dtype();
  if (from.isPointer() && to.isPointer())
    return bitcastTensor(context, value, to, span);
  if (from.isPointer() && to.isBool())
    return notZero(context, value);
  if (from.isPointer() && to.isInt() && to.bitWidth() == 64)
    return emit<tt::PtrToIntOp>(value, to);
  if (to.isPointer() && from.isInt()) {
    Result address = intToInt(value, from.isSignedInt() ? dtypes::int64 : dtypes::uint64);
    return emit<tt::IntToPtrOp>(*address, to);
  }
  return refuse(from, to,
                from.isPointer() ? "pointers convert to int64 and to other pointers"
                                 : "only integers convert to pointers");
}

Result Caster::run(const Value &value, DType to, Rounding rounding) {
  DType from = value.dtype();
  if (from == to)
    return value;
  if (to.isVoid() || from.isVoid())
    return refuse(from, to);
  if (from.isPointer() || to.isPointer())
    return pointer(value, to);
  if (from.isFloat() && to.isFloat())
    return floatToFloat(value, to, rounding);
  if (from.isInt() && to.isInt())
    return intToInt(value, to);
  if (from.isFp8() || to.isFp8())
    return refuse(from, to, "go through float32");
  if (to.isBool())
    return notZero(context, value);
  if (from.isFloat())
    return to.isSignedInt() ? emit<mlir::arith::FPToSIOp>(value, to)
                            : emit<mlir::arith::FPToUIOp>(value, to);
  return from.isSignedInt() ? emit<mlir::arith::SIToFPOp>(value, to)
                            : emit<mlir::arith::UIToFPOp>(value, to);
}

Result castTensor(Context &context, const Value &value, DType dtype, diag::Span span,
                  Rounding rounding) {
  return Caster{context, span}.run(value, dtype, rounding);
}

Value notZero(Context &context, const Value &value) {
  DType dtype = value.dtype();
  mlir::OpBuilder &builder = context.builder;
  if (dtype.isBool())
    return value;
  if (dtype.isPointer()) {
    mlir::Type type = typeWithElement(context, value.irType(), dtypes::int64);
    mlir::Value address = builder.createOrFold<tt::PtrToIntOp>(context.loc(), type, value.ir());
    return notZero(context, tensor(address, dtypes::int64));
  }
  if (dtype.isFloat()) {
    mlir::Value zero = numberConstant(context, Value::real(0), dtype, value.irType());
    return tensor(builder.createOrFold<mlir::arith::CmpFOp>(
                      context.loc(), mlir::arith::CmpFPredicate::UNE, value.ir(), zero),
                  dtypes::int1);
  }
  mlir::Value zero = intConstant(context, value.irType(), 0);
  return tensor(builder.createOrFold<mlir::arith::CmpIOp>(
                    context.loc(), mlir::arith::CmpIPredicate::ne, value.ir(), zero),
                dtypes::int1);
}

Result bitcastTensor(Context &context, const Value &value, DType dtype, diag::Span span) {
  DType from = value.dtype();
  if (from.isPointer() != dtype.isPointer() && !from.isVoid() && !dtype.isVoid())
    return castTensor(context, value, dtype, span);
  if (from.bitWidth() != dtype.bitWidth()) {
    context.report(diag::Kind::BitcastWidth, span, from, dtype, from.bitWidth(), dtype.bitWidth())
        .end();
    return std::nullopt;
  }
  mlir::Type type = typeWithElement(context, value.irType(), dtype);
  if (type == value.irType())
    return tensor(value.ir(), dtype);
  return tensor(context.builder.createOrFold<tt::BitcastOp>(context.loc(), type, value.ir()),
                dtype);
}

Result materialize(Context &context, const Operand &operand) {
  if (operand.value.isTensor())
    return operand.value;
  if (operand.isNumber()) {
    std::optional<DType> dtype = numberType(operand.value);
    if (dtype)
      return tensor(
          numberConstant(context, operand.value, *dtype, dtype->toMlir(context.mlirContext())),
          *dtype);
    context.report(diag::Kind::ScalarOutOfRange, operand.span, operand.value.repr(), "64 bits")
        .end();
    return std::nullopt;
  }
  context.report(diag::Kind::NotRuntimeValue, operand.span, operand.value.typeName())
      .hint("keep it at compile time: `name: gl.constexpr = …`");
  return std::nullopt;
}

Result materialize(Context &context, const Value &value, diag::Span span) {
  return materialize(context, Operand{value, span});
}

/// Integers of more than 64 bits have no type to be cast from, unless a float holds them.
static bool isTooWide(const Value &number, DType to) {
  return to.isFloat() ? !doubleOf(number) : !numberType(number);
}

Result cast(Context &context, const Value &value, DType dtype, diag::Span span) {
  if (value.isNumber() && holdsNumbers(dtype) && !isTooWide(value, dtype))
    return tensor(numberConstant(context, value, dtype, dtype.toMlir(context.mlirContext())),
                  dtype);
  Result source = materialize(context, value, span);
  return source ? castTensor(context, *source, dtype, span) : std::nullopt;
}

} // namespace gluonc::sema::ops
