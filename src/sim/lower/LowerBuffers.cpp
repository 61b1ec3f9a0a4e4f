//===- LowerBuffers.cpp - AMD's accesses by base and offset ------------------===//
//
// Addresses and masks of elements are computed first, then the access is one like
// any other. What lies behind the 2 GiB of a buffer reads as zero and is not
// written; within them, memory that the kernel was not given is a fault, as it is
// for pointers.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/AmdOps.h"
#include "sim/lower/Buffers.h"
#include "sim/lower/Elementwise.h"

namespace gluonc::sim {
namespace {

/// Bytes of a buffer: as many as every resource descriptor says.
constexpr uint64_t kBufferBytes = 0x7ffffffe;

/// Offsets wrap at 32 bits as bytes.
bool isInside(uint32_t offset, uint64_t elementBytes) {
  return uint64_t(uint32_t(offset * elementBytes)) + elementBytes <= kBufferBytes;
}

template <class T> T elementOf(Cta &cta, Slot slot, uint32_t element) {
  return cta.at<T>(slot)[slot.elements == 1 ? 0 : element];
}

/// Operands: base, offsets. `immediate` is the size of an element.
void runBufferAddresses(const Instruction &instruction, Cta &cta) {
  auto *result = cta.at<uint64_t>(instruction.result);
  const uint64_t base = *cta.at<uint64_t>(instruction.operands[0]);
  const auto *offsets = cta.at<uint32_t>(instruction.operands[1]);
  for (uint32_t i = 0; i < instruction.result.elements; ++i)
    result[i] = base + uint32_t(offsets[i] * instruction.immediate);
}

/// Operands: offsets, mask if there is one.
void runBufferMask(const Instruction &instruction, Cta &cta) {
  auto *result = cta.at<uint8_t>(instruction.result);
  const bool masked = instruction.operandCount > 1;
  for (uint32_t i = 0; i < instruction.result.elements; ++i)
    result[i] =
        isInside(elementOf<uint32_t>(cta, instruction.operands[0], i), instruction.immediate) &&
        (!masked || elementOf<uint8_t>(cta, instruction.operands[1], i));
}

/// What elements become that are not read: those behind the end are zero. Operands: mask, other.
template <class T> void runBufferOther(const Instruction &instruction, Cta &cta) {
  T *result = cta.at<T>(instruction.result);
  for (uint32_t i = 0; i < instruction.result.elements; ++i)
    result[i] = elementOf<uint8_t>(cta, instruction.operands[0], i)
                    ? T(0)
                    : elementOf<T>(cta, instruction.operands[1], i);
}

Handler otherHandler(uint32_t bytes) {
  return bytes == 1   ? runBufferOther<uint8_t>
         : bytes == 2 ? runBufferOther<uint16_t>
         : bytes == 4 ? runBufferOther<uint32_t>
                      : runBufferOther<uint64_t>;
}

} // namespace

llvm::SmallVector<Slot, 4> bufferOperands(Lowering &lowering, AccessData &data, mlir::Value base,
                                          mlir::Value offsets, mlir::Value mask) {
  data.parameter = lowering.parameterOf(base);
  data.masked = true;
  Slot offset = lowering.slotOf(offsets);
  Slot addresses = lowering.temporary(ElementKind::Pointer, offset.elements);
  lowering.emit(runBufferAddresses, taintElementwise, addresses, {lowering.slotOf(base), offset})
      .immediate = data.elementBytes;
  llvm::SmallVector<Slot, 2> conditions = {offset};
  if (mask)
    conditions.push_back(lowering.slotOf(mask));
  Slot active =
      lowering.temporary(ElementKind::I1, std::max(offset.elements, conditions.back().elements));
  lowering.emit(runBufferMask, taintElementwise, active, conditions).immediate = data.elementBytes;
  return {addresses, active};
}

Slot bufferOther(Lowering &lowering, mlir::Value mask, mlir::Value other, ElementKind kind) {
  if (!other)
    return lowering.constant(std::string(8, '\0'), 1);
  Slot condition = lowering.slotOf(mask), given = lowering.slotOf(other);
  Slot result = lowering.temporary(kind, std::max(condition.elements, given.elements));
  lowering.emit(otherHandler(byteSize(kind)), taintElementwise, result, {condition, given});
  return result;
}

namespace {

/// Operands of the access that a buffer operation is: addresses, mask, and room for more.
struct BufferAccess {
  AccessData *data;
  llvm::SmallVector<Slot, 4> operands;
};

BufferAccess addBufferAccess(Lowering &lowering, mlir::Value base, mlir::Value offsets,
                             mlir::Value mask, uint32_t bytes, const char *verb) {
  AccessData *data = addAccess(lowering, offsets, bytes, verb);
  return {data, bufferOperands(lowering, *data, base, offsets, mask)};
}

bool lowerBufferLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<amdg::BufferLoadOp>(operation);
  ElementKind kind = lowering.kindOf(load.getResult());
  const uint32_t bytes = byteSize(kind);
  BufferAccess access =
      addBufferAccess(lowering, load.getPtr(), load.getOffsets(), load.getMask(), bytes, "load");
  access.data->reads = true;
  access.data->hasOther = true;
  access.operands.push_back(bufferOther(lowering, load.getMask(), load.getOther(), kind));
  if (llvm::all_of(access.operands, [](Slot slot) { return slot.elements == 1; }))
    access.data->elements = access.data->rowElements = 1;
  Slot result = lowering.define(load.getResult(), access.data->elements);
  lowering.emit(loadHandler(bytes), taintLoad, result, access.operands).data = access.data;
  return true;
}

bool lowerBufferStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<amdg::BufferStoreOp>(operation);
  const uint32_t bytes = byteSize(lowering.kindOf(store.getValue()));
  BufferAccess access = addBufferAccess(lowering, store.getPtr(), store.getOffsets(),
                                        store.getMask(), bytes, "store");
  access.data->writes = true;
  access.operands.push_back(lowering.slotOf(store.getValue()));
  if (llvm::all_of(access.operands, [](Slot slot) { return slot.elements == 1; }))
    access.data->elements = access.data->rowElements = 1;
  lowering.emitOnce(store.getValue().getType(), [&] {
    lowering.emit(storeHandler(bytes), taintStore, Slot(), access.operands).data = access.data;
  });
  return true;
}

bool lowerBufferAtomic(Lowering &lowering, mlir::Operation *operation) {
  auto atomic = mlir::cast<amdg::BufferAtomicRMWOp>(operation);
  ElementKind kind = lowering.kindOf(atomic.getValue());
  Handler handler = atomicHandler(atomic.getAtomicRmwOp(), kind);
  if (!handler)
    return false;
  const bool isAsked = !atomic.getResult().use_empty();
  if (isAsked || !commutes(atomic.getAtomicRmwOp(), kind))
    lowering.program.sequential = true;
  BufferAccess access = addBufferAccess(lowering, atomic.getPtr(), atomic.getOffsets(),
                                        atomic.getMask(), byteSize(kind), "atomic");
  access.data->reads = access.data->writes = true;
  setOrder(*access.data, atomic.getSem(), atomic.getScope(), isAsked);
  access.operands.push_back(lowering.slotOf(atomic.getValue()));
  Slot result = lowering.define(atomic.getResult(), access.data->elements);
  lowering.emitOnce(atomic.getType(), [&] {
    lowering.emit(handler, taintStore, result, access.operands).data = access.data;
  });
  if (isAsked)
    lowering.emitHandOut(atomic.getType(), result, kind);
  return true;
}

} // namespace

void addBuffers(OperationTable &table) {
  table["amdg.buffer_load"] = lowerBufferLoad;
  table["amdg.buffer_store"] = lowerBufferStore;
  table["amdg.buffer_atomic_rmw"] = lowerBufferAtomic;
}

} // namespace gluonc::sim
