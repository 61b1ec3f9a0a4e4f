//===- TTNGEnums.td - Enumerations of the ttng dialect ---------------------===//
#ifndef GLUONC_IR_TTNG_ENUMS
#define GLUONC_IR_TTNG_ENUMS

include "mlir/IR/EnumAttr.td"

/// What neighbouring elements are put together for.
def TTNG_PackedArithOpKind : I32EnumAttr<"PackedArithOpKind", "", [
  I32EnumAttrCase<"ADD", 0, "add">, I32EnumAttrCase<"SUB", 1, "sub">,
  I32EnumAttrCase<"MUL", 2, "mul">, I32EnumAttrCase<"FMA", 3, "fma">,
  I32EnumAttrCase<"MIN", 4, "min">, I32EnumAttrCase<"MAX", 5, "max">]> {
  let cppNamespace = "::gluonc::ttng";
}

/// What a load from tensor memory makes of each row.
def TTNG_TMEMLoadReduceModifier : I32EnumAttr<"TMEMLoadReduceModifier", "", [
  I32EnumAttrCase<"MIN", 1, "min">, I32EnumAttrCase<"MAX", 2, "max">]> {
  let cppNamespace = "::gluonc::ttng";
  let genSpecializedAttr = 0;
}

#endif
