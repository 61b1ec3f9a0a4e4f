//===- Scope.td - Regions that a kernel names itself ---------------------------===//
//
// An operation of the dialect gluon with a header of its own (Scope.h): few files
// need it.
//
//===----------------------------------------------------------------------===//
#ifndef GLUONC_IR_SCOPE
#define GLUONC_IR_SCOPE

include "ir/Gluon.td"

/// Written, so that the operation stays where it is.
def Gluon_Scopes : Resource<"::gluonc::gluon::Scopes">;

def Gluon_ScopeOp : Op<Gluon_Dialect, "scope", [
    NoOnChip, MemoryEffects<[MemWrite<Gluon_Scopes>]>]> {
  let summary = "A region of this name begins or ends here, for timelines";
  let description = [{
    Its block has the other border. Borders are dropped unless the module has `gluon.traced`; then
    `transform` numbers their names (`gluon.number`).
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$ends);
  let assemblyFormat = "(`end` $ends^)? $name attr-dict";
}

#endif
