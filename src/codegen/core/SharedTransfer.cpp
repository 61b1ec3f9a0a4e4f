#include "codegen/core/SharedTransfer.h"

#include "ir/Encoding.h"
#include "ir/tt/AxisInfo.h"
#include "layout/named/Blocks.h"
#include "target/Features.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {
namespace {

unsigned lowestBit(int64_t value) { return value & -value; }

/// Alignment, in elements, that padding leaves to every vector; 0 without padding.
unsigned paddedAlignment(const layout::PaddedSharedLayout &padded, const layout::Layout &whole,
                         ArrayRef<int64_t> shape) {
  int64_t bits = layout::sharedElements(whole, shape);
  for (const layout::IntervalPadding &pair : padded.paddings)
    bits |= pair.padding;
  return lowestBit(bits);
}

} // namespace

std::optional<Transfer> planTransfer(Emitter &emitter, mlir::RankedTensorType tensor,
                                     ttg::MemDescType buffer, unsigned maxBits) {
  Transfer transfer;
  transfer.layout = layoutOf(buffer.getEncoding());
  const LinearLayout *shared = linearOrNull(buffer);
  if (!transfer.layout || !shared)
    return std::nullopt;
  unsigned bits = 8 * elementBytes(tensor.getElementType());
  int64_t minInterval = 0;
  transfer.padded = layout::paddedPart(*transfer.layout);
  if (transfer.padded) {
    maxBits = std::min(
        maxBits, bits * paddedAlignment(*transfer.padded, *transfer.layout, tensor.getShape()));
    for (const layout::IntervalPadding &pair : transfer.padded->paddings)
      minInterval = minInterval ? std::min(minInterval, pair.interval) : pair.interval;
    transfer.wholeBytes = std::min<int64_t>(maxBits, minInterval * bits) / 8;
  }
  // The tensor may be smaller than the buffer that the view was cut from.
  LinearLayout registers = emitter.types.layoutOf(tensor);
  for (layout::DimSize size : shared->outDims())
    if (registers.hasOut(size.dim))
      registers = registers.resizeOut(size.dim, size.log2);
  std::optional<layout::SharedAccessMap> access =
      layout::mapToShared(registers, *shared, bits, maxBits, minInterval);
  if (!access)
    return std::nullopt;
  transfer.copies = layout::copiesToStore(registers, *shared);
  transfer.access = std::move(*access);
  LinearLayout &map = transfer.access.map;
  if (map.hasOut(Dim::Block) && layout::staysInBlock(map)) {
    SmallVector<Dim, 4> ins;
    for (layout::DimSize in : map.inDims())
      ins.push_back(in.dim);
    map = map.sublayout(ins, {Dim::Offset});
  }
  return transfer;
}

unsigned sourceRun(Emitter &emitter, const LinearLayout &layout, unsigned axis, int64_t neighbours,
                   mlir::Value mask) {
  if (mask)
    neighbours = std::min(neighbours, emitter.values.axes().maskRun(mask, axis));
  return std::min<int64_t>(neighbours, 1 << layout::contiguousLog2(layout, axis));
}

/// Whether the registers of each vector, neighbours in the buffer, are neighbours along `axis`.
static bool followsAxis(const Transfer &transfer, const LinearLayout &layout, unsigned axis) {
  ArrayRef<uint32_t> vector = transfer.access.vectors.vectors.front();
  auto elementOf = [&](uint32_t reg) {
    return layout.applyPacked(layout.packIn({{Dim::Register, reg}}));
  };
  for (unsigned i = 1; i < vector.size(); i *= 2)
    if ((elementOf(vector[i]) ^ elementOf(vector[0])) != uint64_t{i}
                                                             << layout.outShift(Dim::axis(axis)))
      return false;
  return true;
}

std::optional<Transfer> planCopy(Emitter &emitter, mlir::RankedTensorType tensor,
                                 ttg::MemDescType buffer, unsigned axis, unsigned run) {
  unsigned bits = 8 * elementBytes(buffer.getElementType());
  std::optional<Transfer> transfer = planTransfer(emitter, tensor, buffer, bits * run);
  // Where the buffer runs along another dim, only single elements are common to both.
  if (transfer && !followsAxis(*transfer, emitter.types.layoutOf(tensor), axis))
    return planTransfer(emitter, tensor, buffer, bits);
  return transfer;
}

namespace {

/// What the place where a view begins adds to the part `out` of its elements' places.
struct ViewOffset {
  Value *variable = nullptr;
  uint32_t mask = 0;
};

ViewOffset viewOffset(Emitter &emitter, mlir::Value buffer, Dim out) {
  Builder &builder = emitter.builder;
  const Registers &view = emitter.get(buffer);
  const LinearLayout &shared = toLinear(cast<ttg::MemDescType>(buffer.getType()));
  std::optional<LinearLayout> inverse = shared.pseudoInvert();
  ViewOffset sum;
  for (auto [axis, offset] : enumerate(ArrayRef(view).drop_front())) {
    Constant *known = dyn_cast<Constant>(offset);
    if (!inverse || !inverse->hasOut(out) || (known && known->isNullValue()))
      continue;
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < inverse->inLog2(Dim::axis(axis)); ++bit)
      images.push_back(inverse->basis(Dim::axis(axis), bit, out));
    Value *part = applyLinear(builder, offset, images);
    Constant *constant = dyn_cast<Constant>(part);
    if (constant && constant->isNullValue())
      continue;
    sum.variable = sum.variable ? builder.CreateXor(sum.variable, part) : part;
    sum.mask |= imageMask(images);
  }
  return sum;
}

} // namespace

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes) {
  return addressOf(emitter, transfer, buffer, bytes,
                   Threads::images(transfer.access.map, Dim::Offset));
}

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, ArrayRef<uint32_t> images) {
  return addressOf(emitter, transfer, buffer, bytes, emitter.threads.part(images),
                   imageMask(images));
}

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, Value *variable, uint32_t mask) {
  Builder &builder = emitter.builder;
  if (ViewOffset begin = viewOffset(emitter, buffer, Dim::Offset); begin.variable) {
    variable = builder.CreateXor(variable, begin.variable);
    mask |= begin.mask;
  }
  return ThreadAddress(emitter, emitter.get(buffer)[0], variable, mask, bytes, transfer.padded);
}

std::pair<Value *, uint32_t> beginningCta(Emitter &emitter, mlir::Value buffer) {
  ViewOffset begin = viewOffset(emitter, buffer, Dim::Block);
  return {begin.variable, begin.mask};
}

bool crossesCtas(Emitter &emitter, const Transfer &transfer, mlir::Value buffer) {
  return emitter.threads.clusterSize() > 1 && (transfer.access.map.hasOut(Dim::Block) ||
                                               viewOffset(emitter, buffer, Dim::Block).variable);
}

/// The CTA of the elements that the thread's own number leads to.
static Value *peerRank(Emitter &emitter, const Transfer &transfer, mlir::Value buffer) {
  const LinearLayout &map = transfer.access.map;
  Value *rank = map.hasOut(Dim::Block) ? emitter.threads.part(Threads::images(map, Dim::Block))
                                       : emitter.threads.clusterRank();
  if (ViewOffset begin = viewOffset(emitter, buffer, Dim::Block); begin.variable)
    rank = emitter.builder.CreateXor(rank, begin.variable);
  return rank;
}

PeerAddress peerAddressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                          unsigned bytes) {
  return PeerAddress(emitter, addressOf(emitter, transfer, buffer, bytes),
                     peerRank(emitter, transfer, buffer));
}

PeerAddress peerAddressAt(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                          Value *pointer) {
  ThreadAddress place(emitter, pointer, emitter.builder.getInt32(0), 0, 1);
  return PeerAddress(emitter, std::move(place), peerRank(emitter, transfer, buffer));
}

uint32_t registerBlock(const Transfer &transfer, uint32_t reg) {
  const LinearLayout &map = transfer.access.map;
  if (!map.hasOut(Dim::Block))
    return 0;
  return map.outComponent(map.applyPacked(map.packIn({{Dim::Register, reg}})), Dim::Block);
}

std::optional<layout::MatrixAccess> planMatrices(Emitter &emitter, const Transfer &transfer,
                                                 unsigned bytes, bool store) {
  const target::Target &target = emitter.state.target;
  if (!target::has(target, store ? target::Feature::MatrixStore : target::Feature::MatrixLoad) ||
      transfer.wholeBytes < 16)
    return std::nullopt;
  std::optional<layout::MatrixAccess> plan =
      layout::planMatrixAccess(transfer.access.map, 8 * bytes, /*transposable=*/bytes == 2);
  // One untransposed matrix is what a plain access of one word moves, without its constraints.
  if (plan && plan->matrices() == 1 && !plan->transposed)
    return std::nullopt;
  return plan;
}

SmallVector<uint32_t> matrixImages(Emitter &emitter, const Transfer &transfer,
                                   const layout::MatrixAccess &matrices) {
  SmallVector<uint32_t> images = Threads::images(transfer.access.map, Dim::Offset);
  llvm::copy(matrices.laneImages, images.begin());
  return images;
}

uint32_t registerOffset(const Transfer &transfer, uint32_t reg) {
  const LinearLayout &map = transfer.access.map;
  return map.outComponent(map.applyPacked(map.packIn({{Dim::Register, reg}})), Dim::Offset);
}

uint32_t vectorOffset(const Transfer &transfer, ArrayRef<uint32_t> registers) {
  return registerOffset(transfer, registers[0]);
}

} // namespace gluonc::codegen
