//===- EmitShared.cpp - Buffers in shared memory ---------------------------------===//
//
// A buffer value is its base pointer and, per dim, the element offset of the
// view that it is. Views cost nothing: the offsets enter the address of each
// access through the inverse of the layout, which for a constant offset is a
// constant, and because windows never cut a swizzle it combines by XOR.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/LocalLoad.h"

#include "codegen/core/Emitter.h"

#include "codegen/core/SharedTransfer.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

void storeMatrices(Emitter &emitter, const Transfer &transfer, const layout::MatrixAccess &matrices,
                   const Registers &registers, ThreadAddress address) {
  Type *word = emitter.builder.getInt32Ty();
  for (uint32_t base : matrices.bases) {
    Registers words;
    for (unsigned matrix = 0; matrix < matrices.matrices(); ++matrix) {
      Registers elements;
      for (unsigned i = 0; i < matrices.elementsPerWord(); ++i)
        elements.push_back(registers[matrices.registerOf(base, matrix, i)]);
      append_range(words, packWords(emitter.builder, elements, word));
    }
    emitter.isa.storeMatrices(emitter.builder, address.at(registerOffset(transfer, base)), words,
                              matrices.transposed);
  }
}

Registers loadMatrices(Emitter &emitter, const Transfer &transfer,
                       const layout::MatrixAccess &matrices, Type *element, unsigned count,
                       ThreadAddress address) {
  Registers loaded(count);
  unsigned perWord = matrices.elementsPerWord();
  for (uint32_t base : matrices.bases) {
    Registers words =
        emitter.isa.loadMatrices(emitter.builder, address.at(registerOffset(transfer, base)),
                                 matrices.matrices(), matrices.transposed);
    for (auto [matrix, word] : enumerate(words))
      for (auto [i, value] : enumerate(unpackWords(emitter.builder, word, element, perWord)))
        loaded[matrices.registerOf(base, matrix, i)] = value;
  }
  return loaded;
}

Registers select(const Registers &registers, ArrayRef<uint32_t> which) {
  Registers selected;
  for (uint32_t reg : which)
    selected.push_back(registers[reg]);
  return selected;
}

LogicalResult storeTensor(Emitter &emitter, mlir::Operation *op, mlir::Value tensor,
                          mlir::Value buffer) {
  auto type = cast<mlir::RankedTensorType>(tensor.getType());
  std::optional<Transfer> transfer =
      planTransfer(emitter, type, cast<ttg::MemDescType>(buffer.getType()));
  if (!transfer)
    return emitter.unsupported(op, "a store to this shared layout");
  unsigned bytes = elementBytes(type.getElementType());
  const Registers &registers = emitter.get(tensor);
  if (transfer->copies || crossesCtas(emitter, *transfer, buffer)) {
    PeerAddress address = peerAddressOf(emitter, *transfer, buffer, bytes);
    for (uint32_t copy : layout::combinations(transfer->copies))
      for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors)
        storePeer(
            emitter,
            address.at(vectorOffset(*transfer, vector), registerBlock(*transfer, vector[0]) ^ copy),
            select(registers, vector));
    return success();
  }
  if (auto matrices = planMatrices(emitter, *transfer, bytes, /*store=*/true)) {
    storeMatrices(
        emitter, *transfer, *matrices, registers,
        addressOf(emitter, *transfer, buffer, bytes, matrixImages(emitter, *transfer, *matrices)));
    return success();
  }
  ThreadAddress address = addressOf(emitter, *transfer, buffer, bytes);
  // Threads with copies store the same bytes to the same place: no predicate.
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors)
    storeShared(emitter.builder, address.at(vectorOffset(*transfer, vector)),
                select(registers, vector));
  return success();
}

LogicalResult emitLocalStore(Emitter &emitter, ttg::LocalStoreOp op) {
  return storeTensor(emitter, op, op.getSrc(), op.getDst());
}

} // namespace

LogicalResult emitLocalLoad(Emitter &emitter, ttg::LocalLoadOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getType());
  std::optional<Transfer> transfer = planTransfer(emitter, type, op.getSrc().getType());
  if (!transfer)
    return emitter.unsupported(op, "a load from this shared layout");
  unsigned bytes = elementBytes(type.getElementType());
  Type *element = emitter.types.ofElement(type.getElementType());
  unsigned count = emitter.types.registerCount(type);
  bool crosses = crossesCtas(emitter, *transfer, op.getSrc());
  if (auto matrices =
          crosses ? std::nullopt : planMatrices(emitter, *transfer, bytes, /*store=*/false)) {
    ThreadAddress address = addressOf(emitter, *transfer, op.getSrc(), bytes,
                                      matrixImages(emitter, *transfer, *matrices));
    emitter.set(op.getResult(),
                loadMatrices(emitter, *transfer, *matrices, element, count, std::move(address)));
    return success();
  }
  Registers loaded(count);
  std::optional<PeerAddress> peers;
  if (crosses)
    peers.emplace(peerAddressOf(emitter, *transfer, op.getSrc(), bytes));
  ThreadAddress address = addressOf(emitter, *transfer, op.getSrc(), bytes);
  for (ArrayRef<uint32_t> vector : transfer->access.vectors.vectors) {
    uint32_t offset = vectorOffset(*transfer, vector);
    Registers elements =
        crosses ? loadPeer(emitter, peers->at(offset, registerBlock(*transfer, vector[0])), element,
                           vector.size())
                : loadShared(emitter.builder, address.at(offset), element, vector.size());
    for (auto [reg, value] : zip_equal(vector, elements))
      loaded[reg] = value;
  }
  Registers registers;
  for (uint32_t reg : transfer->access.vectors.representative)
    registers.push_back(loaded[reg]);
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

namespace {

LogicalResult emitLocalAlloc(Emitter &emitter, ttg::LocalAllocOp op) {
  Value *place = emitter.sharedOf(op);
  if (!place)
    return failure();
  Registers view(1 + op.getType().getRank(), emitter.builder.getInt32(0));
  view[0] = place;
  emitter.set(op.getResult(), std::move(view));
  return op.getSrc() ? storeTensor(emitter, op, op.getSrc(), op.getResult()) : success();
}

LogicalResult emitLocalDealloc(Emitter &, ttg::LocalDeallocOp) { return success(); }

LogicalResult emitIndex(Emitter &emitter, ttg::MemDescIndexOp op) {
  Builder &builder = emitter.builder;
  ttg::MemDescType type = op.getType();
  if (type.isTensorMemory()) {
    Value *columns = builder.getInt32(ttng::columnsOfBuffer(type));
    emitter.set(op.getResult(),
                {builder.CreateAdd(emitter.get(op.getSrc())[0],
                                   builder.CreateMul(emitter.scalar(op.getIndex()), columns))});
    return success();
  }
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout)
    return emitter.unsupported(op, "`ttg.memdesc_index` of this shared layout");
  int64_t bytes =
      layout::sharedElements(*layout, type.getShape()) * elementBytes(type.getElementType());
  const Registers source = emitter.get(op.getSrc());
  Registers view(source.begin() + 1, source.end());
  // The view may begin at a later buffer of the ring.
  Value *index = builder.CreateNSWAdd(emitter.scalar(op.getIndex()), source[1]);
  Value *offset = builder.CreateNSWMul(index, builder.getInt32(bytes));
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

/// Where a window without gaps begins.
Value *startOfWindow(Emitter &emitter, mlir::Value buffer) {
  Builder &builder = emitter.builder;
  auto type = cast<ttg::MemDescType>(buffer.getType());
  const Registers &view = emitter.get(buffer);
  const layout::LinearLayout &linear = toLinear(type);
  size_t bufferDims = linear.outDims().size();
  // A part of lower rank than its layout is a whole buffer.
  if (size_t(type.getRank()) < bufferDims)
    return view[0];
  size_t ringDims = type.getRank() - bufferDims;
  std::optional<layout::LinearLayout> inverse = linear.pseudoInvert();
  int64_t buffers = 1, element = elementBytes(type.getElementType());
  Value *offset = builder.getInt32(0);
  for (size_t dim = type.getRank(); dim-- > 0;) {
    Value *begin = view[1 + dim], *part;
    if (dim < ringDims) {
      int64_t size = layout::sharedElements(toLayout(type.getEncoding()),
                                            type.getAllocShape().take_back(bufferDims));
      part = builder.CreateMul(begin, builder.getInt32(buffers * size * element));
      buffers *= type.getShape()[dim];
    } else {
      layout::Dim axis = layout::Dim::axis(dim - ringDims);
      SmallVector<uint32_t> images;
      for (unsigned bit = 0; inverse && bit < inverse->inLog2(axis); ++bit)
        images.push_back(inverse->basis(axis, bit, layout::Dim::Offset) * element);
      part = applyLinear(builder, begin, images);
    }
    offset = builder.CreateAdd(offset, part);
  }
  return builder.CreateGEP(builder.getInt8Ty(), view[0], offset);
}

LogicalResult emitReinterpret(Emitter &emitter, ttg::MemDescReinterpretOp op) {
  if (op.getType().isTensorMemory()) {
    emitter.set(op.getResult(), {emitter.get(op.getSrc())[0]});
    return success();
  }
  Registers view(1 + op.getType().getRank(), emitter.builder.getInt32(0));
  view[0] = startOfWindow(emitter, op.getSrc());
  emitter.set(op.getResult(), std::move(view));
  return success();
}

LogicalResult emitReshapeView(Emitter &emitter, ttg::MemDescReshapeOp op) {
  Registers view(1 + op.getType().getRank(), emitter.builder.getInt32(0));
  view[0] = emitter.get(op.getSrc())[0];
  emitter.set(op.getResult(), std::move(view));
  return success();
}

LogicalResult emitBarrier(Emitter &emitter, ttg::BarrierOp op) {
  emitter.threads.barrier(!bitEnumContainsAll(ttg::AddrSpace::Local, op.getAddrSpace()));
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
  table.add<emitReshapeView>();
  table.add<emitReinterpret>();
  table.add<emitBarrier>();
}

} // namespace gluonc::codegen
