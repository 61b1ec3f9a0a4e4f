#include "codegen/nvidia/SharedOperand.h"

#include "ir/Encoding.h"
#include "target/nvidia/MatrixInstructions.h"

using namespace llvm;
using gluonc::layout::Dim;

namespace gluonc::codegen::nvidia {

SharedOperand::SharedOperand(Emitter &emitter, mlir::Value buffer, unsigned outerFromLast,
                             unsigned outer, unsigned depth, bool countsPadding)
    : emitter(emitter), buffer(buffer) {
  auto type = cast<ttg::MemDescType>(buffer.getType());
  const layout::LinearLayout *memory = linearOrNull(type);
  if (!memory)
    return;
  unsigned rank = type.getRank();
  outerAxis = rank - 1 - outerFromLast, kAxis = rank - 2 + outerFromLast;
  bytes = elementBytes(type.getElementType());
  inverse = counted = memory->pseudoInvert();
  layout::LinearLayout padded;
  if (countsPadding) {
    padded = layout::countPadding(*memory, kAxis);
    memory = &padded;
    counted = padded.pseudoInvert();
  }
  descriptor = layout::describeMatrix(*memory, outerAxis, kAxis, bytes, outer, depth);
}

Value *describeView(Emitter &emitter, mlir::Value view, const layout::LinearLayout &inverse,
                    unsigned bytes, uint64_t bits, Value *offset) {
  Builder &builder = emitter.builder;
  const Registers &registers = emitter.get(view);
  if (!offset)
    offset = builder.getInt32(0);
  // Windows start at whole tiles, so their offsets do not touch the swizzle's bits.
  for (auto [axis, start] : enumerate(ArrayRef(registers).drop_front())) {
    Constant *known = dyn_cast<Constant>(start);
    if (known && known->isNullValue())
      continue;
    SmallVector<uint32_t> images;
    for (unsigned bit = 0; bit < inverse.inLog2(Dim::axis(axis)); ++bit)
      images.push_back(inverse.basis(Dim::axis(axis), bit, Dim::Offset));
    offset = builder.CreateXor(offset, applyLinear(builder, start, images));
  }
  Value *address = builder.CreatePtrToInt(registers[0], builder.getInt32Ty());
  address = builder.CreateAdd(address, builder.CreateMul(offset, builder.getInt32(bytes)));
  Value *units = builder.CreateLShr(builder.CreateAnd(address, builder.getInt32(0x3ffff)), 4);
  return builder.CreateOr(builder.CreateZExt(units, builder.getInt64Ty()), builder.getInt64(bits));
}

void SharedOperand::start(ArrayRef<uint32_t> groupSteps, uint64_t version) {
  first = describeView(emitter, buffer, *inverse, bytes, descriptor->bits | version,
                       groupOffset(groupSteps));
}

uint64_t SharedOperand::step(uint32_t outer, uint32_t k) const {
  uint64_t place = counted->packIn({{Dim::axis(outerAxis), outer}, {Dim::axis(kAxis), k}});
  uint64_t offset = counted->outComponent(counted->applyPacked(place), Dim::Offset);
  return offset * bytes / 16;
}

/// Element offset of this thread's warp group; the same in all lanes, and known to be.
Value *SharedOperand::groupOffset(ArrayRef<uint32_t> groupSteps) {
  Builder &builder = emitter.builder;
  SmallVector<uint32_t> images;
  for (uint32_t step : groupSteps)
    images.push_back(inverse->outComponent(
        inverse->applyPacked(inverse->packIn({{Dim::axis(outerAxis), step}})), Dim::Offset));
  if (all_of(images, [](uint32_t image) { return image == 0; }))
    return builder.getInt32(0);
  Value *group =
      builder.CreateLShr(emitter.threads.warpId(), Log2_32(target::nvidia::wgmma::warps));
  return applyLinear(builder, group, images);
}

} // namespace gluonc::codegen::nvidia
