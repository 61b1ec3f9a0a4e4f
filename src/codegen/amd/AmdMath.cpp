//===- AmdMath.cpp - Division, roots and elementary functions -----------------===//
//
//   Exp     1 ulp + what x*log2(e) loses by rounding (grows with |x|)
//   Exp2    1 ulp, subnormal results flushed to zero
//   Sqrt    1 ulp, Rsqrt 1 ulp, subnormal operands flushed
//   Divide  2.5 ulp
//
// PreciseSqrt and PreciseDivide round correctly, and so do root and quotient of f64.
// The rest is made of others (MathFunctions.h, DoubleMath.h).
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "codegen/emit/DoubleMath.h"
#include "codegen/emit/MathFunctions.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

constexpr double log2OfE = 1.4426950408889634;

Value *call(Builder &builder, Intrinsic::ID id, Value *operand) {
  return builder.CreateUnaryIntrinsic(id, operand);
}

/// LLVM multiplies by a reciprocal where so many ulp are allowed.
Value *divideFast(Builder &builder, ArrayRef<Value *> operands) {
  MDBuilder metadata(builder.getContext());
  return builder.CreateFDiv(operands[0], operands[1], "", metadata.createFPMath(2.5f));
}

Value *mathF32(const Isa &isa, Builder &builder, MathKind kind, ArrayRef<Value *> operands) {
  Value *x = operands[0];
  switch (kind) {
  case MathKind::Exp:
    return call(builder, Intrinsic::exp2,
                builder.CreateFMul(x, ConstantFP::get(builder.getFloatTy(), log2OfE)));
  case MathKind::Exp2:
    return call(builder, Intrinsic::amdgcn_exp2, x);
  case MathKind::Log:
    return logF32(builder, x);
  case MathKind::Log2:
    return log2F32(builder, x);
  case MathKind::Sin:
    return sineF32(builder, x, 0);
  case MathKind::Cos:
    return sineF32(builder, x, 1);
  case MathKind::Erf:
    return erfF32(builder, isa, x);
  case MathKind::Sqrt:
    return call(builder, Intrinsic::amdgcn_sqrt, x);
  case MathKind::Rsqrt:
    return call(builder, Intrinsic::amdgcn_rsq, x);
  case MathKind::PreciseSqrt:
    return call(builder, Intrinsic::sqrt, x);
  case MathKind::Divide:
    return divideFast(builder, operands);
  case MathKind::PreciseDivide:
    return builder.CreateFDiv(operands[0], operands[1]);
  }
}

Value *mathF64(const Isa &isa, Builder &builder, MathKind kind, ArrayRef<Value *> operands) {
  Value *x = operands[0];
  switch (kind) {
  case MathKind::Sqrt:
  case MathKind::PreciseSqrt:
    return call(builder, Intrinsic::sqrt, x);
  case MathKind::Rsqrt:
    return builder.CreateFDiv(ConstantFP::get(builder.getDoubleTy(), 1.0),
                              call(builder, Intrinsic::sqrt, x));
  case MathKind::Divide:
  case MathKind::PreciseDivide:
    return builder.CreateFDiv(x, operands[1]);
  case MathKind::Exp:
    return expF64(isa, builder, x);
  case MathKind::Exp2:
    return exp2F64(isa, builder, x);
  case MathKind::Log:
    return logF64(isa, builder, x);
  case MathKind::Log2:
    return log2F64(isa, builder, x);
  case MathKind::Sin:
    return sinF64(isa, builder, x);
  case MathKind::Cos:
    return cosF64(isa, builder, x);
  case MathKind::Erf:
    return erfF64(isa, builder, x);
  }
}

} // namespace

Value *AmdIsa::math(Builder &builder, MathKind kind, ArrayRef<Value *> operands) const {
  Type *type = operands[0]->getType();
  if (type->isFloatTy())
    return mathF32(*this, builder, kind, operands);
  if (type->isDoubleTy())
    return mathF64(*this, builder, kind, operands);
  // 16-bit floats: through f32, which keeps more than they can hold.
  SmallVector<Value *> wide;
  for (Value *operand : operands)
    wide.push_back(builder.CreateFPExt(operand, builder.getFloatTy()));
  return builder.CreateFPTrunc(mathF32(*this, builder, kind, wide), type);
}

} // namespace gluonc::codegen::amd
