//===- Gluon.td - Layouts that are still to be chosen ----------------------===//
#ifndef GLUONC_IR_GLUON
#define GLUONC_IR_GLUON

include "ir/interfaces/Interfaces.td"
include "ir/tt/TT.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Gluon_Dialect : Dialect {
  let name = "gluon";
  let cppNamespace = "::gluonc::gluon";
  let summary = "Placeholders that are resolved before transform";
  let useDefaultAttributePrinterParser = 1;
}

/// AutoLayout(): takes the layout of its neighbours.
def Gluon_AutoEncoding : AttrDef<Gluon_Dialect, "AutoEncoding"> {
  let mnemonic = "auto_encoding";
}
/// CoalescedLayout(): takes the layout that suits the pointers.
def Gluon_CoalescedEncoding : AttrDef<Gluon_Dialect, "CoalescedEncoding"> {
  let mnemonic = "coalesced_encoding";
}

def Gluon_SetAutoLayoutOp : Op<Gluon_Dialect, "set_auto_layout", [
    Pure, NoOnChip, OwnLayouts, ElementFlow]> {
  let summary = "Says which layout an inferred tensor takes";
  let description = [{
    `set_auto_layout_c1`: the source's encoding is auto, the result's is not.
    `set_auto_layout_c2`: shape and element type are equal.
  }];
  let arguments = (ins TT_Block:$src);
  let results = (outs TT_Block:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif
