#include "ir/amdg/TensorMover.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "layout/named/Blocks.h"
#include "target/amd/TensorMover.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::amdg;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace tdm = gluonc::target::amd::tdm;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static std::string format(const llvm::Twine &text) { return text.str(); }

/// The padding of a buffer with such elements; "" where the engine writes it.
static std::string whyNoPadding(const layout::PaddedSharedLayout &layout, int64_t elementBytes) {
  if (layout.paddings.size() != 1)
    return "needs one pair of interval and padding";
  auto [interval, padding] = layout.paddings.front();
  int64_t every = interval * elementBytes, bytes = padding * elementBytes;
  if (every < tdm::minPadInterval * tdm::padUnitBytes ||
      every > tdm::maxPadInterval * tdm::padUnitBytes)
    return format("pads after 8 to 1024 bytes, not after " + llvm::Twine(every));
  if (bytes % tdm::padUnitBytes || bytes < tdm::padUnitBytes ||
      bytes > tdm::maxPad * tdm::padUnitBytes)
    return format("pads by 4 to 512 bytes in steps of 4, not by " + llvm::Twine(bytes));
  return "";
}

/// Whether elements of a CTA lie row by row, padding apart.
static bool isRowMajor(const LinearLayout &memory) {
  llvm::ArrayRef<layout::DimSize> dims = memory.outDims();
  size_t dim = dims.size();
  unsigned position = 0;
  for (unsigned bit = 0; bit < memory.inLog2(Dim::Offset); ++bit, ++position) {
    llvm::SmallVector<uint32_t, 4> basis = memory.basis(Dim::Offset, bit);
    while (dim && basis[dim - 1] != uint32_t{1} << position) {
      --dim;
      position = 0;
    }
    if (!dim || llvm::count(basis, 0u) + 1 != int64_t(dims.size()))
      return false;
  }
  return true;
}

static ttg::MemDescType bufferOf(const ttng::Descriptor &descriptor) {
  MLIRContext *context = descriptor.layout.getContext();
  return ttg::MemDescType::get(descriptor.shape, ttng::signless(descriptor.elementType),
                               descriptor.layout, ttg::SharedMemorySpaceAttr::get(context),
                               /*mutableMemory=*/true);
}

std::string amdg::whyNoDescriptor(const ttng::Descriptor &descriptor) {
  std::optional<layout::Layout> layout =
      descriptor.layout ? layoutOf(descriptor.layout) : std::nullopt;
  // What the engine writes at a time is a part of a piece.
  const auto *pieces = layout ? layout->as<layout::PartitionedSharedLayout>() : nullptr;
  std::optional<layout::Layout> each = pieces ? pieces->partitionLayout : layout;
  const auto *swizzled = each ? each->as<layout::SwizzledSharedLayout>() : nullptr;
  const auto *padded = each ? each->as<layout::PaddedSharedLayout>() : nullptr;
  if (descriptor.im2col || (!swizzled && !padded))
    return "needs a SwizzledSharedLayout, a PaddedSharedLayout or a PartitionedSharedLayout of "
           "these";
  if (descriptor.shape.empty() || descriptor.shape.size() > tdm::maxRank)
    return format("has 1 to " + llvm::Twine(tdm::maxRank) + " dimensions");
  if (llvm::any_of(descriptor.shape, [](int64_t size) { return size > tdm::maxBlockLength; }))
    return format("has blocks of at most " + llvm::Twine(tdm::maxBlockLength) + " along a dim");
  Type element = ttng::signless(descriptor.elementType);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits % 8 || !layout::isPowerOf2(bits / 8) || bits / 8 > tdm::maxElementBytes)
    return "has elements of 1, 2, 4 or 8 bytes";
  if (swizzled && swizzled->maxPhase != 1)
    return "needs a layout without swizzle: max_phase = 1";
  if (padded)
    if (std::string problem = whyNoPadding(*padded, bits / 8); !problem.empty())
      return problem;
  const LinearLayout *memory = linearOrNull(bufferOf(descriptor));
  if (!memory)
    return "needs a layout that fits the block";
  bool isInRows =
      isRowMajor(pieces ? each->toLinear(pieces->pieceShape(descriptor.shape)) : *memory);
  return isInRows ? "" : "needs a layout that goes row by row, the last dim first";
}

std::string amdg::whyNoMove(const ttng::Descriptor &descriptor, ttg::MemDescType buffer,
                            bool isStore) {
  if (!buffer.isShared() || ringDims(buffer) ||
      ArrayRef<int64_t>(descriptor.shape) != buffer.getShape() ||
      ttng::signless(descriptor.elementType) != buffer.getElementType() ||
      descriptor.layout != buffer.getEncoding())
    return "the buffer must have the shape, the elements and the layout of the descriptor's block";
  std::optional<layout::Layout> layout = layoutOf(buffer.getEncoding());
  const layout::PaddedSharedLayout *padded = layout ? layout::paddedPart(*layout) : nullptr;
  if (!isStore || !padded)
    return "";
  layout::Ints block(buffer.getShape());
  if (const auto *pieces = layout->as<layout::PartitionedSharedLayout>())
    block = pieces->pieceShape(block);
  int64_t row = layout::shapePerCta(*padded, block).back();
  if (padded->paddings.front().interval == row)
    return "";
  return format("copies out of a padded buffer need padding after each row of " + llvm::Twine(row) +
                " elements");
}

std::string amdg::whyNoRows(const ttng::Descriptor &descriptor, ttg::MemDescType buffer,
                            RankedTensorType rows) {
  if (descriptor.shape.size() != 2 || rows.getRank() != 1 || buffer.getRank() != 2 ||
      rows.getShape()[0] > buffer.getShape()[0])
    return "needs a block of two dims, and no more numbers than the buffer has rows";
  const LinearLayout *held = linearOrNull(rows);
  if (!held)
    return "";
  for (unsigned bit = 0; bit < held->inLog2(Dim::Lane); ++bit)
    if (held->basis(Dim::Lane, bit, Dim::axis(0)))
      return "all lanes of a warp must hold the same numbers of rows";
  return "";
}

std::string amdg::whyNoHint(uint32_t hint, int warps) {
  if (!hint || (warps < 32 && hint >> warps))
    return format("a hint names some of the " + llvm::Twine(warps) + " warps");
  uint32_t varying = 0, first = llvm::countr_zero(hint);
  for (uint32_t rest = hint; rest; rest &= rest - 1)
    varying |= uint32_t(llvm::countr_zero(rest)) ^ first;
  if (1u << llvm::popcount(varying) == unsigned(llvm::popcount(hint)))
    return "";
  return "warps of a hint are those whose numbers differ in some bits only, and all of these";
}

unsigned amdg::movingWarps(ttg::MemDescType buffer, unsigned warps) {
  layout::Ints part = layout::shapePerCta(toLayout(buffer.getEncoding()), buffer.getShape());
  return unsigned(std::min<int64_t>(warps, ShapedType::getNumElements(part)));
}

unsigned amdg::movingWarps(RankedTensorType rows) {
  const LinearLayout &held = toLinear(rows);
  unsigned moving = 1;
  for (unsigned bit = 0; bit < held.inLog2(Dim::Warp); ++bit)
    moving <<= held.basis(Dim::Warp, bit, Dim::axis(0)) != 0;
  return moving;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyAnd(Operation *op, const std::string &problem) {
  return problem.empty() ? success() : op->emitOpError(problem);
}

static LogicalResult verifyBarrierOf(Operation *op, Value barrier) {
  if (!barrier)
    return success();
  auto type = cast<ttg::MemDescType>(barrier.getType());
  if (type.isShared() && type.getMutableMemory() && type.getElementType().isInteger(64) &&
      type.getShape() == ArrayRef<int64_t>{1})
    return success();
  return op->emitOpError("a barrier is a mutable buffer of one i64, got ") // lds_barrier_c1
         << type;
}

/// mover_c1 to mover_c4, and lds_barrier_c1.
static LogicalResult verifyMove(Operation *op, Type desc, ttg::MemDescType buffer, bool isStore,
                                Value barrier) {
  ttng::Descriptor descriptor = ttng::descriptorOf(desc);
  if (failed(verifyAnd(op, whyNoDescriptor(descriptor))) ||          // mover_c1
      failed(verifyAnd(op, whyNoMove(descriptor, buffer, isStore)))) // mover_c2, mover_c4
    return failure();
  if (!isStore && !buffer.getMutableMemory()) // mover_c3
    return op->emitOpError("cannot store to an immutable buffer");
  return verifyBarrierOf(op, barrier);
}

static LogicalResult verifyIndices(Operation *op, Type desc, size_t count) {
  size_t rank = ttng::descriptorOf(desc).shape.size();
  if (count == 0 || count == rank)
    return success();
  return op->emitOpError("needs ") << rank << " offsets or bounds, got " << count; // mover_c5
}

LogicalResult UpdateTensorDescriptorOp::verify() {
  if (failed(verifyAnd(*this, whyNoDescriptor(ttng::descriptorOf(getDesc().getType())))) ||
      failed(verifyIndices(*this, getDesc().getType(), getAddOffsets().size())) ||
      failed(verifyIndices(*this, getDesc().getType(), getSetBounds().size())))
    return failure();
  if (getAddOffsets().empty() && getSetBounds().empty() && !getPred()) // update_c1
    return emitOpError("needs something to update: offsets, bounds or pred");
  if (getClampBounds() && (getAddOffsets().empty() || !getSetBounds().empty())) // update_c2
    return emitOpError("clamps bounds by offsets, and does not set them");
  return success();
}

LogicalResult AsyncTDMCopyGlobalToLocalOp::verify() {
  if (failed(verifyMove(*this, getDesc().getType(), getResult().getType(), /*isStore=*/false,
                        getBarrier())) ||
      failed(verifyIndices(*this, getDesc().getType(), getIndices().size())))
    return failure();
  std::optional<uint32_t> hint = getWarpUsedHint(); // mover_c6
  return hint ? verifyAnd(*this, whyNoHint(*hint, ttg::numWarpsOf(*this))) : success();
}

LogicalResult AsyncTDMFusedCopyGlobalToLocalOp::verify() {
  size_t members = getDescs().size();
  if (members < 2 || members > 4 || getDests().size() != members ||
      getWarpUsedHints().size() != members) // fused_c1
    return emitOpError("needs 2 to 4 descriptors, and as many buffers and hints");
  uint32_t taken = 0;
  size_t rank = ttng::descriptorOf(getDescs().front().getType()).shape.size();
  for (auto [desc, dest, given] : llvm::zip(getDescs(), getDests(), getWarpUsedHints())) {
    if (failed(verifyMove(*this, desc.getType(), cast<ttg::MemDescType>(dest.getType()),
                          /*isStore=*/false, {})) ||
        failed(verifyAnd(*this, whyNoHint(uint32_t(given), ttg::numWarpsOf(*this)))))
      return failure();
    if (ttng::descriptorOf(desc.getType()).shape.size() != rank) // fused_c1
      return emitOpError("needs descriptors of one rank");
    if (taken & uint32_t(given)) // fused_c2
      return emitOpError("a warp can be in one hint only");
    taken |= uint32_t(given);
  }
  return success();
}

LogicalResult AsyncTDMCopyLocalToGlobalOp::verify() {
  return success(succeeded(verifyMove(*this, getDesc().getType(), getSrc().getType(),
                                      /*isStore=*/true, getBarrier())) &&
                 succeeded(verifyIndices(*this, getDesc().getType(), getIndices().size())));
}

static LogicalResult verifyRows(Operation *op, Type desc, ttg::MemDescType buffer, Value rows) {
  return verifyAnd(op, whyNoRows(ttng::descriptorOf(desc), buffer,
                                 cast<RankedTensorType>(rows.getType()))); // mover_c7
}

LogicalResult AsyncTDMGatherOp::verify() {
  return success(
      succeeded(verifyMove(*this, getDesc().getType(), getDst().getType(),
                           /*isStore=*/false, getBarrier())) &&
      succeeded(verifyRows(*this, getDesc().getType(), getDst().getType(), getSrcRowIndices())));
}

LogicalResult AsyncTDMScatterOp::verify() {
  return success(
      succeeded(verifyMove(*this, getDesc().getType(), getSrc().getType(),
                           /*isStore=*/true, getBarrier())) &&
      succeeded(verifyRows(*this, getDesc().getType(), getSrc().getType(), getDstRowIndices())));
}

LogicalResult TDMPrefetchOp::verify() {
  if (failed(verifyAnd(*this, whyNoDescriptor(ttng::descriptorOf(getDesc().getType())))))
    return failure();
  if (getIndices().empty()) // mover_c5
    return emitOpError("needs offsets");
  return verifyIndices(*this, getDesc().getType(), getIndices().size());
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

using Accesses = llvm::SmallVectorImpl<MemoryAccess>;

static void addMove(Accesses &accesses, Value buffer, MemoryAccess::Kind kind, Value barrier) {
  if (barrier)
    accesses.push_back({barrier, MemoryAccess::UseBarrier});
  accesses.push_back({buffer, kind, Completion::AsyncGroup});
}

void AsyncTDMCopyGlobalToLocalOp::getAccesses(Accesses &accesses) {
  addMove(accesses, getResult(), MemoryAccess::Write, getBarrier());
}
void AsyncTDMFusedCopyGlobalToLocalOp::getAccesses(Accesses &accesses) {
  for (Value dest : getDests())
    addMove(accesses, dest, MemoryAccess::Write, {});
}
void AsyncTDMCopyLocalToGlobalOp::getAccesses(Accesses &accesses) {
  addMove(accesses, getSrc(), MemoryAccess::Read, getBarrier());
}
void AsyncTDMGatherOp::getAccesses(Accesses &accesses) {
  addMove(accesses, getDst(), MemoryAccess::Write, getBarrier());
}
void AsyncTDMScatterOp::getAccesses(Accesses &accesses) {
  addMove(accesses, getSrc(), MemoryAccess::Read, getBarrier());
}
std::optional<Completion> AsyncTDMWaitOp::getAwaited() { return Completion::AsyncGroup; }
