//===- AmdRounding.cpp - Arithmetic and casts that round in a given direction ------===//
//
// The direction is a field of the wave's MODE register, one for f32 and one for f64 (and
// f16); it is set around the one instruction. To nearest it stands already.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// As MODE has it (LLVM, AMDGPUUsage, "amdhsa_float_round_mode_32").
unsigned modeOf(RoundingMode rounding) {
  switch (rounding) {
  case RoundingMode::TowardPositive:
    return 1;
  case RoundingMode::TowardNegative:
    return 2;
  case RoundingMode::TowardZero:
    return 3;
  default:
    return 0;
  }
}

/// `instruction` with its operands in vector registers. `narrow` says that it rounds to f32.
Value *emitRounded(Builder &builder, StringRef instruction, bool narrow, RoundingMode rounding,
                   Type *result, ArrayRef<Value *> operands) {
  std::string field = std::string("hwreg(HW_REG_MODE, ") + (narrow ? "0" : "2") + ", 2)";
  std::string text = "s_setreg_imm32_b32 " + field + ", " + std::to_string(modeOf(rounding)) +
                     "\n\t" + instruction.str() + " $0";
  std::string constraints = "=&v";
  SmallVector<Type *> types;
  for (auto [i, operand] : enumerate(operands)) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",v";
    types.push_back(operand->getType());
  }
  text += "\n\ts_setreg_imm32_b32 " + field + ", 0";
  InlineAsm *code = InlineAsm::get(FunctionType::get(result, types, false), text, constraints,
                                   /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(code, operands);
  call->addFnAttr(Attribute::NoUnwind);
  call->setMemoryEffects(MemoryEffects::none());
  return call;
}

Value *toNearest(Builder &builder, RoundedKind kind, ArrayRef<Value *> in) {
  // Whoever asks for one rounding wants no contraction.
  Builder::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  Type *type = in[0]->getType();
  switch (kind) {
  case RoundedKind::Add:
    return builder.CreateFAdd(in[0], in[1]);
  case RoundedKind::Multiply:
    return builder.CreateFMul(in[0], in[1]);
  case RoundedKind::MultiplyAdd:
    return builder.CreateIntrinsic(type, Intrinsic::fma, in);
  case RoundedKind::Divide:
    return builder.CreateFDiv(in[0], in[1]);
  case RoundedKind::Reciprocal:
    return builder.CreateFDiv(ConstantFP::get(type, 1), in[0]);
  case RoundedKind::Root:
    return builder.CreateUnaryIntrinsic(Intrinsic::sqrt, in[0]);
  }
}

StringRef nameOf(RoundedKind kind, bool narrow) {
  switch (kind) {
  case RoundedKind::Add:
    return narrow ? "v_add_f32" : "v_add_f64";
  case RoundedKind::Multiply:
    return narrow ? "v_mul_f32" : "v_mul_f64";
  case RoundedKind::MultiplyAdd:
    return narrow ? "v_fma_f32" : "v_fma_f64";
  case RoundedKind::Divide:
  case RoundedKind::Reciprocal:
  case RoundedKind::Root:
    return "";
  }
}

Intrinsic::ID roundingTo(RoundingMode rounding) {
  switch (rounding) {
  case RoundingMode::TowardPositive:
    return Intrinsic::ceil;
  case RoundingMode::TowardNegative:
    return Intrinsic::floor;
  case RoundingMode::TowardZero:
    return Intrinsic::trunc;
  default:
    return Intrinsic::roundeven;
  }
}

} // namespace

// Quotients and roots are sequences of instructions, of which no single one rounds.
Value *AmdIsa::roundedMath(Builder &builder, RoundedKind kind, RoundingMode rounding,
                           ArrayRef<Value *> operands) const {
  if (rounding == RoundingMode::NearestTiesToEven)
    return toNearest(builder, kind, operands);
  Type *type = operands[0]->getType();
  StringRef name = nameOf(kind, type->isFloatTy());
  if (name.empty())
    return nullptr;
  return emitRounded(builder, name, type->isFloatTy(), rounding, type, operands);
}

// Rounding twice in one direction is rounding once, but not to nearest.
Value *AmdIsa::roundedCast(Builder &builder, Value *value, Type *to, bool isUnsigned,
                           RoundingMode rounding) const {
  bool nearest = rounding == RoundingMode::NearestTiesToEven;
  Type *from = value->getType();
  if (to->isIntegerTy()) {
    Value *whole = builder.CreateUnaryIntrinsic(roundingTo(rounding), value);
    return builder.CreateIntrinsic(isUnsigned ? Intrinsic::fptoui_sat : Intrinsic::fptosi_sat,
                                   {to, from}, {whole});
  }
  auto asFloat = [&](Value *x, Type *type, bool asUnsigned) {
    return asUnsigned ? builder.CreateUIToFP(x, type) : builder.CreateSIToFP(x, type);
  };
  if (from->isIntegerTy() && nearest)
    return asFloat(value, to, isUnsigned);
  Type *wide = builder.getDoubleTy();
  if (from->isIntegerTy(32)) {
    value = asFloat(value, wide, isUnsigned);
  } else if (from->isIntegerTy(64)) {
    Value *upper = builder.CreateTrunc(builder.CreateLShr(value, 32), builder.getInt32Ty());
    Value *lower = builder.CreateTrunc(value, builder.getInt32Ty());
    Value *high =
        builder.CreateFMul(asFloat(upper, wide, isUnsigned), ConstantFP::get(wide, 0x1p32));
    value = roundedMath(builder, RoundedKind::Add, rounding,
                        {high, asFloat(lower, wide, /*asUnsigned=*/true)});
  }
  if (to->isDoubleTy())
    return value;
  if (nearest)
    return builder.CreateFPTrunc(value, to);
  return emitRounded(builder, "v_cvt_f32_f64", /*narrow=*/true, rounding, to, {value});
}

} // namespace gluonc::codegen::amd
