//===- EmitShared.cpp - Buffers in shared memory ---------------------------------===//
//
// A buffer value is its base pointer and, per dim, the element offset of the
// view that it is. Views cost nothing: the offsets enter the address of each
// access through the inverse of the layout, which for a constant offset is a
// constant, and because windows never cut a swizzle it combines by XOR.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emitter.h"

#include "codegen/SharedMemory.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/Vectorize.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// How a tensor moves to or from a buffer.
struct Transfer {
  layout::SharedAccessMap access;
  std::optional<layout::Layout> layout;
  const layout::PaddedSharedLayout *padded = nullptr;
};

unsigned lowestBit(int64_t value) { return value & -value; }

/// Alignment, in elements, that padding leaves to every vector; 0 without padding.
unsigned paddedAlignment(const layout::PaddedSharedLayout &padded, ArrayRef<int64_t> shape) {
  int64_t bits = layout::sharedElements(padded, shape);
  for (const layout::IntervalPadding &pair : padded.paddings)
    bits |= pair.padding;
  return lowestBit(bits);
}

std::optional<Transfer> planTransfer(Emitter &emitter, mlir::RankedTensorType tensor,
                                     ttg::MemDescType buffer) {
  Transfer transfer;
  transfer.layout = layoutOf(buffer.getEncoding());
  const LinearLayout *shared = linearOrNull(buffer);
  if (!transfer.layout || !shared)
    return std::nullopt;
  unsigned bits = 8 * elementBytes(tensor.getElementType());
  unsigned maxBits = 128;
  int64_t minInterval = 0;
  transfer.padded = transfer.layout->as<layout::PaddedSharedLayout>();
  if (transfer.padded) {
    maxBits = std::min(128u, bits * paddedAlignment(*transfer.padded, tensor.getShape()));
    for (const layout::IntervalPadding &pair : transfer.padded->paddings)
      minInterval = minInterval ? std::min(minInterval, pair.interval) : pair.interval;
  }
  // The tensor may be smaller than the buffer that the view was cut from.
  LinearLayout registers = emitter.layoutOf(tensor);
  for (layout::DimSize size : shared->outDims())
    if (registers.hasOut(size.dim))
      registers = registers.resizeOut(size.dim, size.log2);
  std::optional<layout::SharedAccessMap> access =
      layout::mapToShared(registers, *shared, bits, maxBits, minInterval);
  if (!access)
    return std::nullopt;
  transfer.access = std::move(*access);
  return transfer;
}

/// The thread's address within a view: thread part XOR the view's own offset.
ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes) {
  Builder &builder = emitter.builder;
  SmallVector<uint32_t> images = emitter.threadImages(transfer.access.map, Dim::Offset);
  Value *variable = emitter.threadPart(images);
  uint32_t mask = imageMask(images);
  const Registers &view = emitter.get(buffer);
  const LinearLayout &shared = toLinear(cast<ttg::MemDescType>(buffer.getType()));
  std::optional<LinearLayout> inverse = shared.pseudoInvert();
  for (auto [axis, offset] : enumerate(ArrayRef(view).drop_front())) {
    Constant *known = dyn_cast<Constant>(offset);
    if (!inverse || (known && known->isNullValue()))
      continue;
    SmallVector<uint32_t> axisImages;
    for (unsigned bit = 0; bit < inverse->inLog2(Dim::axis(axis)); ++bit)
      axisImages.push_back(inverse->basis(Dim::axis(axis), bit, Dim::Offset));
    variable = builder.CreateXor(variable, applyLinear(builder, offset, axisImages));
    mask |= imageMask(axisImages);
  }
  return ThreadAddress(emitter, view[0], variable, mask, bytes, transfer.padded);
}

/// Offset constant of a vector: that of its first register.
uint32_t vectorOffset(const Transfer &transfer, ArrayRef<uint32_t> registers) {
  const LinearLayout &map = transfer.access.map;
  return map.outComponent(map.applyPacked(map.packIn({{Dim::Register, registers[0]}})),
                          Dim::Offset);
}

LogicalResult storeTensor(Emitter &emitter, mlir::Operation *op, mlir::Value tensor,
                          mlir::Value buffer) {
  auto type = cast<mlir::RankedTensorType>(tensor.getType());
  std::optional<Transfer> transfer =
      planTransfer(emitter, type, cast<ttg::MemDescType>(buffer.getType()));
  if (!transfer)
    return emitter.unsupported(op, "a store to this shared layout");
  ThreadAddress address =
      addressOf(emitter, *transfer, buffer, elementBytes(type.getElementType()));
  const Registers &registers = emitter.get(tensor);
  // Threads with copies store the same bytes to the same place: no predicate.
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors) {
    Registers elements;
    for (uint32_t reg : vector)
      elements.push_back(registers[reg]);
    storeShared(emitter.builder, address.at(vectorOffset(*transfer, vector)), elements);
  }
  return success();
}

LogicalResult emitLocalStore(Emitter &emitter, ttg::LocalStoreOp op) {
  return storeTensor(emitter, op, op.getSrc(), op.getDst());
}

LogicalResult emitLocalLoad(Emitter &emitter, ttg::LocalLoadOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getType());
  std::optional<Transfer> transfer = planTransfer(emitter, type, op.getSrc().getType());
  if (!transfer)
    return emitter.unsupported(op, "a load from this shared layout");
  ThreadAddress address =
      addressOf(emitter, *transfer, op.getSrc(), elementBytes(type.getElementType()));
  Type *element = emitter.elementType(type.getElementType());
  Registers loaded(emitter.registerCount(type));
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors) {
    Registers elements = loadShared(emitter.builder, address.at(vectorOffset(*transfer, vector)),
                                    element, vector.size());
    for (auto [reg, value] : zip_equal(vector, elements))
      loaded[reg] = value;
  }
  Registers registers;
  for (uint32_t reg : transfer->access.vectors.representative)
    registers.push_back(loaded[reg]);
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

LogicalResult emitLocalAlloc(Emitter &emitter, ttg::LocalAllocOp op) {
  mlir::IntegerAttr offset = op->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
  if (!offset)
    return emitter.unsupported(op, "`ttg.local_alloc` without an allocated offset");
  Builder &builder = emitter.builder;
  Registers view(1 + op.getType().getRank(), builder.getInt32(0));
  view[0] = builder.CreateConstGEP1_32(builder.getInt8Ty(), emitter.state.shared, offset.getInt());
  emitter.set(op.getResult(), std::move(view));
  return op.getSrc() ? storeTensor(emitter, op, op.getSrc(), op.getResult()) : success();
}

LogicalResult emitLocalDealloc(Emitter &, ttg::LocalDeallocOp) { return success(); }

LogicalResult emitIndex(Emitter &emitter, ttg::MemDescIndexOp op) {
  Builder &builder = emitter.builder;
  ttg::MemDescType type = op.getType();
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout)
    return emitter.unsupported(op, "`ttg.memdesc_index` of this shared layout");
  int64_t bytes = layout::sharedElements(*layout, type.getShape()) *
                  elementBytes(type.getElementType());
  const Registers source = emitter.get(op.getSrc());
  Registers view(source.begin() + 1, source.end());
  Value *offset = builder.CreateNSWMul(emitter.scalar(op.getIndex()), builder.getInt32(bytes));
  view[0] = builder.CreateGEP(builder.getInt8Ty(), source[0], offset);
  emitter.set(op.getResult(), std::move(view));
  return success();
}

LogicalResult emitSubslice(Emitter &emitter, ttg::MemDescSubsliceOp op) {
  Registers view = emitter.get(op.getSrc());
  for (auto [axis, offset] : enumerate(op.getOffsets()))
    view[1 + axis] =
        emitter.builder.CreateAdd(view[1 + axis], emitter.builder.getInt32(offset));
  emitter.set(op.getResult(), std::move(view));
  return success();
}

LogicalResult emitTransView(Emitter &emitter, ttg::MemDescTransOp op) {
  const Registers source = emitter.get(op.getSrc());
  Registers view = {source[0]};
  for (int32_t from : op.getOrder())
    view.push_back(source[1 + from]);
  emitter.set(op.getResult(), std::move(view));
  return success();
}

/// Views that start where the source starts; their verifiers exclude windows.
template <typename Op> LogicalResult emitSameBase(Emitter &emitter, Op op) {
  Registers view(1 + op.getType().getRank(), emitter.builder.getInt32(0));
  view[0] = emitter.get(op.getSrc())[0];
  emitter.set(op.getResult(), std::move(view));
  return success();
}

/// `bar.sync` orders accesses to every memory, so the named ones do not matter.
LogicalResult emitBarrier(Emitter &emitter, ttg::BarrierOp) {
  emitter.isa.ctaBarrier(emitter.builder);
  return success();
}

} // namespace

void addShared(EmitTable &table) {
  table.add<emitLocalAlloc>();
  table.add<emitLocalDealloc>();
  table.add<emitLocalLoad>();
  table.add<emitLocalStore>();
  table.add<emitIndex>();
  table.add<emitSubslice>();
  table.add<emitTransView>();
  table.add<emitSameBase<ttg::MemDescReshapeOp>>();
  table.add<emitSameBase<ttg::MemDescReinterpretOp>>();
  table.add<emitBarrier>();
}

} // namespace gluonc::codegen
