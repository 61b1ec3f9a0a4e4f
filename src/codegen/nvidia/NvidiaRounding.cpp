//===- NvidiaRounding.cpp - Arithmetic and casts that round in a given direction ---===//
//
// One PTX instruction each, as text: its parts are the parts of what is asked for.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"

#include "support/Error.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

StringRef suffixOf(RoundingMode rounding) {
  switch (rounding) {
  case RoundingMode::NearestTiesToEven:
    return "rn";
  case RoundingMode::TowardZero:
    return "rz";
  case RoundingMode::TowardNegative:
    return "rm";
  case RoundingMode::TowardPositive:
    return "rp";
  default:
    GL_ICE("PTX has no such rounding");
  }
}

StringRef nameOf(RoundedKind kind) {
  switch (kind) {
  case RoundedKind::Add:
    return "add";
  case RoundedKind::Multiply:
    return "mul";
  case RoundedKind::MultiplyAdd:
    return "fma";
  case RoundedKind::Divide:
    return "div";
  case RoundedKind::Reciprocal:
    return "rcp";
  case RoundedKind::Root:
    return "sqrt";
  }
}

std::string typeName(Type *type, bool isUnsigned) {
  std::string letter = type->isFloatingPointTy() ? "f" : isUnsigned ? "u" : "s";
  return letter + std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
}

} // namespace

Value *NvidiaIsa::roundedMath(Builder &builder, RoundedKind kind, RoundingMode rounding,
                              ArrayRef<Value *> operands) const {
  Type *type = operands[0]->getType();
  // What f64 functions are made of: LLVM folds these where their operands are constants.
  bool isNearest = rounding == RoundingMode::NearestTiesToEven && type->isDoubleTy();
  if (isNearest && kind == RoundedKind::Multiply)
    return builder.CreateIntrinsic(Intrinsic::nvvm_mul_rn_d, {}, operands);
  if (isNearest && kind == RoundedKind::Add)
    return builder.CreateIntrinsic(Intrinsic::nvvm_add_rn_d, {}, operands);
  std::string text = (nameOf(kind) + "." + suffixOf(rounding) + "." + typeName(type, false)).str();
  text += " $0";
  for (size_t i = 0; i < operands.size(); ++i)
    text += ", $" + std::to_string(i + 1);
  return emitAsm(builder, text + ";", type, operands, AsmEffect::Pure);
}

Value *NvidiaIsa::roundedCast(Builder &builder, Value *value, Type *to, bool isUnsigned,
                              RoundingMode rounding) const {
  // To an integer the name of the rounding ends in i.
  std::string text = ("cvt." + suffixOf(rounding) + (to->isIntegerTy() ? "i." : ".")).str();
  text += typeName(to, isUnsigned) + "." + typeName(value->getType(), isUnsigned) + " $0, $1;";
  return emitAsm(builder, text, to, {value}, AsmEffect::Pure);
}

} // namespace gluonc::codegen::nvidia
