//===- Hint.td - What the author says of a value ------------------------------===//
//
// An operation of the dialect gluon with a header of its own (Hint.h): few files
// need it.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_HINT
#define GLUONC_IR_HINT

include "ir/Gluon.td"

/// Written, so that the operation stays.
def Gluon_Hints : Resource<"::gluonc::gluon::Hints">;

def Gluon_HintOp : Op<Gluon_Dialect, "hint", [
    NoOnChip, OwnLayouts, Pointwise, MemoryEffects<[MemWrite<Gluon_Hints>]>]> {
  let summary = "The attributes tt.divisibility, tt.contiguity, tt.constancy hold for `value` from here on";
  let description = [{
    For values that no operation makes, such as those that loops carry: others have the attributes
    on the operation.
  }];
  let arguments = (ins AnyTypeOf<[TT_Int, TT_Ptr, TT_Block]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
