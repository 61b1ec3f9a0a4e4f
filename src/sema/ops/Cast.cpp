//===- Cast.cpp - Conversions between element types ---------------------------===//
//
// gluon-language §2.6, "Casts". Same IR type, other signedness: only the
// front-end type changes. 16-bit floats go through float32 unless the target is
// float32; fp8 and non-default rounding use tt.fp_to_fp.
//
//===----------------------------------------------------------------------===//
#include "sema/ops/Emit.h"

#include "ir/Dialects.h"

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
  return tensor(context.builder.create<tt::FpToFpOp>(context.loc(), type, value.ir(), mode), to);
}

Result Caster::floatToFloat(const Value &value, DType to, Rounding rounding) {
  DType from = value.dtype();
  bool narrows = to.bitWidth() < from.bitWidth();
  if (from == ScalarKind::Float8E4B15 || to == ScalarKind::Float8E4B15)
    return refuse(from, to, "float8e4b15 has no conversions on this target");
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

Result cast(Context &context, const Value &value, DType dtype, diag::Span span) {
  if (value.isNumber() && holdsNumbers(dtype))
    return tensor(numberConstant(context, value, dtype, dtype.toMlir(context.mlirContext())),
                  dtype);
  Result source = materialize(context, value, span);
  return source ? castTensor(context, *source, dtype, span) : std::nullopt;
}

} // namespace gluonc::sema::ops
