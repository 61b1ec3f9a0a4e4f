#include "codegen/emit/SmallFloats.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace llvm;

namespace gluonc::codegen {
namespace {

Value *bitsOf(Builder &builder, Value *value) {
  return builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getScalarSizeInBits()));
}

} // namespace

std::optional<FloatKind> floatKind(mlir::Type type) {
  if (type.isF64())
    return FloatKind::F64;
  if (type.isF32())
    return FloatKind::F32;
  if (type.isF16())
    return FloatKind::F16;
  if (type.isBF16())
    return FloatKind::BF16;
  if (isa<mlir::Float8E4M3FNType>(type))
    return FloatKind::E4M3;
  if (isa<mlir::Float8E5M2Type>(type))
    return FloatKind::E5M2;
  if (isa<mlir::Float8E4M3FNUZType>(type))
    return FloatKind::E4M3FNUZ;
  if (isa<mlir::Float8E5M2FNUZType>(type))
    return FloatKind::E5M2FNUZ;
  return std::nullopt;
}

/// e2m1 as the upper bits of the wider format has the exponent bias of that format; the factor puts
/// it right, for subnormal numbers too.
Value *cutToE5M2(Builder &builder, Value *half) {
  // The upper half of an f16.
  Value *bits = builder.CreateLShr(builder.CreateBitCast(half, builder.getInt16Ty()), 8);
  Value *size = builder.CreateBinaryIntrinsic(Intrinsic::umin,
                                              builder.CreateAnd(bits, builder.getInt16(0x7f)),
                                              builder.getInt16(smallE5M2.largest));
  size = builder.CreateSelect(builder.CreateFCmpUNO(half, half), builder.getInt16(smallE5M2.nan),
                              size);
  Value *sign = builder.CreateAnd(bits, builder.getInt16(0x80));
  return builder.CreateTrunc(builder.CreateOr(size, sign), builder.getInt8Ty());
}

Value *unpackFp4(Builder &builder, Value *byte, bool high, Type *type) {
  const unsigned width = type->getPrimitiveSizeInBits(), mantissa = type->getFPMantissaWidth() - 1;
  const unsigned exponent = width - 1 - mantissa;
  Value *bits =
      builder.CreateZExt(high ? builder.CreateLShr(byte, 4) : byte, builder.getIntNTy(width));
  Value *size = builder.CreateShl(builder.CreateAnd(bits, 7), mantissa - 1);
  Value *sign = builder.CreateShl(builder.CreateAnd(bits, 8), width - 4);
  Value *number = builder.CreateBitCast(builder.CreateOr(size, sign), type);
  return builder.CreateFMul(number,
                            ConstantFP::get(type, std::ldexp(1.0, (1 << (exponent - 1)) - 2)));
}

Value *cutToFloat(Builder &builder, Value *x, Value *&lost) {
  Value *near = builder.CreateFPTrunc(x, builder.getFloatTy());
  Value *back = builder.CreateFPExt(near, builder.getDoubleTy());
  lost = builder.CreateFCmpUNE(back, x);
  Value *isBeyond = builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                                          builder.CreateUnaryIntrinsic(Intrinsic::fabs, x));
  // The next number towards zero has the next lower bits.
  Value *bits =
      builder.CreateSub(bitsOf(builder, near), builder.CreateZExt(isBeyond, builder.getInt32Ty()));
  return builder.CreateBitCast(bits, builder.getFloatTy());
}

Value *roundToOdd(Builder &builder, Value *x) {
  Value *lost = nullptr;
  Value *cut = cutToFloat(builder, x, lost);
  Value *odd =
      builder.CreateOr(bitsOf(builder, cut), builder.CreateZExt(lost, builder.getInt32Ty()));
  return builder.CreateBitCast(odd, builder.getFloatTy());
}

/// With the exponent in its place the bits are a number that is too small by the difference of the
/// biases.
Value *widenSmall(Builder &builder, Value *byte, const SmallFloat &from) {
  Value *bits = builder.CreateZExt(byte, builder.getInt16Ty());
  if (from.mantissaBits == smallE5M2.mantissaBits && !from.isFnuz)
    return builder.CreateBitCast(builder.CreateShl(bits, 8), builder.getHalfTy());
  Value *size = builder.CreateShl(builder.CreateAnd(bits, 0x7f), 10 - from.mantissaBits);
  Value *sign = builder.CreateShl(builder.CreateAnd(bits, 0x80), 8);
  Value *number = builder.CreateBitCast(builder.CreateOr(size, sign), builder.getHalfTy());
  number = builder.CreateFMul(
      number, ConstantFP::get(builder.getHalfTy(), std::ldexp(1.0, 15 - from.bias)));
  Value *key = from.isFnuz ? bits : builder.CreateAnd(bits, 0x7f);
  return builder.CreateSelect(builder.CreateICmpEQ(key, builder.getInt16(from.nan)),
                              ConstantFP::getNaN(builder.getHalfTy()), number);
}

/// Subnormal numbers are rounded by adding a number whose last bit is worth as much as theirs.
Value *narrowToSmall(Builder &builder, Value *x, const SmallFloat &to) {
  Type *single = builder.getFloatTy();
  unsigned dropped = 23 - to.mantissaBits;
  Value *bits = bitsOf(builder, x);
  Value *size = builder.CreateAnd(bits, 0x7fffffff);
  Value *even = builder.CreateAnd(builder.CreateLShr(size, dropped), 1);
  Value *rounded =
      builder.CreateAdd(size, builder.CreateAdd(even, builder.getInt32((1u << (dropped - 1)) - 1)));
  Value *normal = builder.CreateSub(builder.CreateLShr(rounded, dropped),
                                    builder.getInt32(unsigned(127 - to.bias) << to.mantissaBits));
  int leastExponent = 1 - to.bias;
  Constant *magic =
      ConstantFP::get(single, std::ldexp(1.0, leastExponent - int(to.mantissaBits) + 23));
  Value *sum = builder.CreateFAdd(builder.CreateBitCast(size, single), magic);
  Value *subnormal = builder.CreateSub(bitsOf(builder, sum), bitsOf(builder, magic));
  Value *isSubnormal =
      builder.CreateICmpULT(size, builder.getInt32(unsigned(127 + leastExponent) << 23));
  Value *result = builder.CreateSelect(isSubnormal, subnormal, normal);
  result = builder.CreateBinaryIntrinsic(Intrinsic::umin, result, builder.getInt32(to.largest));
  Value *sign = builder.CreateAnd(builder.CreateLShr(bits, 32 - to.bits), 1u << (to.bits - 1));
  if (to.isFnuz)
    sign = builder.CreateSelect(builder.CreateICmpEQ(result, builder.getInt32(0)),
                                builder.getInt32(0), sign);
  Value *isNumber = builder.CreateICmpULE(size, builder.getInt32(0x7f800000));
  result = builder.CreateSelect(isNumber, builder.CreateOr(result, sign), builder.getInt32(to.nan));
  return builder.CreateTrunc(result, builder.getInt8Ty());
}

} // namespace gluonc::codegen
