//===- AmdFloats.cpp - Conversions between float formats --------------------------===//
//
// 8-bit formats: chips convert those of their own family (gfx942 the ones without
// infinities and minus zero, "FNUZ"; later ones OCP's); the others are computed in
// integers. Hardware does not saturate unless a mode says so; numbers are brought into
// range before.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cmath>

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// An 8-bit float format.
struct Small {
  unsigned mantissaBits;
  int bias;
  /// Bits of the largest finite number, and of NaN.
  uint8_t largest, nan;
  double largestValue;
  /// No minus zero: its bits are NaN's.
  bool isFnuz;
};

constexpr Small e4m3 = {3, 7, 0x7e, 0x7f, 448, false};
constexpr Small e5m2 = {2, 15, 0x7b, 0x7f, 57344, false};
constexpr Small e4m3fnuz = {3, 8, 0x7f, 0x80, 240, true};
constexpr Small e5m2fnuz = {2, 16, 0x7f, 0x80, 57344, true};

const Small *smallOf(FloatKind kind) {
  switch (kind) {
  case FloatKind::E4M3:
    return &e4m3;
  case FloatKind::E5M2:
    return &e5m2;
  case FloatKind::E4M3FNUZ:
    return &e4m3fnuz;
  case FloatKind::E5M2FNUZ:
    return &e5m2fnuz;
  default:
    return nullptr;
  }
}

Type *typeOf(Builder &builder, FloatKind kind) {
  switch (kind) {
  case FloatKind::F64:
    return builder.getDoubleTy();
  case FloatKind::F32:
    return builder.getFloatTy();
  case FloatKind::F16:
    return builder.getHalfTy();
  case FloatKind::BF16:
    return builder.getBFloatTy();
  default:
    return builder.getInt8Ty();
  }
}

Value *bitsOf(Builder &builder, Value *value) {
  return builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getScalarSizeInBits()));
}

Value *isNaN(Builder &builder, Value *x) { return builder.CreateFCmpUNO(x, x); }

/// f64 as f32 towards zero; what is lost shows in `lost`.
Value *cutDouble(Builder &builder, Value *x, Value *&lost) {
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

/// f64 as f32 with the last bit set if anything was lost: a second rounding sees on which side of
/// a tie the number was.
Value *toOdd(Builder &builder, Value *x) {
  Value *lost = nullptr;
  Value *cut = cutDouble(builder, x, lost);
  Value *odd =
      builder.CreateOr(bitsOf(builder, cut), builder.CreateZExt(lost, builder.getInt32Ty()));
  return builder.CreateBitCast(odd, builder.getFloatTy());
}

Value *asSingle(Builder &builder, Value *value) {
  return value->getType()->isDoubleTy() ? toOdd(builder, value)
                                        : builder.CreateFPCast(value, builder.getFloatTy());
}

/// Between ordinary formats, to nearest; through f32 where neither holds the other.
Value *cast(Builder &builder, Value *value, Type *to) {
  Type *from = value->getType();
  bool fromDouble = from->isDoubleTy() && to->getScalarSizeInBits() == 16;
  if (fromDouble || (from != to && from->getScalarSizeInBits() == to->getScalarSizeInBits()))
    value = asSingle(builder, value);
  return builder.CreateFPCast(value, to);
}

/// Null where there is no such conversion. What is cut in two steps is what is cut in one.
Value *towardsZero(Builder &builder, Value *value, FloatKind to) {
  if (value->getType()->isDoubleTy()) {
    Value *lost = nullptr;
    value = cutDouble(builder, value, lost);
  } else if (!value->getType()->isFloatTy()) {
    value = builder.CreateFPExt(value, builder.getFloatTy());
  }
  switch (to) {
  case FloatKind::F32:
    return value;
  case FloatKind::F16:
    return builder.CreateExtractElement(
        builder.CreateIntrinsic(Intrinsic::amdgcn_cvt_pkrtz, {},
                                {value, ConstantFP::get(builder.getFloatTy(), 0)}),
        uint64_t(0));
  case FloatKind::BF16: {
    Value *bits =
        builder.CreateTrunc(builder.CreateLShr(bitsOf(builder, value), 16), builder.getInt16Ty());
    bits = builder.CreateSelect(isNaN(builder, value), builder.getInt16(0x7fff), bits);
    return builder.CreateBitCast(bits, builder.getBFloatTy());
  }
  default:
    return nullptr;
  }
}

/// As f16, which holds every number of the formats. With the exponent in its place the bits are a
/// number that is too small by the difference of the biases.
Value *widen(Builder &builder, Value *byte, const Small &from) {
  Value *bits = builder.CreateZExt(byte, builder.getInt16Ty());
  if (from.mantissaBits == e5m2.mantissaBits && !from.isFnuz)
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

/// f32 to nearest even in integers, saturated. Subnormal numbers are rounded by adding a number
/// whose last bit is worth as much as theirs.
Value *narrow(Builder &builder, Value *x, const Small &to) {
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
  Value *sign = builder.CreateAnd(builder.CreateLShr(bits, 24), 0x80);
  if (to.isFnuz)
    sign = builder.CreateSelect(builder.CreateICmpEQ(result, builder.getInt32(0)),
                                builder.getInt32(0), sign);
  Value *isNumber = builder.CreateICmpULE(size, builder.getInt32(0x7f800000));
  result = builder.CreateSelect(isNumber, builder.CreateOr(result, sign), builder.getInt32(to.nan));
  return builder.CreateTrunc(result, builder.getInt8Ty());
}

/// Numbers beyond the format's range, infinities too, become its largest; NaN stays.
Value *clamp(Builder &builder, Value *x, const Small &to) {
  Type *single = builder.getFloatTy();
  Value *inRange = builder.CreateIntrinsic(
      single, Intrinsic::amdgcn_fmed3,
      {x, ConstantFP::get(single, -to.largestValue), ConstantFP::get(single, to.largestValue)});
  return builder.CreateSelect(isNaN(builder, x), x, inRange);
}

/// i32 whose lower half are two bytes.
Value *narrowByHardware(Builder &builder, Value *low, Value *high, const Small &to) {
  Intrinsic::ID id = to.mantissaBits == e4m3.mantissaBits ? Intrinsic::amdgcn_cvt_pk_fp8_f32
                                                          : Intrinsic::amdgcn_cvt_pk_bf8_f32;
  return builder.CreateIntrinsic(builder.getInt32Ty(), id,
                                 {clamp(builder, low, to), clamp(builder, high, to),
                                  builder.getInt32(0), /*upper half=*/builder.getFalse()});
}

/// f32.
Value *widenByHardware(Builder &builder, Value *byte, const Small &from) {
  Intrinsic::ID id = from.mantissaBits == e4m3.mantissaBits ? Intrinsic::amdgcn_cvt_f32_fp8
                                                            : Intrinsic::amdgcn_cvt_f32_bf8;
  return builder.CreateIntrinsic(builder.getFloatTy(), id,
                                 {builder.CreateZExt(byte, builder.getInt32Ty()),
                                  /*byte=*/builder.getInt32(0)});
}

bool hasHardware(const target::Target &target, const Small &format) {
  return target::has(target, format.isFnuz ? target::Feature::Fp8FnuzConversion
                                           : target::Feature::Fp8OcpConversion);
}

} // namespace

Value *AmdIsa::convertFloat(Builder &builder, Value *value, FloatKind from, FloatKind to,
                            bool roundTowardsZero) const {
  if (from == to)
    return value;
  if (const Small *format = smallOf(from)) {
    // e5m2 is the upper half of f16.
    bool byHardware = hasHardware(target, *format) && from != FloatKind::E5M2;
    value = byHardware ? widenByHardware(builder, value, *format) : widen(builder, value, *format);
    from = byHardware ? FloatKind::F32 : FloatKind::F16;
  }
  if (const Small *format = smallOf(to)) {
    if (roundTowardsZero)
      return nullptr;
    Value *x = asSingle(builder, value);
    if (!hasHardware(target, *format))
      return narrow(builder, x, *format);
    Value *zero = ConstantFP::get(builder.getFloatTy(), 0);
    return builder.CreateTrunc(narrowByHardware(builder, x, zero, *format), builder.getInt8Ty());
  }
  Type *type = typeOf(builder, to);
  // Neither of f16 and bf16 holds the other.
  bool widens = type->getScalarSizeInBits() > value->getType()->getScalarSizeInBits();
  if (roundTowardsZero && !widens && value->getType() != type)
    return towardsZero(builder, value, to);
  return cast(builder, value, type);
}

Value *AmdIsa::narrowPair(Builder &builder, Value *low, Value *high, FloatKind to) const {
  if (to == FloatKind::F16 || to == FloatKind::BF16) {
    Value *pair = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 2));
    pair = builder.CreateInsertElement(pair, low, uint64_t(0));
    pair = builder.CreateInsertElement(pair, high, uint64_t(1));
    return builder.CreateFPTrunc(pair, FixedVectorType::get(typeOf(builder, to), 2));
  }
  const Small *format = smallOf(to);
  if (!format || !hasHardware(target, *format))
    return nullptr;
  Value *bytes =
      builder.CreateTrunc(narrowByHardware(builder, low, high, *format), builder.getInt16Ty());
  return builder.CreateBitCast(bytes, FixedVectorType::get(builder.getInt8Ty(), 2));
}

} // namespace gluonc::codegen::amd
