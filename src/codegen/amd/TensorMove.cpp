#include "codegen/amd/TensorMove.h"

#include "codegen/amd/Buffers.h"
#include "codegen/amd/Multicast.h"
#include "codegen/core/SharedTransfer.h"
#include "ir/Encoding.h"
#include "target/amd/TensorMover.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen::amd {

namespace tdm = target::amd::tdm;

TensorDescriptor descriptorOf(Emitter &emitter, mlir::Value value) {
  return TensorDescriptor::ofRegisters(emitter.get(value),
                                       ttng::descriptorOf(value.getType()).shape.size());
}

void setDescriptor(Emitter &emitter, mlir::Value value, const TensorDescriptor &descriptor) {
  emitter.set(value, descriptor.registers());
}

static bool isZero(Value *value) {
  auto *known = dyn_cast<Constant>(value);
  return known && known->isNullValue();
}

/// The address so many elements along each dim further; a number is negative where it `isSigned`.
static Value *advance(Builder &builder, const TensorDescriptor &descriptor, unsigned elementBytes,
                      ArrayRef<Value *> place, bool isSigned) {
  Value *elements = nullptr;
  for (auto [dim, index] : enumerate(place)) {
    if (isZero(index))
      continue;
    Value *wide = builder.CreateIntCast(index, builder.getInt64Ty(), isSigned);
    if (dim + 1 < place.size())
      wide = builder.CreateMul(wide, descriptor.strides[dim]);
    elements = elements ? builder.CreateAdd(elements, wide) : wide;
  }
  if (!elements)
    return descriptor.base;
  Value *bytes = builder.CreateMul(elements, builder.getInt64(elementBytes));
  return builder.CreateAdd(descriptor.base, bytes);
}

/// What is left of an extent, at least nothing.
static Value *shrink(Builder &builder, Value *extent, Value *by) {
  return builder.CreateBinaryIntrinsic(Intrinsic::smax, builder.CreateSub(extent, by),
                                       builder.getInt32(0));
}

void moveBlock(Emitter &emitter, TensorDescriptor &descriptor, unsigned elementBytes,
               ArrayRef<Value *> offsets, bool clamps) {
  Builder &builder = emitter.builder;
  descriptor.base = advance(builder, descriptor, elementBytes, offsets, /*isSigned=*/true);
  // In front of the tensor there is nothing of it: as far behind it. Saturating subtraction would
  // say the same, but scalar units have none.
  Value *most = builder.getInt32(std::numeric_limits<int32_t>::max());
  for (auto [extent, offset] : zip(descriptor.extents, offsets))
    if (clamps && !isZero(offset))
      extent =
          shrink(builder, extent, builder.CreateBinaryIntrinsic(Intrinsic::umin, offset, most));
}

void enterBlock(Emitter &emitter, TensorDescriptor &descriptor, unsigned elementBytes,
                ArrayRef<Value *> place) {
  Builder &builder = emitter.builder;
  descriptor.base = advance(builder, descriptor, elementBytes, place, /*isSigned=*/false);
  for (auto [extent, index] : zip(descriptor.extents, place))
    if (!isZero(index))
      extent = shrink(builder, extent, index);
}

static MemoryParts partsOf(const layout::Layout &layout) {
  const auto *pieces = layout.as<layout::PartitionedSharedLayout>();
  return pieces ? MemoryParts{unsigned(pieces->partitionDim), pieces->pieces()} : MemoryParts();
}

/// Where a buffer of the type would have its elements that is part of no other.
static const LinearLayout &memoryOf(ttg::MemDescType type) {
  return toLinear(ttg::MemDescType::get(type.getShape(), type.getElementType(), type.getEncoding(),
                                        type.getMemorySpace(), type.getMutableMemory()));
}

TensorMove::TensorMove(Emitter &emitter, mlir::Value desc, mlir::Value view, bool isStore)
    : emitter(emitter), builder(emitter.builder), view(view),
      type(cast<ttg::MemDescType>(view.getType())), layout(layoutOf(type.getEncoding())),
      padded(layout::paddedPart(*layout)), block(layout::shapePerCta(*layout, type.getShape())),
      parts(partsOf(*layout)), memory(memoryOf(type)), offsets(*memory.pseudoInvert()),
      elementBytes(gluonc::elementBytes(type.getElementType())), isStore(isStore) {}

bool TensorMove::isInOnePiece() const {
  const LinearLayout &whole = toLinear(type);
  for (unsigned bit = 0; bit < memory.inLog2(Dim::Offset); ++bit)
    if (whole.basis(Dim::Offset, bit) != memory.basis(Dim::Offset, bit))
      return false;
  return true;
}

uint32_t TensorMove::offsetOf(ArrayRef<uint32_t> place) const {
  uint32_t offset = 0;
  for (auto [dim, index] : enumerate(place))
    for (unsigned bit = 0; bit < offsets.inLog2(Dim::axis(dim)); ++bit)
      if (index >> bit & 1)
        offset ^= offsets.basis(Dim::axis(dim), bit, Dim::Offset);
  return offset;
}

Value *TensorMove::ofWave(ArrayRef<uint32_t> images) {
  return applyLinear(builder, emitter.threads.warpId(), images);
}

void TensorMove::enterPart(TensorDescriptor &descriptor, bool onlyLast) {
  if (emitter.threads.clusterSize() == 1)
    return;
  SmallVector<Value *> place(block.size(), builder.getInt32(0));
  for (unsigned dim = onlyLast ? block.size() - 1 : 0; dim < block.size(); ++dim) {
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < memory.inLog2(Dim::Block); ++bit)
      images.push_back(memory.basis(Dim::Block, bit, Dim::axis(dim)));
    if (imageMask(images))
      place[dim] = applyLinear(builder, emitter.threads.clusterRank(), images);
  }
  enterBlock(emitter, descriptor, elementBytes, place);
  // Of CTAs with the same, the first one stores.
  uint32_t copies = memory.freeVariableMask(Dim::Block);
  if (!isStore || !copies)
    return;
  Value *others = builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(copies));
  descriptor.onlyIf(builder, builder.CreateICmpEQ(others, builder.getInt32(0)));
}

// What is sent to several CTAs comes to all of them at the same place.
Value *TensorMove::workgroups() {
  if (isStore || emitter.threads.clusterSize() == 1)
    return nullptr;
  return multicastMask(builder, memory.freeVariableMask(Dim::Block));
}

MoverTile TensorMove::tileAt(TensorDescriptor &descriptor, const layout::Ints &piece, Value *offset,
                             uint32_t offsetMask, uint32_t constant) {
  MoverTile tile;
  tile.shape = piece;
  tile.elementBytes = elementBytes;
  tile.workgroups = workgroups();
  Transfer transfer;
  transfer.padded = padded;
  ThreadAddress address = addressOf(emitter, transfer, view, elementBytes, offset, offsetMask);
  tile.address = builder.CreatePtrToInt(address.at(constant), builder.getInt32Ty());
  if (!padded)
    return tile;
  auto [interval, padding] = padded->paddings.front();
  if (!isStore) {
    tile.padInterval = interval * elementBytes;
    tile.padding = padding * elementBytes;
  } else if (piece.back() == interval) {
    // Rows are read with what is between them, which lies behind the end of the tensor.
    tile.shape.back() += padding;
    descriptor.extents.back() = builder.CreateBinaryIntrinsic(
        Intrinsic::umin, descriptor.extents.back(), builder.getInt32(interval));
  }
  return tile;
}

void TensorMove::tell(MoverTile &tile, mlir::Value barrier) {
  if (barrier)
    tile.barrier = builder.CreatePtrToInt(emitter.get(barrier)[0], builder.getInt32Ty());
}

void TensorMove::restrictWaves(TensorDescriptor &descriptor, uint32_t bits, uint32_t first) {
  if (!bits)
    return;
  Value *fixed = builder.CreateAnd(emitter.threads.warpId(), builder.getInt32(bits));
  descriptor.onlyIf(builder, builder.CreateICmpEQ(fixed, builder.getInt32(first & bits)));
}

Value *TensorMove::isNamed(uint32_t hint) {
  uint32_t fixed = (emitter.threads.group.count - 1) & ~varyingBits(hint);
  Value *bits = builder.CreateAnd(emitter.threads.warpId(), builder.getInt32(fixed));
  return builder.CreateICmpEQ(bits, builder.getInt32(countr_zero(hint) & fixed));
}

SmallVector<MoverWords, 1> TensorMove::words(TensorDescriptor descriptor,
                                             std::optional<uint32_t> hint, mlir::Value barrier) {
  MoverShares shares = shareBlock(block, emitter.threads.group.count, hint, parts);
  enterPart(descriptor);
  restrictWaves(descriptor, shares.fixedBits, shares.first);
  SmallVector<uint32_t> images;
  for (const MoverShares::Place &place : shares.places)
    images.push_back(offsetOf(place));
  const uint32_t mask = imageMask(images);
  Value *offset = mask ? ofWave(images) : builder.getInt32(0);
  SmallVector<MoverWords, 1> all;
  for (const MoverShares::Place &turn : shares.turns) {
    TensorDescriptor mine = descriptor;
    enterBlock(emitter, mine, elementBytes, placeOf(shares, turn));
    MoverTile tile = tileAt(mine, shares.piece, offset, mask, offsetOf(turn));
    if (all.size() + 1 == shares.turns.size())
      tell(tile, barrier);
    all.push_back(makeWords(builder, mine, tile));
  }
  return all;
}

SmallVector<Value *, 5> TensorMove::placeOf(const MoverShares &shares,
                                            const MoverShares::Place &turn) {
  SmallVector<Value *, 5> place;
  for (size_t dim = 0; dim < block.size(); ++dim) {
    SmallVector<uint32_t> images;
    for (const MoverShares::Place &ofBit : shares.places)
      images.push_back(ofBit[dim]);
    uint32_t mask = imageMask(images);
    place.push_back(mask ? combineIndex(builder, ofWave(images), mask, turn[dim])
                         : builder.getInt32(turn[dim]));
  }
  return place;
}

void TensorMove::issue(const MoverWords &words, tt::CacheModifier caches) {
  SmallVector<Value *> operands(ArrayRef(words.groups).take_front(2));
  Intrinsic::ID id = isStore ? Intrinsic::amdgcn_tensor_store_from_lds_d2
                             : Intrinsic::amdgcn_tensor_load_to_lds_d2;
  if (words.groups[2]) {
    append_range(operands, ArrayRef(words.groups).drop_front(2));
    id = isStore ? Intrinsic::amdgcn_tensor_store_from_lds : Intrinsic::amdgcn_tensor_load_to_lds;
  }
  operands.push_back(builder.getInt32(cacheOperand(emitter.state.target, caches)));
  builder.CreateIntrinsic(builder.getVoidTy(), id, operands);
}

void settleLds(Emitter &emitter) {
  if (emitter.threads.group.count > 1 || emitter.state.kernel.numWarps == 1)
    return;
  Builder &builder = emitter.builder;
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_wait_dscnt,
                          {builder.getInt16(0)});
}

} // namespace gluonc::codegen::amd
