//===- TensorMemoryOps.cpp - Text, effects and rules of tensor memory --------===//
//
// Labels are those of the descriptions in TensorMemoryOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Sanitizer.h"
#include "ir/Views.h"
#include "ir/ttng/ReducingLoad.h"
#include "ir/ttng/TensorMemoryRules.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;
namespace tmem = gluonc::target::nvidia::tmem;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void TMEMAllocOp::getEffects(
    llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  auto result = cast<OpResult>(getResult());
  effects.emplace_back(MemoryEffects::Allocate::get(), result, TensorMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), result, TensorMemory::get());
}

Value TMEMSubSliceOp::getViewSource() { return getSrc(); }

using Accesses = llvm::SmallVectorImpl<MemoryAccess>;

/// Of threads.
static MemoryAccess threadAccess(Value buffer, MemoryAccess::Kind kind) {
  return {buffer, kind, Completion::ProgramOrder, Proxy::Generic, MemorySpace::Tensor};
}

/// Of tensor cores, which a barrier tells of.
static MemoryAccess unitAccess(Value buffer, MemoryAccess::Kind kind) {
  const bool isShared = cast<ttg::MemDescType>(buffer.getType()).isShared();
  return {buffer, kind, Completion::Mbarrier, isShared ? Proxy::Async : Proxy::Generic,
          isShared ? MemorySpace::Shared : MemorySpace::Tensor};
}

void TMEMAllocOp::getAccesses(Accesses &accesses) {
  if (getSrc())
    accesses.push_back(threadAccess(getResult(), MemoryAccess::Write));
}
void TMEMLoadOp::getAccesses(Accesses &accesses) {
  accesses.push_back(threadAccess(getSrc(), MemoryAccess::Read));
}
void TMEMStoreOp::getAccesses(Accesses &accesses) {
  accesses.push_back(threadAccess(getDst(), MemoryAccess::Write));
}
void TCGen5MMAOp::getAccesses(Accesses &accesses) {
  for (Value barrier : getBarriers())
    accesses.push_back({barrier, MemoryAccess::UseBarrier});
  accesses.push_back(unitAccess(getA(), MemoryAccess::Read));
  accesses.push_back(unitAccess(getB(), MemoryAccess::Read));
  accesses.push_back(unitAccess(getD(), MemoryAccess::Write));
}
bool TCGen5MMAOp::accessesPeers() { return getTwoCtas() || getMulticast(); }
/// An arrival stands for all threads of the partition.
bool TCGen5MMAOp::synchronizesThreads() { return !getBarriers().empty(); }

void TCGen5CommitOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getBarrier(), MemoryAccess::UseBarrier});
}
bool TCGen5CommitOp::synchronizesThreads() { return true; }
bool TCGen5CommitOp::accessesPeers() { return ttg::hasTwoCtas(*this) || !getDescs().empty(); }

void TCGen5MMAScaledOp::getAccesses(Accesses &accesses) {
  for (Value barrier : getBarriers())
    accesses.push_back({barrier, MemoryAccess::UseBarrier});
  for (Value operand : {Value(getA()), Value(getB()), Value(getAScale()), Value(getBScale())})
    accesses.push_back(unitAccess(operand, MemoryAccess::Read));
  accesses.push_back(unitAccess(getD(), MemoryAccess::Write));
}
bool TCGen5MMAScaledOp::accessesPeers() { return getTwoCtas() || getMulticast(); }
bool TCGen5MMAScaledOp::synchronizesThreads() { return !getBarriers().empty(); }

void TMEMCopyOp::getAccesses(Accesses &accesses) {
  accesses.push_back(unitAccess(getSrc(), MemoryAccess::Read));
  accesses.push_back(unitAccess(getDst(), MemoryAccess::Write));
}
bool TMEMCopyOp::accessesPeers() { return ttg::hasTwoCtas(*this); }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, RankedTensorType tensor, ttg::MemDescType buffer) {
  if (!buffer.isTensorMemory()) // tmem_c1
    return op->emitOpError("takes a buffer in tensor memory, got ") << buffer;
  if (ringDims(buffer) || tensor.getShape() != buffer.getShape() ||
      tensor.getElementType() != buffer.getElementType()) // tmem_c2
    return op->emitOpError("tensor and buffer must agree in shape and element type");
  const int warps = ttg::numWarpsOf(op);
  if (warps % int(tmem::warps)) // tmem_c4
    return op->emitOpError("takes warps in fours, got ") << warps;
  if (std::string problem = whyNoTensorMemoryAccess(tensor, buffer); !problem.empty()) // tmem_c4
    return op->emitOpError(problem);
  return success();
}

LogicalResult TMEMAllocOp::verify() {
  ttg::MemDescType type = getResult().getType();
  if (!type.isTensorMemory()) // tmem_c1
    return emitOpError("the result must be in tensor memory");
  if (type.getShape() != type.getAllocShape()) // tmem_alloc_c1
    return emitOpError("the result must be a whole buffer");
  if (!getSrc() && !type.getMutableMemory()) // tmem_alloc_c2
    return emitOpError("a buffer without initial value must be mutable");
  if (std::string problem = whyNoTensorMemory(type); !problem.empty()) // tmem_alloc_c3
    return emitOpError(problem);
  return getSrc() ? verifyAccess(*this, cast<RankedTensorType>(getSrc().getType()), type)
                  : success();
}

LogicalResult TMEMLoadOp::verify() {
  if (failed(
          verifyAccess(*this, cast<RankedTensorType>(getResult().getType()), getSrc().getType())))
    return failure();
  return verifyReducingLoad(*this);
}

LogicalResult TMEMStoreOp::verify() {
  if (!getDst().getType().getMutableMemory()) // tmem_c3
    return emitOpError("cannot store to an immutable buffer");
  return verifyAccess(*this, cast<RankedTensorType>(getSrc().getType()), getDst().getType());
}

LogicalResult TMEMSubSliceOp::verify() {
  ttg::MemDescType source = getSrc().getType(), result = getType();
  if (!source.isTensorMemory() || !result.isTensorMemory()) // tmem_c1
    return emitOpError("takes a buffer in tensor memory, got ") << source;
  const int64_t dim = int32_t(getDim()), offset = int32_t(getOffset()), rank = source.getRank();
  bool agree = source.getEncoding() == result.getEncoding() &&
               source.getElementType() == result.getElementType() &&
               source.getAllocShape() == result.getAllocShape() && result.getRank() == rank &&
               dim >= 0 && dim < rank && source.getMutableMemory() == result.getMutableMemory();
  for (int64_t d = 0; agree && d < rank; ++d)
    agree = d == dim || source.getShape()[d] == result.getShape()[d];
  if (!agree) // tmem_subslice_c1
    return emitOpError("source and result must agree but in the size of the dimension that is cut");
  const int64_t size = result.getShape()[dim];
  if (offset < 0 || offset + size > source.getShape()[dim]) // tmem_subslice_c2
    return emitOpError("the window must lie inside");
  if (std::string why = whyNoWindow(source, dim, offset, size); !why.empty()) // tmem_subslice_c3
    return emitOpError(why);
  return success();
}

/// What products with and without scales share.
template <typename Op>
static LogicalResult verifyProduct(Op op, const std::optional<TensorProduct> &product,
                                   const std::string &why) {
  if (!product) // tc_gen5_mma_c1 to tc_gen5_mma_c5
    return op.emitOpError(why);
  if (!op.getD().getType().getMutableMemory()) // tmem_c3
    return op.emitOpError("cannot store to an immutable buffer");
  if (op.getTwoCtas() != (product->ctas == 2)) // tc_gen5_mma_c7
    return op.emitOpError("`two_ctas` must be that of the accumulator's encoding");
  if (op.getBarriers().size() != op.getBarrierPreds().size()) // tc_gen5_mma_c6
    return op.emitOpError("needs as many predicates as barriers");
  return success();
}

LogicalResult TCGen5MMAOp::verify() {
  std::string why;
  auto product = tensorProduct(getA().getType(), getB().getType(), getD().getType(), why,
                               isSanitizedFloat(*this));
  if ((getUnsignedA() && !getA().getType().getElementType().isInteger(8)) ||
      (getUnsignedB() && !getB().getType().getElementType().isInteger(8))) // tc_gen5_mma_c2
    return emitOpError("only integers are unsigned");
  return verifyProduct(*this, product, why);
}

LogicalResult TCGen5MMAScaledOp::verify() {
  std::string why;
  auto product = tensorProduct(scaledOperands(*this), why, isSanitizedFloat(*this));
  return verifyProduct(*this, product, why);
}

LogicalResult TCGen5CommitOp::verify() { return success(); }

LogicalResult TMEMCopyOp::verify() {
  std::string why;
  if (!getDst().getType().getMutableMemory()) // tmem_c3
    return emitOpError("cannot store to an immutable buffer");
  if (!tensorCopy(getSrc().getType(), getDst().getType(), why)) // tmem_copy_c1 to tmem_copy_c3
    return emitOpError(why);
  return success();
}
