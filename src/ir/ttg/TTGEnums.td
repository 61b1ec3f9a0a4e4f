//===- TTGEnums.td - Enumerations of the ttg dialect -----------------------===//
#ifndef GLUONC_IR_TTG_ENUMS
#define GLUONC_IR_TTG_ENUMS

include "mlir/IR/EnumAttr.td"

/// What a barrier orders besides the threads' control flow.
def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "", [
  I32BitEnumAttrCaseNone<"None", "none">,
  I32BitEnumAttrCaseBit<"Local", 0, "local">,
  I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">,
  I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">,
  I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">,
  I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">,
  I32BitEnumAttrCaseGroup<"All", [
    I32BitEnumAttrCaseBit<"Local", 0, "local">,
    I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">,
    I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">,
    I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">,
    I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">], "all">]> {
  let cppNamespace = "::gluonc::ttg";
  let separator = "|";
  // A set that is exactly a group prints as the group: `all`.
  let printBitEnumPrimaryGroups = 1;
}

#endif
