//===- ScaledEights.cpp - Eight conversions with one scale (gfx1250) --------------===//
//
// Where v_cvt_scale_pk8 reads its scales without a selection ("scale_sel"; MLIR's amdgpu
// dialect, "scaled_ext_packed_matrix", and AMD's back end of Triton agree on that one): in
// the register of lane L modulo 16, of 8-bit floats byte 0, of 4-bit floats byte 0 for
// lanes below 16 and byte 1 for the others.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/ScaledEights.h"

#include "codegen/core/Words.h"
#include "codegen/emit/SmallFloats.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

constexpr unsigned halfOfLanes = 16;

Intrinsic::ID upcastTo(Type *to, bool arePairs, bool areE5M2) {
  bool isHalf = to->isHalfTy();
  if (arePairs)
    return isHalf ? Intrinsic::amdgcn_cvt_scale_pk8_f16_fp4
                  : Intrinsic::amdgcn_cvt_scale_pk8_bf16_fp4;
  if (areE5M2)
    return isHalf ? Intrinsic::amdgcn_cvt_scale_pk8_f16_bf8
                  : Intrinsic::amdgcn_cvt_scale_pk8_bf16_bf8;
  return isHalf ? Intrinsic::amdgcn_cvt_scale_pk8_f16_fp8
                : Intrinsic::amdgcn_cvt_scale_pk8_bf16_fp8;
}

Intrinsic::ID downcastFrom(Type *from, bool arePairs, bool areE5M2) {
  unsigned row = arePairs ? 0 : areE5M2 ? 1 : 2;
  unsigned column = from->isHalfTy() ? 0 : from->isBFloatTy() ? 1 : 2;
  static constexpr Intrinsic::ID table[3][3] = {
      {Intrinsic::amdgcn_cvt_scalef32_pk8_fp4_f16, Intrinsic::amdgcn_cvt_scalef32_pk8_fp4_bf16,
       Intrinsic::amdgcn_cvt_scalef32_pk8_fp4_f32},
      {Intrinsic::amdgcn_cvt_scalef32_pk8_bf8_f16, Intrinsic::amdgcn_cvt_scalef32_pk8_bf8_bf16,
       Intrinsic::amdgcn_cvt_scalef32_pk8_bf8_f32},
      {Intrinsic::amdgcn_cvt_scalef32_pk8_fp8_f16, Intrinsic::amdgcn_cvt_scalef32_pk8_fp8_bf16,
       Intrinsic::amdgcn_cvt_scalef32_pk8_fp8_f32}};
  return table[row][column];
}

Registers elementsOf(Builder &builder, Value *vector) {
  Registers elements;
  for (unsigned i = 0; i < cast<FixedVectorType>(vector->getType())->getNumElements(); ++i)
    elements.push_back(builder.CreateExtractElement(vector, i));
  return elements;
}

Value *upcastBy(Builder &builder, Intrinsic::ID instruction, ArrayRef<Value *> words,
                Value *scale) {
  return builder.CreateIntrinsic(instruction, {},
                                 {vectorOf(builder, words), scale, builder.getInt32(0)});
}

/// The f32 whose exponent a byte is.
Value *powerOf(Builder &builder, Value *scale) {
  Value *bits = builder.CreateShl(builder.CreateZExt(scale, builder.getInt32Ty()), 23);
  return builder.CreateBitCast(bits, builder.getFloatTy());
}

} // namespace

Registers EightUpcasts::emit(Builder &builder, const Isa &isa, ArrayRef<Value *> bytes,
                             Value *scale, Type *to) const {
  Intrinsic::ID instruction = upcastTo(to, arePairs, areE5M2);
  Registers words = packWords(builder, bytes, builder.getInt32Ty());
  Value *own = builder.CreateZExt(scale, builder.getInt32Ty());
  Value *others = halvesAgree ? own : isa.shuffleXor(builder, own, halfOfLanes);
  if (arePairs) {
    Value *both = builder.CreateOr(own, builder.CreateShl(others, 8));
    return elementsOf(builder, upcastBy(builder, instruction, words, both));
  }
  Value *result = upcastBy(builder, instruction, words, own);
  if (!halvesAgree) {
    Value *all = builder.getInt32(-1);
    Value *lane = builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_mbcnt_lo,
                                          {all, builder.getInt32(0)});
    result = builder.CreateSelect(builder.CreateICmpUGE(lane, builder.getInt32(halfOfLanes)),
                                  upcastBy(builder, instruction, words, others), result);
  }
  return elementsOf(builder, result);
}

Registers EightDowncasts::emit(Builder &builder, ArrayRef<Value *> numbers, Value *scale) const {
  Intrinsic::ID instruction = downcastFrom(numbers[0]->getType(), arePairs, areE5M2);
  Value *words = builder.CreateIntrinsic(instruction, {},
                                         {vectorOf(builder, numbers), powerOf(builder, scale)});
  auto *bytes = FixedVectorType::get(builder.getInt8Ty(), arePairs ? 4 : 8);
  return elementsOf(builder, builder.CreateBitCast(words, bytes));
}

Value *EightDowncasts::leaveRange(Builder &builder, ArrayRef<Value *> numbers, Value *scale) const {
  const SmallFloat &format = arePairs ? smallE2M1 : areE5M2 ? smallE5M2 : smallE4M3;
  Type *type = numbers[0]->getType();
  unsigned bits = type->getScalarSizeInBits();
  // Bits of magnitudes grow with them, up to NaN's.
  auto *integers = FixedVectorType::get(builder.getIntNTy(bits), numbers.size());
  Value *magnitudes = builder.CreateAnd(builder.CreateBitCast(vectorOf(builder, numbers), integers),
                                        ConstantInt::get(integers, APInt::getSignedMaxValue(bits)));
  Value *largest = builder.CreateIntMaxReduce(magnitudes, /*IsSigned=*/false);
  Value *single = builder.CreateFPCast(builder.CreateBitCast(largest, type), builder.getFloatTy());
  Value *end = builder.CreateFMul(powerOf(builder, scale),
                                  ConstantFP::get(builder.getFloatTy(), format.largestValue));
  Value *isBeyond = builder.CreateICmpUGE(builder.CreateBitCast(single, builder.getInt32Ty()),
                                          builder.CreateBitCast(end, builder.getInt32Ty()));
  Value *isOdd =
      builder.CreateICmpUGE(builder.CreateSub(scale, builder.getInt8(1)), builder.getInt8(254));
  return builder.CreateOr(isBeyond, isOdd);
}

Value *anyScalesDiffer(Builder &builder, ArrayRef<SmallVector<Value *, 8>> groups) {
  Value *differences = builder.getInt32(0);
  for (const SmallVector<Value *, 8> &scales : groups) {
    if (all_equal(scales))
      continue;
    Registers words = packWords(builder, scales, builder.getInt32Ty());
    Value *rotated = builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::fshl,
                                             {words[0], words[0], builder.getInt32(8)});
    differences = builder.CreateOr(differences, builder.CreateXor(words[0], words[1]));
    differences = builder.CreateOr(differences, builder.CreateXor(words[0], rotated));
  }
  if (isa<Constant>(differences))
    return builder.CreateICmpNE(differences, builder.getInt32(0));
  Value *differs = builder.CreateICmpNE(differences, builder.getInt32(0));
  Value *lanes =
      builder.CreateIntrinsic(Intrinsic::amdgcn_ballot, {builder.getInt32Ty()}, {differs});
  return builder.CreateICmpNE(lanes, builder.getInt32(0));
}

} // namespace gluonc::codegen::amd
