//===- AsyncOps.cpp - Rules and answers of amdg's asynchronous operations -------===//
//
// Labels are those of the .td files.
//
//===----------------------------------------------------------------------===//
#include "ir/Views.h"
#include "ir/amdg/AmdOps.h"
#include "target/amd/Barriers.h"

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
  if (failed(
          verifySides(*this, offsets.getShape(), tt::pointeeTypeOf(getPtr().getType()), buffer)) ||
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
  return verifySides(*this, pointers.getShape(), getElementTypeOrSelf(tt::pointeeTypeOf(pointers)),
                     getSrc().getType());
}

void AsyncCopyLocalToGlobalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read, Completion::AsyncGroup});
}

//===----------------------------------------------------------------------===//
// Barriers in LDS, clusters
//===----------------------------------------------------------------------===//

static LogicalResult verifyBarrier(Operation *op, ttg::MemDescType type) {
  if (type.isShared() && type.getMutableMemory() && type.getElementType().isInteger(64) &&
      type.getShape() == ArrayRef<int64_t>{1})
    return success();
  return op->emitOpError("a barrier is a mutable buffer of one i64, got ")
         << type; // lds_barrier_c1
}

static LogicalResult verifyCount(Operation *op, int64_t count) {
  if (count >= 1 && count <= target::amd::maxArrivals)
    return success();
  return op->emitOpError("count must be 1 to ") // lds_barrier_c2
         << target::amd::maxArrivals << ", got " << count;
}

LogicalResult InitBarrierOp::verify() {
  return success(succeeded(verifyBarrier(*this, getAlloc().getType())) &&
                 succeeded(verifyCount(*this, int32_t(getCount()))));
}
LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }
LogicalResult ArriveBarrierOp::verify() {
  return success(succeeded(verifyBarrier(*this, getAlloc().getType())) &&
                 succeeded(verifyCount(*this, int32_t(getCount()))));
}
LogicalResult AsyncCopyMbarrierArriveOp::verify() {
  return verifyBarrier(*this, getBarrier().getType());
}

void InitBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::InitBarrier});
}
void WaitBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::UseBarrier});
}
std::optional<Completion> WaitBarrierOp::getAwaited() { return Completion::Mbarrier; }
void ArriveBarrierOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getAlloc(), MemoryAccess::UseBarrier});
}
void AsyncCopyMbarrierArriveOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getBarrier(), MemoryAccess::UseBarrier});
}

static LogicalResult verifyCluster(Operation *op) {
  if (ttg::numCtasOf(op) < 2) // workgroups_c1
    return op->emitOpError("needs a cluster of several CTAs; this kernel has num_ctas = 1");
  return success();
}
LogicalResult ClusterBarrierArriveOp::verify() { return verifyCluster(*this); }
LogicalResult ClusterBarrierWaitOp::verify() { return verifyCluster(*this); }

std::optional<ClusterSync> ClusterBarrierArriveOp::getClusterSync() {
  return ClusterSync{/*arrives=*/true, /*waits=*/false, /*ordersMemory=*/true};
}
bool ClusterBarrierWaitOp::synchronizesThreads() { return true; }
std::optional<ClusterSync> ClusterBarrierWaitOp::getClusterSync() {
  return ClusterSync{/*arrives=*/false, /*waits=*/true, /*ordersMemory=*/true};
}
