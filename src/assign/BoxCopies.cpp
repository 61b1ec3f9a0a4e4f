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

BoxBarriers::BoxBarriers(OpBuilder &builder, Location loc, int64_t slots) : loc(loc), slots(slots) {
  layout::Layout layout(layout::SwizzledSharedLayout{1, 1, 1, {0}, {}});
  ring = allocateBuffer(builder, loc, {1}, builder.getI64Type(),
                        fromLayout(builder.getContext(), layout), slots);
  for (int64_t slot = 0; slot < slots; ++slot)
    ttng::InitBarrierOp::create(builder, loc, at(builder, number(builder, loc, slot)), 1);
}

Value BoxBarriers::at(OpBuilder &builder, Value slot) { return bufferAt(builder, loc, ring, slot); }

void BoxBarriers::expect(OpBuilder &builder, Value slot, int64_t bytes, Value predicate) {
  ttng::BarrierExpectOp::create(builder, loc, at(builder, slot), uint32_t(bytes), predicate,
                                IntegerAttr());
}

void BoxBarriers::copy(OpBuilder &builder, tt::DescriptorLoadOp load, Value desc,
                       ValueRange indices, Value slot, Value buffer, Value predicate) {
  ttng::AsyncTMACopyGlobalToLocalOp::create(
      builder, load.getLoc(), desc, indices, /*offsets=*/ValueRange(), at(builder, slot), buffer,
      predicate, /*multicast=*/false, tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL,
      /*isVolatile=*/false, /*cachePolicy=*/Attribute());
}

void BoxBarriers::wait(OpBuilder &builder, Value slot, Value phase) {
  ttng::WaitBarrierOp::create(builder, loc, at(builder, slot), phase, /*pred=*/Value(),
                              /*deps=*/ValueRange());
}

void BoxBarriers::end(OpBuilder &builder) {
  for (int64_t slot = 0; slot < slots; ++slot)
    ttng::InvalBarrierOp::create(builder, loc, at(builder, number(builder, loc, slot)));
}

} // namespace gluonc::assign
