//===- DescriptorAccess.cpp - Rules of tt.descriptor_load and its kin -----------===//
#include "ir/tt/DescriptorAccess.h"

#include "ir/ttng/AsyncUnitRules.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::tt;

#define GET_OP_CLASSES
#include "ir/TTDescriptorAccess.cpp.inc"

static LogicalResult checkAccess(Operation *op, TensorDescType desc, size_t indices,
                                 RankedTensorType block) {
  if (indices != desc.getShape().size()) // descriptor_access_c1
    return op->emitOpError("needs one index per dim of the block, ") << desc.getShape().size();
  Type element = ttng::signless(desc.getElementType());
  if (block.getShape() != desc.getShape() ||
      block.getElementType() != element) // descriptor_access_c2
    return op->emitOpError("the tensor must have the shape and element type of the block, ")
           << desc << ", got " << block;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  TensorDescType desc = getDesc().getType();
  RankedTensorType whole = getType();
  // Without leading dims of one.
  ArrayRef<int64_t> all = desc.getShape(), own = whole.getShape();
  if (!own.empty() && own.size() < all.size() && all.take_back(own.size()) == own &&
      whole.getNumElements() == ShapedType::getNumElements(all))
    whole = RankedTensorType::get(all, whole.getElementType());
  return checkAccess(*this, desc, getIndices().size(), whole);
}

LogicalResult DescriptorStoreOp::verify() {
  return checkAccess(*this, getDesc().getType(), getIndices().size(), getSrc().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  if (!ttng::hasReduction(getKind(), getDesc().getType().getElementType())) // descriptor_reduce_c1
    return emitOpError("the copy engine cannot ")
           << stringifyDescriptorReduceKind(getKind()) << " elements of type "
           << getDesc().getType().getElementType();
  return checkAccess(*this, getDesc().getType(), getIndices().size(), getSrc().getType());
}
