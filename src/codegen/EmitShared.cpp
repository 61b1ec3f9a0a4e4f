//===- EmitShared.cpp - Buffers in shared memory ---------------------------------===//
//
// A buffer value is its base pointer and, per dim, the element offset of the
// view that it is. Views cost nothing: the offsets enter the address of each
// access through the inverse of the layout, which for a constant offset is a
// constant, and because windows never cut a swizzle it combines by XOR.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emitter.h"

#include "codegen/SharedTransfer.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

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
  int64_t bytes =
      layout::sharedElements(*layout, type.getShape()) * elementBytes(type.getElementType());
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
    view[1 + axis] = emitter.builder.CreateAdd(view[1 + axis], emitter.builder.getInt32(offset));
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
