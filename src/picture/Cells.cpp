#include "picture/Cells.h"

#include "layout/plan/Conversion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::picture {

using layout::Dim;
using layout::LinearLayout;

Owner::Owner(const LinearLayout &linear, uint64_t place)
    : reg(linear.inComponent(place, Dim::Register)), lane(linear.inComponent(place, Dim::Lane)),
      warp(linear.inComponent(place, Dim::Warp)), block(linear.inComponent(place, Dim::Block)),
      lanes(linear.inSize(Dim::Lane)), warps(linear.inSize(Dim::Warp)),
      blocks(linear.inSize(Dim::Block)) {}

std::string Owner::threadText() const {
  return (blocks > 1 ? "B" + std::to_string(block) + " " : "") + "T" + std::to_string(thread());
}

std::string Owner::words() const {
  return (blocks > 1 ? "CTA " + std::to_string(block) + ", " : "") + "warp " +
         std::to_string(warp) + ", lane " + std::to_string(lane) + ", register " +
         std::to_string(reg);
}

std::vector<std::string> ownerGroups(const LinearLayout &linear) {
  std::vector<std::string> names;
  for (int64_t block = 0; block != linear.inSize(Dim::Block); ++block)
    for (int64_t warp = 0; warp != linear.inSize(Dim::Warp); ++warp)
      names.push_back((linear.inSize(Dim::Block) > 1 ? "B" + std::to_string(block) + " " : "") +
                      "warp " + std::to_string(warp));
  return names;
}

void forEachOwner(const LinearLayout &linear, llvm::function_ref<void(uint64_t)> visit) {
  const auto size = [&](Dim dim) { return static_cast<uint32_t>(linear.inSize(dim)); };
  for (uint32_t block = 0; block != size(Dim::Block); ++block)
    for (uint32_t warp = 0; warp != size(Dim::Warp); ++warp)
      for (uint32_t lane = 0; lane != size(Dim::Lane); ++lane)
        for (uint32_t reg = 0; reg != size(Dim::Register); ++reg)
          visit(linear.packIn(
              {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, block}}));
}

std::string commas(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

layout::Ints elementAt(const LinearLayout &linear, uint64_t place) {
  const uint64_t image = linear.applyPacked(place);
  layout::Ints element(linear.outDims().size());
  for (size_t axis = 0; axis != element.size(); ++axis)
    element[axis] = linear.outComponent(image, Dim::axis(static_cast<unsigned>(axis)));
  return element;
}

Panel emptyTensor(llvm::ArrayRef<int64_t> shape) {
  Panel panel;
  const int64_t columns = shape.back();
  int64_t rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  panel.rows.assign(static_cast<size_t>(rows), std::vector<Cell>(static_cast<size_t>(columns)));
  for (int64_t column = 0; column != columns; ++column)
    panel.columnHeads.push_back(std::to_string(column));
  for (int64_t row = 0; shape.size() > 1 && row != rows; ++row) {
    layout::Ints outer(shape.size() - 1);
    for (int64_t axis = static_cast<int64_t>(outer.size()) - 1, rest = row; axis >= 0; --axis) {
      outer[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    panel.rowHeads.push_back(commas(outer));
  }
  if (shape.size() > 2)
    panel.planeRows = shape[shape.size() - 2];
  return panel;
}

Cell *cellAt(Panel &panel, llvm::ArrayRef<int64_t> element, llvm::ArrayRef<int64_t> shape) {
  int64_t row = 0;
  for (size_t axis = 0; axis != shape.size(); ++axis) {
    if (element[axis] >= shape[axis])
      return nullptr;
    if (axis + 1 != shape.size())
      row = row * shape[axis] + element[axis];
  }
  return &panel.rows[static_cast<size_t>(row)][static_cast<size_t>(element.back())];
}

unsigned bankOf(int64_t byte) {
  return static_cast<unsigned>(byte / layout::sharedWordBytes % layout::sharedBanks);
}

unsigned heatOf(int64_t count, int64_t most) {
  if (count <= 0)
    return 0;
  if (most <= 1)
    return 1;
  const unsigned full = llvm::Log2_64_Ceil(static_cast<uint64_t>(most));
  return 1 + llvm::Log2_64(static_cast<uint64_t>(count)) * (mostHeat - 1) / full;
}

} // namespace gluonc::picture
