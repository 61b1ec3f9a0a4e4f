//===- AsyncOps.cpp - Rules and answers of amdg's asynchronous operations -------===//
//
// Labels are those of the .td files.
//
//===----------------------------------------------------------------------===//
#include "ir/Views.h"
#include "ir/amdg/AmdOps.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;

using Accesses = llvm::SmallVectorImpl<MemoryAccess>;

//===----------------------------------------------------------------------===//
// Copies in groups
//===----------------------------------------------------------------------===//

static LogicalResult verifySides(Operation *op, ArrayRef<int64_t> shape, Type element,
                                 ttg::MemDescType buffer) {
  if (buffer.isShared() && shape == buffer.getShape() && element == buffer.getElementType() &&
      !ringDims(buffer))
    return success();
  return op->emitOpError("global memory and buffer must agree in shape and element type, and the "
                         "buffer must be no ring"); // direct_c1
}

static LogicalResult verifyWritten(Operation *op, ttg::MemDescType buffer) {
  if (buffer.getMutableMemory())
    return success();
  return op->emitOpError("cannot store to an immutable buffer"); // direct_c2
}

LogicalResult BufferLoadToLocalOp::verify() {
  auto offsets = cast<RankedTensorType>(getOffsets().getType());
  ttg::MemDescType buffer = getDest().getType();
  if (failed(verifySides(*this, offsets.getShape(), tt::pointeeTypeOf(getPtr().getType()),
                         buffer)) ||
      failed(verifyWritten(*this, buffer)))
    return failure();
  if (!getOther())
    return success();
  if (!getMask()) // direct_c3
    return emitOpError("other needs a mask");
  if (getOther().getType() !=
      tt::withScalar(offsets, tt::pointeeTypeOf(getPtr().getType()))) // direct_c1
    return emitOpError("other must have the buffer's elements in shape and encoding of the "
                       "offsets");
  return success();
}

void BufferLoadToLocalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getDest(), MemoryAccess::Write, Completion::AsyncGroup});
}

LogicalResult AsyncCopyLocalToGlobalOp::verify() {
  auto pointers = cast<RankedTensorType>(getDst().getType());
  return verifySides(*this, pointers.getShape(),
                     getElementTypeOrSelf(tt::pointeeTypeOf(pointers)), getSrc().getType());
}

void AsyncCopyLocalToGlobalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read, Completion::AsyncGroup});
}
