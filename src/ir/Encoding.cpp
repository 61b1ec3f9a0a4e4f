//===- Encoding.cpp ---------------------------------------------------------===//
#include "ir/Encoding.h"

#include "ir/LinearLayoutCache.h"
#include "support/Error.h"

#include "llvm/ADT/TypeSwitch.h"

namespace gluonc {

using namespace mlir;

layout::Ints shapeOfBases(unsigned rank, ArrayRef<const layout::BasisList *> lists) {
  layout::Ints shape(rank, 1);
  for (const layout::BasisList *list : lists)
    for (const layout::Ints &basis : *list)
      for (unsigned d = 0; d < rank && d < basis.size(); ++d)
        if (basis[d] > 0)
          shape[d] = std::max<int64_t>(shape[d], int64_t(llvm::NextPowerOf2(basis[d])));
  return shape;
}

static Attribute fromLinear(MLIRContext *context, layout::DistributedLinearLayout value) {
  value.shape = shapeOfBases(
      value.shape.size(), {&value.regBases, &value.laneBases, &value.warpBases, &value.blockBases});
  bool permutation = value.isPermutation();
  if (permutation)
    return ttg::LinearEncodingAttr::get(context, layout::Layout(std::move(value)));
  return ttg::GenericLinearEncodingAttr::get(context, layout::Layout(std::move(value)));
}

Attribute fromLayout(MLIRContext *context, const layout::Layout &layout) {
  using layout::LayoutKind;
  if (layout.validate())
    return {};
  switch (layout.kind()) {
  case LayoutKind::Auto:
    return gluon::AutoEncodingAttr::get(context);
  case LayoutKind::Coalesced:
    return gluon::CoalescedEncodingAttr::get(context);
  case LayoutKind::Blocked:
    return ttg::BlockedEncodingAttr::get(context, layout);
  case LayoutKind::Slice:
    return ttg::SliceEncodingAttr::get(context, layout);
  case LayoutKind::DistributedLinear:
    return fromLinear(context, *layout.as<layout::DistributedLinearLayout>());
  case LayoutKind::NVMMADistributed:
    return ttg::NvidiaMmaEncodingAttr::get(context, layout);
  case LayoutKind::DotOperand:
    return ttg::DotOperandEncodingAttr::get(context, layout);
  case LayoutKind::AMDMFMA:
    return ttg::AMDMfmaEncodingAttr::get(context, layout);
  case LayoutKind::AMDWMMA:
    return ttg::AMDWmmaEncodingAttr::get(context, layout);
  case LayoutKind::SwizzledShared:
    return ttg::SwizzledSharedEncodingAttr::get(context, layout);
  case LayoutKind::PaddedShared:
    return ttg::PaddedSharedEncodingAttr::get(context, layout);
  case LayoutKind::SharedLinear:
    return ttg::SharedLinearEncodingAttr::get(context, layout);
  case LayoutKind::NVMMAShared:
    return ttg::NVMMASharedEncodingAttr::get(context, layout);
  case LayoutKind::TensorMemory:
    return ttng::TensorMemoryEncodingAttr::get(context, layout);
  case LayoutKind::TensorMemoryScales:
    return ttng::TensorMemoryScalesEncodingAttr::get(context, layout);
  }
  GL_UNREACHABLE("layout kind");
}

std::optional<layout::Layout> layoutOf(Attribute encoding) {
  using Result = std::optional<layout::Layout>;
  if (!encoding)
    return std::nullopt;
  return llvm::TypeSwitch<Attribute, Result>(encoding)
      .Case<ttg::BlockedEncodingAttr, ttg::SliceEncodingAttr, ttg::LinearEncodingAttr,
            ttg::GenericLinearEncodingAttr, ttg::NvidiaMmaEncodingAttr, ttg::DotOperandEncodingAttr,
            ttg::AMDMfmaEncodingAttr, ttg::AMDWmmaEncodingAttr, ttng::TensorMemoryEncodingAttr,
            ttng::TensorMemoryScalesEncodingAttr, ttg::SwizzledSharedEncodingAttr,
            ttg::PaddedSharedEncodingAttr, ttg::SharedLinearEncodingAttr,
            ttg::NVMMASharedEncodingAttr>(
          [](auto wrapped) -> Result { return wrapped.getLayout(); })
      .Case<gluon::AutoEncodingAttr>([](auto) -> Result { return layout::AutoLayout{}; })
      .Case<gluon::CoalescedEncodingAttr>([](auto) -> Result { return layout::CoalescedLayout{}; })
      .Default(Result());
}

layout::Layout toLayout(Attribute encoding) {
  std::optional<layout::Layout> layout = layoutOf(encoding);
  if (!layout)
    GL_ICE("an encoding without a layout");
  return *layout;
}

static std::unique_ptr<layout::LinearLayout> compute(Attribute encoding, ArrayRef<int64_t> shape) {
  std::optional<layout::Layout> layout = layoutOf(encoding);
  if (!layout || layout->isPlaceholder())
    return nullptr;
  // A ring of buffers has leading dims that the encoding does not speak of.
  if (layout->isShared() && layout->rank() && *layout->rank() < shape.size())
    shape = shape.take_back(*layout->rank());
  if (checkShape(*layout, shape))
    return nullptr;
  return std::make_unique<layout::LinearLayout>(layout->toLinear(shape));
}

static ttg::LinearLayoutCache &cacheOf(MLIRContext *context) {
  return context->getOrLoadDialect<ttg::TTGDialect>()->linearLayouts();
}

const layout::LinearLayout *linearOrNull(RankedTensorType type) {
  return cacheOf(type.getContext()).get(type, [&] {
    return compute(type.getEncoding(), type.getShape());
  });
}

const layout::LinearLayout *linearOrNull(ttg::MemDescType type) {
  return cacheOf(type.getContext()).get(type, [&] {
    return compute(type.getEncoding(), type.getAllocShape());
  });
}

const layout::LinearLayout &toLinear(RankedTensorType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  if (!linear)
    GL_ICE("a tensor type without a linear layout");
  return *linear;
}

const layout::LinearLayout &toLinear(ttg::MemDescType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  if (!linear)
    GL_ICE("a buffer type without a linear layout");
  return *linear;
}

const layout::ConversionPlan &planOf(ttg::ConvertLayoutOp op) {
  RankedTensorType from = op.getSrc().getType(), to = op.getType();
  bool forced = op.getForceWarpShuffle();
  // Looked up before the cache is locked by `plan`.
  const layout::LinearLayout &src = toLinear(from), &dst = toLinear(to);
  return cacheOf(op.getContext()).plan({from, to}, forced, [&] {
    layout::ConversionOptions options;
    if (forced)
      options.maxSwaps = layout::LinearLayout::maxBits;
    return layout::planConversion(src.removeZeroBases(layout::Dim::Register),
                                  dst.removeZeroBases(layout::Dim::Register),
                                  8 * elementBytes(from.getElementType()), options);
  });
}

unsigned elementBits(Type element) {
  return isa<tt::PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

unsigned elementBytes(Type element) { return (elementBits(element) + 7) / 8; }

} // namespace gluonc
