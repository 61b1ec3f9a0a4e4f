#include "assign/nvidia/Operands.h"

#include "ir/Encoding.h"
#include "ir/tt/DescriptorAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc::assign {

bool isFirstDimContiguous(Value value) {
  bool isSwapped = false;
  for (Operation *op = value.getDefiningOp(); isPassedThrough(op); op = value.getDefiningOp()) {
    if (auto trans = dyn_cast<tt::TransOp>(op))
      isSwapped ^= trans.getOrder().size() == 2 && trans.getOrder()[0] == 1;
    Value next;
    for (Value operand : op->getOperands())
      if (!next && isa<RankedTensorType>(operand.getType()) &&
          !operand.getDefiningOp<arith::ConstantOp>())
        next = operand;
    if (!next)
      break;
    value = next;
    auto type = cast<RankedTensorType>(value.getType());
    if (isOpen(type))
      continue;
    layout::Layout layout = toLayout(type.getEncoding());
    if (const auto *blocked = layout.as<layout::BlockedLayout>();
        blocked && blocked->order.size() == 2)
      return isSwapped ^ (blocked->order[0] == 0);
  }
  return isSwapped;
}

bool isLoaded(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tt::TransOp, ttg::ConvertLayoutOp>(op))
      return isa<tt::LoadOp, tt::DescriptorLoadOp>(op);
    value = op->getOperand(0);
  }
  return true;
}

Sum sumOf(Value sum) {
  auto choice = sum.getDefiningOp<scf::IfOp>();
  if (!choice)
    return {sum, {}};
  unsigned number = cast<OpResult>(sum).getResultNumber();
  Value other = choice.elseYield()->getOperand(number);
  bool isOutside = other.getParentRegion()->isAncestor(choice->getParentRegion());
  if (!isZero(choice.thenYield()->getOperand(number)) || !isOutside)
    return {sum, {}};
  return {other, choice.getCondition()};
}

Value addsSum(OpBuilder &builder, Location loc, Value c, const Sum &sum) {
  // Nothing is added to a sum that begins here.
  Value adds;
  if (isZero(c))
    adds = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0);
  if (sum.begins)
    adds =
        arith::XOrIOp::create(builder, loc, sum.begins,
                              arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1));
  return adds;
}

Value convertTo(OpBuilder &builder, Location loc, Value value, const layout::Layout &layout) {
  Attribute encoding = fromLayout(builder.getContext(), layout);
  return ttg::ConvertLayoutOp::create(builder, loc, withEncoding(value.getType(), encoding), value,
                                      /*force_warp_shuffle=*/false);
}

/// What a loaded block was before it was transposed; null for others.
static Value beforeTranspose(Value value) {
  while (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>())
    value = convert.getSrc();
  auto trans = value.getDefiningOp<tt::TransOp>();
  return trans && trans.getOrder()[0] == 1 && isLoaded(trans.getSrc()) ? trans.getSrc() : Value();
}

ttg::MemDescType bufferType(Value block, bool isTransposed, bool isMutable, bool isPadded,
                            const layout::BasisList &cga) {
  auto type = cast<RankedTensorType>(block.getType());
  layout::Layout layout = layout::NVMMASharedLayout::defaultFor(
      type.getShape(), type.getElementTypeBitWidth(), isTransposed, isPadded, cga);
  return ttg::MemDescType::get(
      type.getShape(), type.getElementType(), fromLayout(block.getContext(), layout),
      ttg::SharedMemorySpaceAttr::get(block.getContext()), isMutable, type.getShape());
}

static layout::BasisList transposed(layout::BasisList bases) {
  for (layout::Ints &basis : bases)
    std::swap(basis[0], basis[1]);
  return bases;
}

Value inShared(OpBuilder &builder, Operation *product, Value operand, bool isTransposed,
               bool isPadded, const layout::BasisList &cga) {
  Location loc = product->getLoc();
  // A block that was loaded lies there as it was loaded.
  Value loaded = beforeTranspose(operand);
  // Before the loops that it does not change in.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(placeFor(loaded ? loaded : operand, product));
  if (!loaded)
    return ttg::LocalAllocOp::create(
        builder, loc, bufferType(operand, isTransposed, false, isPadded, cga), operand);
  // Loops put buffers in its place that copies write.
  Value buffer = ttg::LocalAllocOp::create(
      builder, loc, bufferType(loaded, !isTransposed, true, isPadded, transposed(cga)), loaded);
  return ttg::MemDescTransOp::create(builder, loc,
                                     bufferType(operand, isTransposed, true, isPadded, cga), buffer,
                                     ArrayRef<int32_t>{1, 0});
}

} // namespace gluonc::assign
