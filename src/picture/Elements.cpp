//===- Elements.cpp - A tensor's elements with their places ------------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

#include "layout/plan/Conversion.h"
#include "layout/plan/TensorMemoryAccess.h"

#include <algorithm>

namespace gluonc::picture {

using layout::Dim;
using layout::Layout;
using layout::LinearLayout;

namespace {

/// How many further places of an element its title lists.
constexpr unsigned listedOthers = 8;

class ElementsPanel {
public:
  ElementsPanel(const LinearLayout &linear, llvm::ArrayRef<int64_t> shown)
      : panel(emptyTensor(shown)), linear(linear), shown(shown) {}

  Panel panel;

  void registers() {
    forEachOwner(linear, [&](uint64_t place) {
      Owner owner(linear, place);
      put(place, owner.text(), owner.words(), owner.threadText(), owner.group());
    });
    panel.groups = ownerGroups(linear);
  }

  void shared(const Layout &named, unsigned bits) {
    const auto *padded = layout::paddedPart(named);
    forEachPlace(Dim::Offset, Dim::Partition, [&](uint64_t place, uint32_t block) {
      const int64_t logical = linear.inComponent(place, Dim::Offset);
      const int64_t offset = padded ? padded->physicalOffset(logical) : logical;
      const unsigned bank = bankOf(offset * bits / 8);
      put(place, inBlock(block) + std::to_string(offset),
          inCta(block) + "offset " + std::to_string(offset) + ", bank " + std::to_string(bank),
          "bank " + std::to_string(bank), bank);
    });
    for (int64_t bank = 0; bank != layout::sharedBanks; ++bank)
      panel.groups.push_back("bank " + std::to_string(bank));
  }

  void tensorMemory(const Layout &named, unsigned bits) {
    constexpr unsigned rowsOfWarp = 32;
    // Scales have copies for each warp; other places without an element of their own are gaps.
    const bool hasCopies = named.kind() == layout::LayoutKind::TensorMemoryScales;
    const uint32_t noColumn = linear.freeVariableMask(Dim::Col),
                   noRow = hasCopies ? 0 : linear.freeVariableMask(Dim::Row);
    forEachPlace(Dim::Col, Dim::Row, [&](uint64_t place, uint32_t block) {
      if ((linear.inComponent(place, Dim::Col) & noColumn) ||
          (linear.inComponent(place, Dim::Row) & noRow))
        return;
      const std::string row = std::to_string(linear.inComponent(place, Dim::Row));
      const std::string column =
          std::to_string(int64_t{linear.inComponent(place, Dim::Col)} * bits / columnBits);
      const unsigned warp = linear.inComponent(place, Dim::Row) / rowsOfWarp;
      put(place, inBlock(block) + row + ":" + column,
          inCta(block) + "row " + row + ", 32-bit column " + column + ", reached by warp " +
              std::to_string(warp) + " of a group of four",
          "row " + row, warp);
    });
    for (int64_t first = 0; first < linear.inSize(Dim::Row); first += rowsOfWarp)
      panel.groups.push_back(
          "rows " + std::to_string(first) + ".." +
          std::to_string(std::min<int64_t>(first + rowsOfWarp, linear.inSize(Dim::Row)) - 1));
  }

private:
  std::string inBlock(uint32_t block) const {
    return linear.inSize(Dim::Block) > 1 ? "B" + std::to_string(block) + " " : "";
  }
  std::string inCta(uint32_t block) const {
    return linear.inSize(Dim::Block) > 1 ? "CTA " + std::to_string(block) + ", " : "";
  }

  void forEachPlace(Dim fast, Dim slow, llvm::function_ref<void(uint64_t, uint32_t)> visit) {
    for (uint32_t block = 0; block != linear.inSize(Dim::Block); ++block)
      for (uint32_t outer = 0; outer != linear.inSize(slow); ++outer)
        for (uint32_t inner = 0; inner != linear.inSize(fast); ++inner)
          visit(linear.packIn({{fast, inner}, {slow, outer}, {Dim::Block, block}}), block);
  }

  void put(uint64_t place, const std::string &text, const std::string &words,
           const std::string &owner, unsigned group) {
    const layout::Ints element = elementAt(linear, place);
    Cell *cell = cellAt(panel, element, shown);
    if (!cell)
      return;
    if (!cell->text.empty()) {
      if (++cell->others <= listedOthers)
        cell->title += "; also " + text;
      return;
    }
    cell->text = text;
    cell->element = commas(element);
    cell->title = "[" + cell->element + "]: " + words;
    cell->owner = owner;
    cell->group = group;
  }

  const LinearLayout &linear;
  llvm::ArrayRef<int64_t> shown;
};

} // namespace

Panel elementsPanel(const Layout &named, llvm::ArrayRef<int64_t> shape, unsigned bits,
                    llvm::ArrayRef<int64_t> shown) {
  const LinearLayout linear = named.toLinear(shape);
  ElementsPanel elements(linear, shown);
  if (named.isShared())
    elements.shared(named, bits);
  else if (named.isTensorMemory())
    elements.tensorMemory(named, bits);
  else
    elements.registers();
  elements.panel.title = "tensor [" + commas(shape) + "]";
  return std::move(elements.panel);
}

static std::string whatIsShown(const Layout &layout) {
  if (layout.isShared())
    return "Each cell is an element of the tensor with its offset in shared memory, in elements; "
           "colours are banks.";
  if (layout.isTensorMemory())
    return "Each cell is an element of the tensor with its row and 32-bit column of tensor memory; "
           "colours are the rows that one warp reaches.";
  return "Each cell is an element of the tensor with the thread and register that hold it: T5:2 is "
         "register 2 of thread 5; colours are warps.";
}

Picture drawElements(const Laid &laid, llvm::ArrayRef<int64_t> corner) {
  layout::Ints shown(laid.shape);
  for (size_t axis = 0; axis != corner.size(); ++axis)
    shown[axis] = std::min(shown[axis], corner[axis]);
  Picture picture;
  picture.title = laid.layout.toString();
  picture.description = whatIsShown(laid.layout);
  picture.panels.push_back(elementsPanel(laid.layout, laid.shape, laid.elementBits, shown));
  return picture;
}

} // namespace gluonc::picture
