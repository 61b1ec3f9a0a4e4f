//===- EmitIndexed.cpp - Buffers at indices: gather, scatter, atomics -------------===//
//
// The address of an element is the inverse of the buffer's layout at the
// element's coordinates, one of which is an index that the program computed. The
// inverse is linear, so the index enters by XOR like everything else.
//
//===----------------------------------------------------------------------===//
#include "codegen/Atomic.h"
#include "codegen/SharedMemory.h"
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

class IndexedBuffer {
public:
  /// Nullopt, after a report, for buffers without a linear layout or in a cluster.
  static std::optional<IndexedBuffer> create(Emitter &emitter, mlir::Operation *op,
                                             mlir::Value buffer, mlir::RankedTensorType tensor,
                                             unsigned axis) {
    auto type = cast<ttg::MemDescType>(buffer.getType());
    const LinearLayout *shared = linearOrNull(type);
    std::optional<LinearLayout> inverse = shared ? shared->pseudoInvert() : std::nullopt;
    if (!inverse || !layoutOf(type.getEncoding())) {
      (void)emitter.unsupported(op, "indices into this shared layout");
      return std::nullopt;
    }
    if (shared->inLog2(Dim::Block) || emitter.layoutOf(tensor).inLog2(Dim::Block)) {
      (void)emitter.unsupported(op, "indices into shared memory in a cluster");
      return std::nullopt;
    }
    return IndexedBuffer(emitter, buffer, std::move(*inverse), tensor, axis);
  }

  /// The address that `index` along the axis gives for register `reg`.
  Value *at(uint32_t reg, Value *index) {
    Builder &builder = emitter.builder;
    Value *bits = builder.CreateZExtOrTrunc(index, builder.getInt32Ty());
    uint32_t axisMask = uint32_t(inverse.inSize(Dim::axis(axis))) - 1;
    bits = builder.CreateAnd(bits, builder.getInt32(axisMask));
    Value *variable = builder.CreateXor(base, applyLinear(builder, bits, axisImages));
    uint32_t constant = offsetOf(tensor.applyPacked(tensor.packIn({{Dim::Register, reg}})));
    return ThreadAddress(emitter, pointer, variable, baseMask | imageMask(axisImages), bytes,
                         layout.as<layout::PaddedSharedLayout>())
        .at(constant);
  }

private:
  IndexedBuffer(Emitter &emitter, mlir::Value buffer, LinearLayout inverseLayout,
                mlir::RankedTensorType type, unsigned axis)
      : emitter(emitter), inverse(std::move(inverseLayout)), tensor(emitter.layoutOf(type)),
        layout(toLayout(cast<ttg::MemDescType>(buffer.getType()).getEncoding())), axis(axis),
        bytes(elementBytes(cast<ttg::MemDescType>(buffer.getType()).getElementType())) {
    axisImages = imagesOf(axis);
    SmallVector<uint32_t> images;
    for (Dim in : {Dim::Lane, Dim::Warp})
      for (unsigned bit = 0; bit < tensor.inLog2(in); ++bit)
        images.push_back(offsetOf(tensor.packedBasis(in, bit)));
    base = emitter.threadPart(images);
    baseMask = imageMask(images);
    // The view's own place; windows never cut a swizzle, so it combines by XOR, too.
    const Registers &view = emitter.get(buffer);
    pointer = view[0];
    for (auto [dim, offset] : enumerate(ArrayRef(view).drop_front())) {
      Constant *known = dyn_cast<Constant>(offset);
      if (known && known->isNullValue())
        continue;
      SmallVector<uint32_t> dimImages = imagesOf(dim);
      base = emitter.builder.CreateXor(base, applyLinear(emitter.builder, offset, dimImages));
      baseMask |= imageMask(dimImages);
    }
  }

  SmallVector<uint32_t> imagesOf(unsigned dim) const {
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < inverse.inLog2(Dim::axis(dim)); ++bit)
      images.push_back(inverse.basis(Dim::axis(dim), bit, Dim::Offset));
    return images;
  }

  /// Offset of the tensor's coordinates, but for that along the axis.
  uint32_t offsetOf(uint64_t packed) const {
    SmallVector<layout::Coord> coords;
    for (layout::DimSize out : tensor.outDims())
      if (out.dim != Dim::axis(axis))
        coords.push_back({out.dim, tensor.outComponent(packed, out.dim)});
    return inverse.outComponent(inverse.applyPacked(inverse.packIn(coords)), Dim::Offset);
  }

  Emitter &emitter;
  LinearLayout inverse;
  const LinearLayout &tensor;
  layout::Layout layout;
  unsigned axis, bytes;
  Value *pointer = nullptr, *base = nullptr;
  uint32_t baseMask = 0;
  SmallVector<uint32_t> axisImages;
};

LogicalResult emitLocalGather(Emitter &emitter, ttg::LocalGatherOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getType());
  std::optional<IndexedBuffer> buffer =
      IndexedBuffer::create(emitter, op, op.getSrc(), type, op.getAxis());
  if (!buffer)
    return failure();
  Type *element = emitter.elementType(type.getElementType());
  Registers results;
  for (auto [reg, index] : enumerate(emitter.get(op.getIndices())))
    results.push_back(loadShared(emitter.builder, buffer->at(reg, index), element, 1).front());
  emitter.set(op.getResult(), std::move(results));
  return success();
}

// Threads with copies store the same element to the same place: no predicate.
LogicalResult emitLocalScatter(Emitter &emitter, ttg::LocalScatterOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getValues().getType());
  std::optional<IndexedBuffer> buffer =
      IndexedBuffer::create(emitter, op, op.getDst(), type, op.getAxis());
  if (!buffer)
    return failure();
  const Registers &indices = emitter.get(op.getIndices());
  for (auto [reg, value] : enumerate(emitter.get(op.getValues())))
    storeShared(emitter.builder, buffer->at(reg, indices[reg]), value);
  return success();
}

LogicalResult emitAtomicScatter(Emitter &emitter, ttg::LocalAtomicScatterRMWOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getValues().getType());
  std::optional<IndexedBuffer> buffer =
      IndexedBuffer::create(emitter, op, op.getDst(), type, op.getAxis());
  if (!buffer)
    return failure();
  AtomicForm form{AtomicOrder::Relaxed, AtomicScope::Cta};
  return emitAtomic(emitter, op, type, op.getMask(), form, [&](size_t i, const AtomicForm &masked) {
    return emitter.isa.atomicUpdate(emitter.builder, kindOf(op.getAtomicRmwOp()),
                                    buffer->at(i, emitter.get(op.getIndices())[i]),
                                    emitter.get(op.getValues())[i], masked, !op->use_empty());
  });
}

} // namespace

void addIndexed(EmitTable &table) {
  table.add<emitLocalGather>();
  table.add<emitLocalScatter>();
  table.add<emitAtomicScatter>();
}

} // namespace gluonc::codegen
