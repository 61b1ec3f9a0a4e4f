//===- Gluon.td - Layouts that are still to be chosen ----------------------===//
#ifndef GLUONC_IR_GLUON
#define GLUONC_IR_GLUON

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

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

#endif
