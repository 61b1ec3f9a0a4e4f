//===- VerifyAmd.cpp - Rules of the amdg operations ---------------------------===//
//
// Labels are those of the descriptions in AMDGOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static LogicalResult verifyBufferElements(Operation *op, Type values) {
  if (getElementTypeOrSelf(values).getIntOrFloatBitWidth() % 8 != 0) // buffer_c2
    return op->emitOpError("elements must be whole bytes, got ") << getElementTypeOrSelf(values);
  return success();
}

LogicalResult BufferLoadOp::verify() {
  if (getOther() && !getMask()) // buffer_load_c1
    return emitOpError("other needs a mask");
  return verifyBufferElements(*this, getType());
}

LogicalResult BufferStoreOp::verify() { return verifyBufferElements(*this, getValue().getType()); }

LogicalResult BufferAtomicRMWOp::verify() {
  using tt::RMWOp;
  Type element = getElementTypeOrSelf(getValue().getType());
  RMWOp kind = getAtomicRmwOp();
  bool isFloat = isa<FloatType>(element), takesBoth = false;
  switch (kind) {
  case RMWOp::MAX:
  case RMWOp::MIN:
  case RMWOp::XCHG:
    takesBoth = true;
    break;
  case RMWOp::FADD:
  case RMWOp::AND:
  case RMWOp::OR:
  case RMWOp::XOR:
  case RMWOp::ADD:
  case RMWOp::UMAX:
  case RMWOp::UMIN:
    break;
  }
  if (!takesBoth && isFloat != (kind == RMWOp::FADD)) // buffer_atomic_c1
    return emitOpError("cannot ") << tt::stringifyRMWOp(kind) << " elements of type " << element;
  unsigned bits = elementBits(element), least = kind == RMWOp::FADD ? 16 : 32;
  if (bits < least) // buffer_atomic_c2
    return emitOpError("cannot ") << tt::stringifyRMWOp(kind) << " elements of " << bits << " bits";
  return success();
}
