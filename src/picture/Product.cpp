//===- Product.cpp - Operands and result of a matrix product -----------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

namespace gluonc::picture {

using layout::Layout;

namespace {

struct Operand {
  Layout layout;
  layout::Ints shape;
};

/// Neighbours along K that a register of 32 bits holds.
int64_t kWidthOf(const Product &product) {
  return product.kWidth ? product.kWidth : std::max<int64_t>(1, 32 / product.result.elementBits);
}

Operand operandOf(const Product &product, int64_t index) {
  const layout::Ints &shape = product.result.shape;
  layout::Ints operand(shape);
  operand[shape.size() - (index == 0 ? 1 : 2)] = product.depth;
  const auto *mma = product.result.layout.as<layout::NVMMADistributedLayout>();
  const bool isWarpGroup = mma && mma->isWarpGroup();
  const bool isInMemory = product.result.layout.isTensorMemory() || (isWarpGroup && index == 1);
  if (isInMemory)
    // The right operand has K contiguous: its transpose is what memory holds row by row.
    return {layout::NVMMASharedLayout::defaultFor(operand, product.result.elementBits, index == 1),
            operand};
  return {layout::DotOperandLayout{index, product.result.layout, kWidthOf(product)}, operand};
}

} // namespace

layout::Problem checkProduct(const Product &product) {
  const Layout &result = product.result.layout;
  if (product.result.shape.size() != 2)
    return "a product is drawn for two dims";
  using enum layout::LayoutKind;
  const layout::LayoutKind kind = result.kind();
  if (kind != NVMMADistributed && kind != AMDMFMA && kind != AMDWMMA && kind != TensorMemory)
    return layout::nameOf(kind).str() + " is no result of a matrix instruction";
  if (!layout::isPowerOf2(product.depth) || product.depth > 1024)
    return "the depth of a product must be a power of two up to 1024, but is " +
           std::to_string(product.depth);
  for (int64_t index : {0, 1}) {
    const Operand operand = operandOf(product, index);
    if (layout::Problem problem = operand.layout.validate())
      return problem;
    if (layout::Problem problem = layout::checkShape(operand.layout, operand.shape))
      return problem;
  }
  return std::nullopt;
}

Picture drawProduct(const Product &product) {
  Picture picture;
  const Laid &result = product.result;
  picture.title = "product in " + result.layout.toString();
  picture.description =
      "The left operand A [M, K], above the result the right operand B [K, N], and "
      "the result D [M, N]; each element with the thread and register that hold "
      "it, or its place in memory.";
  auto add = [&](const Layout &layout, const layout::Ints &shape, const std::string &name,
                 unsigned row, unsigned column, unsigned bits) {
    Panel panel = elementsPanel(layout, shape, bits, shape);
    panel.title = name + " [" + commas(shape) + "]: " + layout::nameOf(layout.kind()).str();
    panel.row = row;
    panel.column = column;
    picture.panels.push_back(std::move(panel));
    picture.notes.push_back(name + ": " + layout.toString());
  };
  const Operand left = operandOf(product, 0), right = operandOf(product, 1);
  add(right.layout, right.shape, "B", 0, 1, result.elementBits);
  add(left.layout, left.shape, "A", 1, 0, result.elementBits);
  constexpr unsigned accumulatorBits = 32;
  add(result.layout, result.shape, "D", 1, 1, accumulatorBits);
  return picture;
}

} // namespace gluonc::picture
