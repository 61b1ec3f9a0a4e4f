//===- NvidiaMath.cpp - Division, roots and elementary functions --------------===//
//
// The hardware's approximations, with the error bounds of the PTX ISA:
//
//   Exp     2 ulp + what x*log2(e) loses by rounding (grows with |x|)
//   Exp2    2 ulp, subnormal results flushed to zero
//   Sqrt    1 ulp, Rsqrt 2 ulp of full range, subnormal operands flushed
//           (none of them where `Options::flushesSubnormals` is off)
//   Divide  2 ulp over the full range (div.full)
//
// PreciseSqrt and PreciseDivide round correctly, and so do root and quotient of f64.
// Logarithms, Sin, Cos and Erf are made of others (MathFunctions.h), and so is the
// rest of f64 (DoubleMath.h).
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/DoubleMath.h"
#include "codegen/emit/MathFunctions.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

constexpr double log2OfE = 1.4426950408889634;

Value *number(Builder &builder, double value) {
  return ConstantFP::get(builder.getFloatTy(), value);
}

Value *call(Builder &builder, Intrinsic::ID id, Value *operand) {
  return builder.CreateIntrinsic(operand->getType(), id, {operand});
}

Value *mathF32(const Isa &isa, Builder &builder, MathKind kind, ArrayRef<Value *> operands,
               bool flushes) {
  Value *x = operands[0];
  switch (kind) {
  case MathKind::Exp:
    return call(builder, Intrinsic::nvvm_ex2_approx,
                builder.CreateFMul(x, number(builder, log2OfE)));
  case MathKind::Exp2:
    return call(builder, flushes ? Intrinsic::nvvm_ex2_approx_ftz : Intrinsic::nvvm_ex2_approx, x);
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
    return call(builder,
                flushes ? Intrinsic::nvvm_sqrt_approx_ftz_f : Intrinsic::nvvm_sqrt_approx_f, x);
  case MathKind::Rsqrt:
    return call(builder,
                flushes ? Intrinsic::nvvm_rsqrt_approx_ftz_f : Intrinsic::nvvm_rsqrt_approx_f, x);
  case MathKind::PreciseSqrt:
    return call(builder, Intrinsic::nvvm_sqrt_rn_f, x);
  case MathKind::Divide:
    // By powers of two.
    if (auto *divisor = dyn_cast<ConstantFP>(operands[1])) {
      APFloat inverse(0.0F);
      if (divisor->getValueAPF().getExactInverse(&inverse))
        return builder.CreateFMul(x, ConstantFP::get(builder.getFloatTy(), inverse));
    }
    return emitAsm(builder, "div.full.f32 $0, $1, $2;", builder.getFloatTy(), operands,
                   AsmEffect::Pure);
  case MathKind::PreciseDivide:
    return builder.CreateFDiv(operands[0], operands[1]);
  }
}

Value *mathF64(const Isa &isa, Builder &builder, MathKind kind, ArrayRef<Value *> operands) {
  switch (kind) {
  case MathKind::Sqrt:
  case MathKind::PreciseSqrt:
    return call(builder, Intrinsic::nvvm_sqrt_rn_d, operands[0]);
  case MathKind::Rsqrt:
    return builder.CreateFDiv(ConstantFP::get(builder.getDoubleTy(), 1.0),
                              call(builder, Intrinsic::nvvm_sqrt_rn_d, operands[0]));
  case MathKind::Divide:
  case MathKind::PreciseDivide:
    return builder.CreateFDiv(operands[0], operands[1]);
  case MathKind::Exp:
    return expF64(isa, builder, operands[0]);
  case MathKind::Exp2:
    return exp2F64(isa, builder, operands[0]);
  case MathKind::Log:
    return logF64(isa, builder, operands[0]);
  case MathKind::Log2:
    return log2F64(isa, builder, operands[0]);
  case MathKind::Sin:
    return sinF64(isa, builder, operands[0]);
  case MathKind::Cos:
    return cosF64(isa, builder, operands[0]);
  case MathKind::Erf:
    return erfF64(isa, builder, operands[0]);
  }
}

} // namespace

Value *NvidiaIsa::math(Builder &builder, MathKind kind, ArrayRef<Value *> operands) const {
  Type *type = operands[0]->getType();
  if (type->isFloatTy())
    return mathF32(*this, builder, kind, operands, options.flushesSubnormals);
  if (type->isDoubleTy())
    return mathF64(*this, builder, kind, operands);
  // 16-bit floats: through f32, which keeps more than they can hold.
  SmallVector<Value *> wide;
  for (Value *operand : operands)
    wide.push_back(builder.CreateFPExt(operand, builder.getFloatTy()));
  return builder.CreateFPTrunc(mathF32(*this, builder, kind, wide, options.flushesSubnormals),
                               type);
}

} // namespace gluonc::codegen::nvidia
