//===- NvidiaFloats.cpp - Conversions between float formats ----------------------===//
//
// 8-bit formats: sm_89 and later convert them in pairs; a lone number is the low
// one. Earlier chips get e5m2, which is the upper half of f16, by hand; e4m3 does
// not exist there.
//
// 16-bit formats from f32: in pairs wherever there are two, in so many words.
// ptxas joins lone conversions only where nothing else is in their way.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/SmallFloats.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "target/Features.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

bool isSmall(FloatKind kind) { return kind == FloatKind::E4M3 || kind == FloatKind::E5M2; }

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
  case FloatKind::E4M3:
  case FloatKind::E5M2:
  case FloatKind::E4M3FNUZ:
  case FloatKind::E5M2FNUZ:
    return builder.getInt8Ty();
  }
}

bool isForeign(FloatKind kind) {
  return kind == FloatKind::E4M3FNUZ || kind == FloatKind::E5M2FNUZ;
}

/// Between ordinary formats, to nearest; through f32 where neither holds the other.
Value *cast(Builder &builder, Value *value, Type *to) {
  Type *from = value->getType();
  if (from != to && from->getScalarSizeInBits() == to->getScalarSizeInBits())
    value = builder.CreateFPExt(value, builder.getFloatTy());
  return builder.CreateFPCast(value, to);
}

/// cvt.rz; null where PTX has none. What is cut in two steps is what is cut in one.
Value *towardsZero(Builder &builder, Value *value, FloatKind from, FloatKind to) {
  Type *single = builder.getFloatTy();
  if (from == FloatKind::F64)
    value = emitAsm(builder, "cvt.rz.f32.f64 $0, $1;", single, value, AsmEffect::Pure);
  else if (from != FloatKind::F32)
    value = builder.CreateFPExt(value, single);
  if (to == FloatKind::F32)
    return value;
  if (to != FloatKind::F16 && to != FloatKind::BF16)
    return nullptr;
  StringRef text = to == FloatKind::F16 ? "cvt.rz.f16.f32 $0, $1;" : "cvt.rz.bf16.f32 $0, $1;";
  Value *bits = emitAsm(builder, text, builder.getInt16Ty(), value, AsmEffect::Pure);
  return builder.CreateBitCast(bits, typeOf(builder, to));
}

Value *widen(Builder &builder, Value *byte, FloatKind from, bool hasPairs) {
  Value *word = builder.CreateZExt(byte, builder.getInt16Ty());
  if (from == FloatKind::E5M2)
    return builder.CreateBitCast(builder.CreateShl(word, 8), builder.getHalfTy());
  if (!hasPairs)
    return nullptr;
  Value *pair =
      emitAsm(builder, "cvt.rn.f16x2.e4m3x2 $0, $1;", builder.getInt32Ty(), word, AsmEffect::Pure);
  return builder.CreateBitCast(builder.CreateTrunc(pair, builder.getInt16Ty()),
                               builder.getHalfTy());
}

/// f32 to e5m2 with integers. Through f16 rounded to odd (towards zero, last bit
/// set if anything was lost), so that the second rounding sees on which side of
/// a tie the number was.
Value *narrowByHand(Builder &builder, Value *x) {
  Type *word = builder.getInt16Ty();
  Value *half = towardsZero(builder, x, FloatKind::F32, FloatKind::F16);
  Value *lost = builder.CreateFCmpUNE(builder.CreateFPExt(half, builder.getFloatTy()), x);
  Value *bits = builder.CreateBitCast(half, word);
  Value *odd = builder.CreateOr(bits, builder.CreateZExt(lost, word));
  Value *size = builder.CreateAnd(odd, builder.getInt16(0x7fff));
  Value *even = builder.CreateAnd(builder.CreateLShr(size, 8), builder.getInt16(1));
  Value *rounded = builder.CreateLShr(
      builder.CreateAdd(size, builder.CreateAdd(even, builder.getInt16(0x7f))), 8);
  // 0x7b is the largest finite value, 0x7f a NaN.
  rounded = builder.CreateBinaryIntrinsic(Intrinsic::umin, rounded, builder.getInt16(0x7b));
  rounded = builder.CreateSelect(builder.CreateFCmpUNO(x, x), builder.getInt16(0x7f), rounded);
  Value *sign = builder.CreateAnd(builder.CreateLShr(bits, 8), builder.getInt16(0x80));
  return builder.CreateTrunc(builder.CreateOr(rounded, sign), builder.getInt8Ty());
}

/// i16; sm_89 and later.
Value *narrowPairToBytes(Builder &builder, Value *low, Value *high, FloatKind to) {
  StringRef text = to == FloatKind::E5M2 ? "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;"
                                         : "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;";
  return emitAsm(builder, text, builder.getInt16Ty(), {high, low}, AsmEffect::Pure);
}

Value *narrowPairToHalves(Builder &builder, Value *low, Value *high, FloatKind to) {
  Intrinsic::ID id =
      to == FloatKind::F16 ? Intrinsic::nvvm_ff2f16x2_rn : Intrinsic::nvvm_ff2bf16x2_rn;
  return builder.CreateIntrinsic(id, {}, {high, low});
}

/// Two e4m3; null to another 8-bit format. To bf16 through f32, which is exact.
Value *widenPair(Builder &builder, Value *low, Value *high, FloatKind to) {
  if (isSmall(to))
    return nullptr;
  Type *word = builder.getInt16Ty();
  Value *bytes = builder.CreateOr(builder.CreateZExt(low, word),
                                  builder.CreateShl(builder.CreateZExt(high, word), 8));
  Value *pair = builder.CreateBitCast(
      emitAsm(builder, "cvt.rn.f16x2.e4m3x2 $0, $1;", builder.getInt32Ty(), bytes, AsmEffect::Pure),
      FixedVectorType::get(builder.getHalfTy(), 2));
  if (to == FloatKind::F16)
    return pair;
  if (to != FloatKind::BF16)
    return builder.CreateFPExt(pair, FixedVectorType::get(typeOf(builder, to), 2));
  Value *wide[] = {builder.CreateExtractElement(pair, uint64_t(0)),
                   builder.CreateExtractElement(pair, uint64_t(1))};
  for (Value *&each : wide)
    each = builder.CreateFPExt(each, builder.getFloatTy());
  return narrowPairToHalves(builder, wide[0], wide[1], to);
}

/// f64 as f32 towards zero, last bit set if anything was lost: a second rounding sees on which side
/// of a tie the number was.
Value *toOdd(Builder &builder, Value *x) {
  Value *near = towardsZero(builder, x, FloatKind::F64, FloatKind::F32);
  Value *lost = builder.CreateFCmpUNE(builder.CreateFPExt(near, builder.getDoubleTy()), x);
  Value *bits = builder.CreateOr(builder.CreateBitCast(near, builder.getInt32Ty()),
                                 builder.CreateZExt(lost, builder.getInt32Ty()));
  return builder.CreateBitCast(bits, builder.getFloatTy());
}

Value *narrow(Builder &builder, Value *value, FloatKind to, bool hasPairs) {
  Value *x = value->getType()->isDoubleTy() ? toOdd(builder, value)
                                            : cast(builder, value, builder.getFloatTy());
  if (!hasPairs)
    return to == FloatKind::E5M2 ? narrowByHand(builder, x) : nullptr;
  Value *zero = ConstantFP::get(builder.getFloatTy(), 0.0);
  return builder.CreateTrunc(narrowPairToBytes(builder, x, zero, to), builder.getInt8Ty());
}

} // namespace

Value *NvidiaIsa::convertFloat(Builder &builder, Value *value, FloatKind from, FloatKind to,
                               bool roundTowardsZero) const {
  if (from == to)
    return value;
  if (isForeign(from) || isForeign(to))
    return nullptr;
  bool hasPairs = target::has(target, target::Feature::Fp8Conversion);
  if (isSmall(from)) {
    value = widen(builder, value, from, hasPairs);
    if (!value)
      return nullptr;
    from = FloatKind::F16;
  }
  if (isSmall(to) && roundTowardsZero)
    return to != FloatKind::E5M2
               ? nullptr
               : cutToE5M2(builder, from == FloatKind::F16
                                        ? value
                                        : towardsZero(builder, value, from, FloatKind::F16));
  if (isSmall(to))
    return narrow(builder, value, to, hasPairs);
  // Neither of f16 and bf16 holds the other.
  bool widens =
      typeOf(builder, to)->getScalarSizeInBits() > typeOf(builder, from)->getScalarSizeInBits();
  if (roundTowardsZero && !widens)
    return towardsZero(builder, value, from, to);
  return cast(builder, value, typeOf(builder, to));
}

Value *NvidiaIsa::convertPair(Builder &builder, Value *low, Value *high, FloatKind from,
                              FloatKind to) const {
  bool hasPairs = target::has(target, target::Feature::Fp8Conversion);
  if (from == FloatKind::E4M3 && hasPairs)
    return widenPair(builder, low, high, to);
  if (from != FloatKind::F32)
    return nullptr;
  if (to == FloatKind::F16 || to == FloatKind::BF16)
    return narrowPairToHalves(builder, low, high, to);
  if (!isSmall(to) || !hasPairs)
    return nullptr;
  return builder.CreateBitCast(narrowPairToBytes(builder, low, high, to),
                               FixedVectorType::get(builder.getInt8Ty(), 2));
}

} // namespace gluonc::codegen::nvidia
