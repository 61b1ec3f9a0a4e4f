//===- Folds.cpp - Simplification that never changes a layout ----------------===//
//
// In Gluon layouts are what the user wrote, so no rule here creates, moves or
// merges a conversion. Constants stay splats: a general tensor constant has no
// place to live.
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::tt;

/// `value` as every element of a tensor of `type`; null if it is not a splat constant.
static Attribute resplat(Attribute value, Type type) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(value))
    return splat.resizeSplat(cast<ShapedType>(type));
  return {};
}

enum class MaskKind { Unknown, AllTrue, AllFalse };

static MaskKind kindOf(Value mask) {
  llvm::APInt value;
  // Also matches scalars and splats.
  if (!mask || !matchPattern(mask, m_ConstantInt(&value)))
    return MaskKind::Unknown;
  return value.isZero() ? MaskKind::AllFalse : MaskKind::AllTrue;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(getType(), llvm::APInt(32, getStart(), /*isSigned=*/true));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(getType(), ArrayRef(value));
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resplat(adaptor.getSrc(), getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  auto splat = op.getSrc().getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  Operation *source = op.getSrc().getDefiningOp();
  if (auto splat = dyn_cast_or_null<SplatOp>(source)) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  if (auto inner = dyn_cast_or_null<BroadcastOp>(source)) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  return failure();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getOrder()) && getSrc().getType() == getType())
    return getSrc();
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult ttg::ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult ttg::MemDescSubsliceOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

OpFoldResult ttg::MemDescTransOp::fold(FoldAdaptor) {
  return llvm::is_sorted(getOrder()) && getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

OpFoldResult ttg::MemDescReinterpretOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Pointers and bits
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  return matchPattern(getOffset(), m_Zero()) ? getPtr() : OpFoldResult();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  if (auto inner = getSrc().getDefiningOp<PtrToIntOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  if (auto inner = getSrc().getDefiningOp<IntToPtrOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return {};
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  switch (kindOf(op.getMask())) {
  case MaskKind::Unknown:
    return failure();
  case MaskKind::AllTrue:
    rewriter.modifyOpInPlace(op, [&] {
      op.getOtherMutable().clear();
      op.getMaskMutable().clear();
    });
    return success();
  case MaskKind::AllFalse:
    if (!op.getOther() || op.getIsVolatile())
      return failure();
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  switch (kindOf(op.getMask())) {
  case MaskKind::Unknown:
    return failure();
  case MaskKind::AllTrue:
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  case MaskKind::AllFalse:
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}
