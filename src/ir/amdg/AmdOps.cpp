//===- AmdOps.cpp - Text, types, effects of amdg ------------------------------===//
#include "ir/amdg/AmdOps.h"

#include "ir/InlineAnything.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;

#include "ir/AMDGDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ir/AMDGOps.cpp.inc"

void AMDGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/AMDGOps.cpp.inc"
      >();
  addInterfaces<InlineAnything>();
}

Type amdg::bufferPointer(Type values) { return tt::PointerType::get(getElementTypeOrSelf(values)); }

Type amdg::bufferOffsets(Type values) {
  return tt::withScalar(values, IntegerType::get(values.getContext(), 32));
}
