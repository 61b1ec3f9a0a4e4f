#include "assign/BoxCopies.h"

#include "ir/Encoding.h"

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

Value allocateBuffer(OpBuilder &builder, Location loc, tt::TensorDescType desc,
                     std::optional<int64_t> slots) {
  return allocateBuffer(builder, loc, desc.getShape(), ttng::signless(desc.getElementType()),
                        desc.getSharedLayout(), slots);
}

int64_t bytesOf(tt::TensorDescType desc) {
  return ShapedType::getNumElements(desc.getShape()) *
         elementBytes(ttng::signless(desc.getElementType()));
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
  layout::Layout layout(layout::SwizzledSharedLayout{1, 1, 1, {0}, {}});
  ring = allocateBuffer(builder, loc, {1}, builder.getI64Type(),
                        fromLayout(builder.getContext(), layout), slots);
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
