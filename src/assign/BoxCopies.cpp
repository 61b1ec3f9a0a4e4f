#include "assign/BoxCopies.h"

#include "assign/CtaShares.h"
#include "ir/Encoding.h"
#include "ir/Views.h"
#include "ir/tt/Coalescing.h"
#include "layout/plan/TensorBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gluonc::assign {

static Value number(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
}

Value allocateBuffer(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type element,
                     Attribute encoding, std::optional<int64_t> slots) {
  llvm::SmallVector<int64_t> whole;
  if (slots)
    whole.push_back(*slots);
  llvm::append_range(whole, shape);
  auto type = ttg::MemDescType::get(whole, element, encoding,
                                    ttg::SharedMemorySpaceAttr::get(builder.getContext()),
                                    /*mutableMemory=*/true, whole);
  return ttg::LocalAllocOp::create(builder, loc, type);
}

Value bufferAt(OpBuilder &builder, Location loc, Value ring, Value slot) {
  auto type = cast<ttg::MemDescType>(ring.getType());
  auto view = ttg::MemDescType::get(type.getShape().drop_front(), type.getElementType(),
                                    type.getEncoding(), type.getMemorySpace(),
                                    /*mutableMemory=*/true);
  return ttg::MemDescIndexOp::create(builder, loc, view, ring, slot);
}

/// Of blocks without leading dims of one.
static layout::NVMMASharedLayout withRank(layout::NVMMASharedLayout layout, size_t rank) {
  for (layout::Ints &basis : layout.cga)
    basis.erase(basis.begin(), basis.begin() + (layout.numDims - rank));
  layout.numDims = rank;
  return layout;
}

Attribute bufferEncoding(tt::TensorDescType desc, Type like) {
  auto buffer = dyn_cast<ttg::MemDescType>(like);
  ArrayRef<int64_t> shape = buffer ? buffer.getShape() : cast<RankedTensorType>(like).getShape();
  layout::NVMMASharedLayout own =
      withRank(cast<ttg::NVMMASharedEncodingAttr>(desc.getSharedLayout()).getValue(), shape.size());
  layout::NVMMASharedLayout wanted = own;
  wanted.cga = sharesOf(like);
  return fromLayout(desc.getContext(),
                    layout::Layout(layout::isFilledBy(wanted, own, shape) ? wanted : own));
}

/// The shape of blocks in buffers of such a layout.
static ArrayRef<int64_t> shapeIn(tt::TensorDescType desc, Attribute buffer) {
  return desc.getShape().take_back(toLayout(buffer).rank().value_or(desc.getShape().size()));
}

static int64_t bytesOfShare(ArrayRef<int64_t> shape, Attribute encoding, Type element) {
  return ShapedType::getNumElements(layout::shapePerCta(toLayout(encoding), shape)) *
         elementBytes(element);
}

int64_t bytesOf(tt::TensorDescType desc, Attribute buffer) {
  return bytesOfShare(shapeIn(desc, buffer), buffer, ttng::signless(desc.getElementType()));
}

int64_t bytesOf(ttg::MemDescType buffer) {
  size_t rings = ringDims(buffer);
  return ShapedType::getNumElements(buffer.getShape().take_front(rings)) *
         bytesOfShare(buffer.getShape().drop_front(rings), buffer.getEncoding(),
                      buffer.getElementType());
}

Value allocateBuffer(OpBuilder &builder, Location loc, tt::TensorDescType desc,
                     Attribute encoding) {
  return allocateBuffer(builder, loc, shapeIn(desc, encoding),
                        ttng::signless(desc.getElementType()), encoding);
}

/// `type` with the parts that CTAs have of the buffer.
static RankedTensorType sharedAs(RankedTensorType type, Value buffer) {
  layout::Layout registers =
      registersSharedAs(type, sharesOf(buffer.getType()), buffer.getDefiningOp());
  return type.cloneWithEncoding(fromLayout(type.getContext(), registers));
}

Value readBuffer(OpBuilder &builder, Location loc, RankedTensorType type, Value buffer) {
  if (areSharedAlike(type, buffer.getType()))
    return ttg::LocalLoadOp::create(builder, loc, type, buffer);
  Value own = ttg::LocalLoadOp::create(builder, loc, sharedAs(type, buffer), buffer);
  return ttg::ConvertLayoutOp::create(builder, loc, type, own, /*force_warp_shuffle=*/false);
}

void fillBuffer(OpBuilder &builder, Location loc, Value block, Value buffer) {
  auto type = cast<RankedTensorType>(block.getType());
  if (!areSharedAlike(type, buffer.getType()))
    block = ttg::ConvertLayoutOp::create(builder, loc, sharedAs(type, buffer), block,
                                         /*force_warp_shuffle=*/false);
  ttg::LocalStoreOp::create(builder, loc, block, buffer);
}

Value nextSlot(OpBuilder &builder, Location loc, Value slot, int64_t slots) {
  if (slots == 1)
    return slot;
  Value next = arith::AddIOp::create(builder, loc, slot, number(builder, loc, 1));
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next,
                                       number(builder, loc, slots));
  return arith::SelectOp::create(builder, loc, isLast, next, number(builder, loc, 0));
}

Value nextPhase(OpBuilder &builder, Location loc, Turn turn, int64_t slots) {
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            nextSlot(builder, loc, turn.slot, slots), number(builder, loc, 0));
  return arith::XOrIOp::create(builder, loc, turn.phase,
                               arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isFirst));
}

Turn turnBefore(OpBuilder &builder, Location loc, Turn turn, int64_t slots) {
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, turn.slot,
                                        number(builder, loc, 0));
  Value before = arith::SubIOp::create(builder, loc, turn.slot, number(builder, loc, 1));
  Value slot =
      arith::SelectOp::create(builder, loc, isFirst, number(builder, loc, slots - 1), before);
  Value phase =
      arith::XOrIOp::create(builder, loc, turn.phase,
                            arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isFirst));
  return {slot, phase};
}

BoxBarriers::BoxBarriers(OpBuilder &builder, Location loc, int64_t slots, int64_t arrivals)
    : loc(loc), slots(slots) {
  // Each CTA has its own.
  int64_t ctas = ThreadCounts::at(builder.getInsertionBlock()->getParentOp()).ctas;
  layout::SwizzledSharedLayout layout{1, 1, 1, {0}, {}};
  for (int64_t step = 1; step < ctas; step *= 2)
    layout.cga.push_back({step});
  ring = allocateBuffer(builder, loc, {ctas}, builder.getI64Type(),
                        fromLayout(builder.getContext(), layout::Layout(layout)), slots);
  for (int64_t slot = 0; slot < slots; ++slot)
    ttng::InitBarrierOp::create(builder, loc, at(builder, number(builder, loc, slot)),
                                uint32_t(arrivals));
}

Value BoxBarriers::at(OpBuilder &builder, Value slot) const {
  return bufferAt(builder, loc, ring, slot);
}

void BoxBarriers::expect(OpBuilder &builder, Value slot, int64_t bytes, Value predicate) const {
  ttng::BarrierExpectOp::create(builder, loc, at(builder, slot), uint32_t(bytes), predicate,
                                IntegerAttr());
}

void BoxBarriers::copy(OpBuilder &builder, tt::DescriptorLoadOp load, Value desc,
                       ValueRange indices, Value slot, Value buffer, Value predicate) const {
  ttng::AsyncTMACopyGlobalToLocalOp::create(
      builder, load.getLoc(), desc, indices, /*offsets=*/ValueRange(), at(builder, slot), buffer,
      predicate, /*multicast=*/false, tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL,
      /*isVolatile=*/false, /*cachePolicy=*/Attribute());
}

void BoxBarriers::wait(OpBuilder &builder, Value slot, Value phase) const {
  ttng::WaitBarrierOp::create(builder, loc, at(builder, slot), phase, /*pred=*/Value(),
                              /*deps=*/ValueRange());
}

void BoxBarriers::arrive(OpBuilder &builder, Value slot, Value predicate) const {
  ttng::ArriveBarrierOp::create(builder, loc, at(builder, slot), /*count=*/1, predicate,
                                IntegerAttr(), /*perWarp=*/true);
}

void BoxBarriers::tell(OpBuilder &builder, Value slot, TensorMemoryProduct product) const {
  product.addBarrier(at(builder, slot),
                     arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1));
}

void BoxBarriers::end(OpBuilder &builder) const {
  for (int64_t slot = 0; slot < slots; ++slot)
    ttng::InvalBarrierOp::create(builder, loc, at(builder, number(builder, loc, slot)));
}

} // namespace gluonc::assign
