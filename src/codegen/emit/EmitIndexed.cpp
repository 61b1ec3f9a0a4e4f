//===- EmitIndexed.cpp - Buffers at indices: gather, scatter, atomics -------------===//
//
// The address of an element is the inverse of the buffer's layout at the
// element's coordinates, one of which is an index that the program computed. The
// inverse is linear, so the index enters by XOR like everything else. In a cluster it
// also gives the CTA that holds the element.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/SharedMemory.h"
#include "codegen/emit/Atomic.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Blocks.h"

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
  /// Nullopt, after a report, for buffers without a linear layout.
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
    return IndexedBuffer(emitter, buffer, std::move(*inverse), tensor, axis);
  }

  /// The address that `index` along the axis gives for register `reg`; in this CTA.
  Value *at(uint32_t reg, Value *index) {
    Builder &builder = emitter.builder;
    Value *variable = builder.CreateXor(base, applyLinear(builder, bitsOf(index), axisImages));
    return ThreadAddress(emitter, pointer, variable, baseMask | imageMask(axisImages), bytes,
                         layout::paddedPart(layout))
        .at(partOf(placeOf(reg), Dim::Offset));
  }

  /// Whether elements may lie in other CTAs.
  bool isOfCluster() const { return leaves || copies; }
  /// Whether several CTAs have the elements.
  bool hasCopies() const { return copies; }

  /// Where an atomic finds the element: in this CTA, or all places of it.
  SmallVector<Value *> places(uint32_t reg, Value *index) {
    Value *address = at(reg, index);
    if (!isOfCluster())
      return {address};
    SmallVector<Value *> found;
    for (uint32_t copy : layout::combinations(copies))
      found.push_back(peer(address, reg, index, copy));
    return found;
  }

  Value *load(uint32_t reg, Value *index, Type *element) {
    Value *address = at(reg, index);
    if (leaves)
      return loadPeer(emitter, peer(address, reg, index), element, 1).front();
    return loadShared(emitter.builder, address, element, 1).front();
  }

  void store(uint32_t reg, Value *index, Value *value) {
    Value *address = at(reg, index);
    if (!leaves && !copiesToStore)
      return storeShared(emitter.builder, address, value);
    for (uint32_t copy : layout::combinations(copiesToStore))
      storePeer(emitter, peer(address, reg, index, copy), value);
  }

private:
  /// The same place in the CTA that holds the element, or in that with another copy.
  Value *peer(Value *address, uint32_t reg, Value *index, uint32_t copy = 0) {
    Builder &builder = emitter.builder;
    Value *cta = applyLinear(builder, bitsOf(index), imagesOf(axis, Dim::Block));
    cta = builder.CreateXor(builder.CreateXor(cta, rank),
                            builder.getInt32(partOf(placeOf(reg), Dim::Block) ^ copy));
    return emitter.isa.peerAddress(builder, address, cta);
  }

  /// The index as far as it matters.
  Value *bitsOf(Value *index) {
    Builder &builder = emitter.builder;
    uint32_t axisMask = uint32_t(inverse.inSize(Dim::axis(axis))) - 1;
    Value *bits = builder.CreateZExtOrTrunc(index, builder.getInt32Ty());
    return builder.CreateAnd(bits, builder.getInt32(axisMask));
  }

  uint64_t placeOf(uint32_t reg) const {
    return tensor.applyPacked(tensor.packIn({{Dim::Register, reg}}));
  }

  IndexedBuffer(Emitter &emitter, mlir::Value buffer, LinearLayout inverseLayout,
                mlir::RankedTensorType type, unsigned axis)
      : emitter(emitter), inverse(std::move(inverseLayout)), tensor(emitter.types.layoutOf(type)),
        layout(toLayout(cast<ttg::MemDescType>(buffer.getType()).getEncoding())), axis(axis),
        bytes(elementBytes(cast<ttg::MemDescType>(buffer.getType()).getElementType())) {
    axisImages = imagesOf(axis, Dim::Offset);
    SmallVector<uint32_t> images = threadImages(Dim::Offset);
    base = emitter.threads.part(images);
    baseMask = imageMask(images);
    // The view's own place; windows never cut a swizzle, so it combines by XOR, too.
    const Registers &view = emitter.get(buffer);
    pointer = view[0];
    addBegin(view, Dim::Offset, base, baseMask);
    if (emitter.threads.clusterSize() > 1)
      findCta(toLinear(cast<ttg::MemDescType>(buffer.getType())), view);
  }

  /// Who holds the elements, and whether every CTA stays with what it has itself.
  void findCta(const LinearLayout &shared, const Registers &view) {
    SmallVector<uint32_t> images = threadImages(Dim::Block);
    unsigned ctaBits = Log2_32(emitter.threads.clusterSize()), first = images.size() - ctaBits;
    // Of copies each CTA takes its own.
    copies = layout::blockCopies(shared);
    copiesToStore = layout::copiesToStore(tensor, shared);
    for (unsigned bit = 0; bit < ctaBits; ++bit)
      images[first + bit] |= copies & 1u << bit;
    rank = emitter.threads.part(images);
    uint32_t mask = imageMask(images), begin = 0;
    addBegin(view, Dim::Block, rank, begin);
    bool stays = !begin && !imageMask(imagesOf(axis, Dim::Block)) &&
                 !imageMask(ArrayRef(images).take_front(first));
    for (unsigned bit = 0; bit < ctaBits; ++bit)
      stays &= images[first + bit] == 1u << bit;
    for (uint32_t reg = 0; reg < uint32_t(tensor.inSize(Dim::Register)); ++reg)
      stays &= partOf(placeOf(reg), Dim::Block) == 0;
    leaves = !stays || !mask;
  }

  /// Adds the place where the view begins.
  void addBegin(const Registers &view, Dim out, Value *&sum, uint32_t &mask) {
    for (auto [dim, offset] : enumerate(ArrayRef(view).drop_front())) {
      Constant *known = dyn_cast<Constant>(offset);
      SmallVector<uint32_t> images = imagesOf(dim, out);
      if ((known && known->isNullValue()) || !imageMask(images))
        continue;
      sum = emitter.builder.CreateXor(sum, applyLinear(emitter.builder, offset, images));
      mask |= imageMask(images);
    }
  }

  SmallVector<uint32_t> imagesOf(unsigned dim, Dim out) const {
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; inverse.hasOut(out) && bit < inverse.inLog2(Dim::axis(dim)); ++bit)
      images.push_back(inverse.basis(Dim::axis(dim), bit, out));
    return images;
  }

  /// What bits of lane, warp and the CTA's number add, but for the coordinate along the axis.
  SmallVector<uint32_t> threadImages(Dim out) const {
    SmallVector<uint32_t> images;
    for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
      for (unsigned bit = 0; bit < tensor.inLog2(in); ++bit)
        images.push_back(partOf(tensor.packedBasis(in, bit), out));
    return images;
  }

  /// Offset or CTA of the tensor's coordinates, but for that along the axis.
  uint32_t partOf(uint64_t packed, Dim part) const {
    if (!inverse.hasOut(part))
      return 0;
    SmallVector<layout::Coord> coords;
    for (layout::DimSize out : tensor.outDims())
      if (out.dim != Dim::axis(axis))
        coords.push_back({out.dim, tensor.outComponent(packed, out.dim)});
    return inverse.outComponent(inverse.applyPacked(inverse.packIn(coords)), part);
  }

  Emitter &emitter;
  LinearLayout inverse;
  const LinearLayout &tensor;
  layout::Layout layout;
  unsigned axis, bytes;
  Value *pointer = nullptr, *base = nullptr;
  uint32_t baseMask = 0;
  SmallVector<uint32_t> axisImages;
  /// In a cluster, the thread's part of the number of the CTA that holds an element.
  Value *rank = nullptr;
  bool leaves = false;
  /// Bits of the CTA's number that do not matter to the buffer; those that matter to the tensor.
  uint32_t copies = 0, copiesToStore = 0;
};

LogicalResult emitLocalGather(Emitter &emitter, ttg::LocalGatherOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getType());
  std::optional<IndexedBuffer> buffer =
      IndexedBuffer::create(emitter, op, op.getSrc(), type, op.getAxis());
  if (!buffer)
    return failure();
  Type *element = emitter.types.ofElement(type.getElementType());
  Registers results;
  for (auto [reg, index] : enumerate(emitter.get(op.getIndices())))
    results.push_back(buffer->load(reg, index, element));
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
    buffer->store(reg, indices[reg], value);
  return success();
}

LogicalResult emitAtomicScatter(Emitter &emitter, ttg::LocalAtomicScatterRMWOp op) {
  auto type = cast<mlir::RankedTensorType>(op.getValues().getType());
  std::optional<IndexedBuffer> buffer =
      IndexedBuffer::create(emitter, op, op.getDst(), type, op.getAxis());
  if (!buffer)
    return failure();
  // Copies are updated in orders of their own.
  if (buffer->hasCopies() && !op->use_empty())
    return emitter.unsupported(op, "the result of an atomic on copies in several CTAs");
  AtomicForm form{AtomicOrder::Relaxed,
                  buffer->isOfCluster() ? AtomicScope::Cluster : AtomicScope::Cta};
  return emitAtomic(emitter, op, type, op.getMask(), form, [&](size_t i, const AtomicForm &masked) {
    Value *old = nullptr;
    for (Value *place : buffer->places(i, emitter.get(op.getIndices())[i])) {
      old = emitter.isa.atomicUpdate(emitter.builder, kindOf(op.getAtomicRmwOp()), place,
                                     emitter.get(op.getValues())[i], masked, !op->use_empty());
      if (!old)
        break;
    }
    return old;
  });
}

} // namespace

void addIndexed(EmitTable &table) {
  table.add<emitLocalGather>();
  table.add<emitLocalScatter>();
  table.add<emitAtomicScatter>();
}

} // namespace gluonc::codegen
