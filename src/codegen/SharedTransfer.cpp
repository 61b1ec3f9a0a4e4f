#include "codegen/SharedTransfer.h"

#include "ir/Encoding.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {
namespace {

unsigned lowestBit(int64_t value) { return value & -value; }

/// Alignment, in elements, that padding leaves to every vector; 0 without padding.
unsigned paddedAlignment(const layout::PaddedSharedLayout &padded, ArrayRef<int64_t> shape) {
  int64_t bits = layout::sharedElements(padded, shape);
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
  transfer.padded = transfer.layout->as<layout::PaddedSharedLayout>();
  if (transfer.padded) {
    maxBits = std::min(maxBits, bits * paddedAlignment(*transfer.padded, tensor.getShape()));
    for (const layout::IntervalPadding &pair : transfer.padded->paddings)
      minInterval = minInterval ? std::min(minInterval, pair.interval) : pair.interval;
    transfer.wholeBytes = std::min<int64_t>(maxBits, minInterval * bits) / 8;
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

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes) {
  return addressOf(emitter, transfer, buffer, bytes,
                   emitter.threadImages(transfer.access.map, Dim::Offset));
}

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, ArrayRef<uint32_t> images) {
  return addressOf(emitter, transfer, buffer, bytes, emitter.threadPart(images), imageMask(images));
}

ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, Value *variable, uint32_t mask) {
  Builder &builder = emitter.builder;
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

std::optional<layout::MatrixAccess> planMatrices(Emitter &emitter, const Transfer &transfer,
                                                 unsigned bytes, bool store) {
  const target::Target &target = emitter.state.target;
  if (!(store ? target.hasStmatrix() : target.hasLdmatrix()) || transfer.wholeBytes < 16)
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
  SmallVector<uint32_t> images = emitter.threadImages(transfer.access.map, Dim::Offset);
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
