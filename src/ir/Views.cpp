#include "ir/Views.h"

#include "ir/Encoding.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc {

size_t ringDims(ttg::MemDescType type) {
  size_t rank = type.getShape().size();
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  return layout ? rank - std::min<size_t>(rank, layout->rank().value_or(rank)) : 0;
}

namespace {

ArrayRef<int64_t> bufferShape(ttg::MemDescType type) {
  return type.getShape().drop_front(ringDims(type));
}

/// Whether coordinates below the shape lead to the first offsets of the buffer, and to no others.
bool startsBuffer(const LinearLayout &linear, ArrayRef<int64_t> shape) {
  std::optional<LinearLayout> inverse = linear.pseudoInvert();
  if (!inverse || linear.inLog2(Dim::Block))
    return false;
  int64_t elements = ShapedType::getNumElements(shape);
  for (auto [axis, size] : llvm::enumerate(shape))
    for (int64_t step = 1; step < size; step *= 2) {
      uint64_t place = inverse->applyPacked(inverse->packIn({{Dim::axis(axis), uint32_t(step)}}));
      if (inverse->outComponent(place, Dim::Offset) >= elements)
        return false;
    }
  return true;
}

} // namespace

bool isSubslice(ttg::MemDescType type) {
  size_t rank = std::min(bufferShape(type).size(), type.getAllocShape().size());
  return type.getShape().take_back(rank) != type.getAllocShape().take_back(rank);
}

bool isContiguous(ttg::MemDescType type) {
  if (!isSubslice(type))
    return true;
  const LinearLayout *linear = linearOrNull(type);
  bool oneBuffer = llvm::all_of(type.getShape().take_front(ringDims(type)),
                                [](int64_t count) { return count == 1; });
  return linear && oneBuffer && paddingOf(type).empty() &&
         linear->outDims().size() == bufferShape(type).size() &&
         startsBuffer(*linear, bufferShape(type));
}

std::optional<int64_t> footprint(ttg::MemDescType type) {
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout || !linearOrNull(type))
    return std::nullopt;
  int64_t buffers = ShapedType::getNumElements(type.getShape().take_front(ringDims(type)));
  size_t rank = bufferShape(type).size();
  return buffers * layout::sharedElements(*layout, type.getAllocShape().take_back(rank)) *
         elementBytes(type.getElementType());
}

std::optional<int64_t> reachableBytes(Value view) {
  auto type = cast<ttg::MemDescType>(view.getType());
  if (isSubslice(type))
    return mlir::ShapedType::getNumElements(type.getShape()) * elementBytes(type.getElementType());
  std::optional<int64_t> own = footprint(type);
  auto index = view.getDefiningOp<ttg::MemDescIndexOp>();
  std::optional<int64_t> ring = index ? footprint(index.getSrc().getType()) : std::nullopt;
  if (!own || !ring)
    return own;
  llvm::APInt constant;
  int64_t before =
      matchPattern(index.getIndex(), m_ConstantInt(&constant)) ? constant.getSExtValue() : 0;
  return std::max(*own, *ring - before * *own);
}

llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOf(ttg::MemDescType type) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> bytes;
  int64_t size = elementBytes(type.getElementType());
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (const layout::PaddedSharedLayout *padded = layout ? layout::paddedPart(*layout) : nullptr)
    for (const layout::IntervalPadding &pair : padded->paddings)
      bytes.push_back({pair.interval * size, pair.padding * size});
  return bytes;
}

} // namespace gluonc
