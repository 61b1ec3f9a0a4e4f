//===- AmdFloats.cpp - Conversions between float formats --------------------------===//
//
// 8-bit formats: chips convert those of their own family (gfx942 the ones without
// infinities and minus zero, "FNUZ"; later ones OCP's); the others are computed in
// integers. Hardware does not saturate unless a mode says so; numbers are brought into
// range before.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "codegen/emit/SmallFloats.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

const SmallFloat *smallOf(FloatKind kind) {
  switch (kind) {
  case FloatKind::E4M3:
    return &smallE4M3;
  case FloatKind::E5M2:
    return &smallE5M2;
  case FloatKind::E4M3FNUZ:
    return &smallE4M3FNUZ;
  case FloatKind::E5M2FNUZ:
    return &smallE5M2FNUZ;
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

Value *isNaN(Builder &builder, Value *x) { return builder.CreateFCmpUNO(x, x); }

Value *asSingle(Builder &builder, Value *value) {
  return value->getType()->isDoubleTy() ? roundToOdd(builder, value)
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
    value = cutToFloat(builder, value, lost);
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
    Value *bits = builder.CreateTrunc(
        builder.CreateLShr(builder.CreateBitCast(value, builder.getInt32Ty()), 16),
        builder.getInt16Ty());
    bits = builder.CreateSelect(isNaN(builder, value), builder.getInt16(0x7fff), bits);
    return builder.CreateBitCast(bits, builder.getBFloatTy());
  }
  default:
    return nullptr;
  }
}

/// Numbers beyond the format's range, infinities too, become its largest; NaN stays.
Value *clamp(Builder &builder, Value *x, const SmallFloat &to) {
  Type *single = builder.getFloatTy();
  Value *inRange = builder.CreateIntrinsic(
      single, Intrinsic::amdgcn_fmed3,
      {x, ConstantFP::get(single, -to.largestValue), ConstantFP::get(single, to.largestValue)});
  return builder.CreateSelect(isNaN(builder, x), x, inRange);
}

/// i32 whose lower half are two bytes.
Value *narrowByHardware(Builder &builder, Value *low, Value *high, const SmallFloat &to) {
  Intrinsic::ID id = to.mantissaBits == smallE4M3.mantissaBits ? Intrinsic::amdgcn_cvt_pk_fp8_f32
                                                               : Intrinsic::amdgcn_cvt_pk_bf8_f32;
  return builder.CreateIntrinsic(builder.getInt32Ty(), id,
                                 {clamp(builder, low, to), clamp(builder, high, to),
                                  builder.getInt32(0), /*upper half=*/builder.getFalse()});
}

/// f32.
Value *widenByHardware(Builder &builder, Value *byte, const SmallFloat &from) {
  Intrinsic::ID id = from.mantissaBits == smallE4M3.mantissaBits ? Intrinsic::amdgcn_cvt_f32_fp8
                                                                 : Intrinsic::amdgcn_cvt_f32_bf8;
  return builder.CreateIntrinsic(builder.getFloatTy(), id,
                                 {builder.CreateZExt(byte, builder.getInt32Ty()),
                                  /*byte=*/builder.getInt32(0)});
}

bool hasHardware(const target::Target &target, const SmallFloat &format) {
  return target::has(target, format.isFnuz ? target::Feature::Fp8FnuzConversion
                                           : target::Feature::Fp8OcpConversion);
}

} // namespace

Value *AmdIsa::convertFloat(Builder &builder, Value *value, FloatKind from, FloatKind to,
                            bool roundTowardsZero) const {
  if (from == to)
    return value;
  if (const SmallFloat *format = smallOf(from)) {
    // smallE5M2 is the upper half of f16.
    bool byHardware = hasHardware(target, *format) && from != FloatKind::E5M2;
    value =
        byHardware ? widenByHardware(builder, value, *format) : widenSmall(builder, value, *format);
    from = byHardware ? FloatKind::F32 : FloatKind::F16;
  }
  if (const SmallFloat *format = smallOf(to)) {
    if (roundTowardsZero && to != FloatKind::E5M2)
      return nullptr;
    if (roundTowardsZero)
      return cutToE5M2(builder, value->getType()->isHalfTy()
                                    ? value
                                    : towardsZero(builder, value, FloatKind::F16));
    Value *x = asSingle(builder, value);
    if (!hasHardware(target, *format))
      return narrowToSmall(builder, x, *format);
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

Value *AmdIsa::convertPair(Builder &builder, Value *low, Value *high, FloatKind from,
                           FloatKind to) const {
  if (from != FloatKind::F32)
    return nullptr;
  if (to == FloatKind::F16 || to == FloatKind::BF16) {
    Value *pair = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 2));
    pair = builder.CreateInsertElement(pair, low, uint64_t(0));
    pair = builder.CreateInsertElement(pair, high, uint64_t(1));
    return builder.CreateFPTrunc(pair, FixedVectorType::get(typeOf(builder, to), 2));
  }
  const SmallFloat *format = smallOf(to);
  if (!format || !hasHardware(target, *format))
    return nullptr;
  Value *bytes =
      builder.CreateTrunc(narrowByHardware(builder, low, high, *format), builder.getInt16Ty());
  return builder.CreateBitCast(bytes, FixedVectorType::get(builder.getInt8Ty(), 2));
}

} // namespace gluonc::codegen::amd
