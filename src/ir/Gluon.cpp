//===- Gluon.cpp - The gluon dialect -----------------------------------------===//
#include "ir/Hint.h"
#include "ir/InlineAnything.h"
#include "ir/Scope.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gluonc;

#include "ir/GluonDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/GluonAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/GluonOps.cpp.inc"
#define GET_OP_CLASSES
#include "ir/GluonHint.cpp.inc"
#define GET_OP_CLASSES
#include "ir/GluonScope.cpp.inc"

void gluon::GluonDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/GluonAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/GluonOps.cpp.inc"
      >();
  addOperations<HintOp, ScopeOp>();
  addInterfaces<InlineAnything>();
}
