//===- Memory.cpp - What lies where in shared and tensor memory --------------===//
#include "picture/Cells.h"
#include "picture/Draw.h"

#include "layout/plan/Conversion.h"
#include "layout/plan/TensorMemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gluonc::picture {

using layout::Dim;
using layout::LinearLayout;

namespace {

/// Elements of consecutive places that are consecutive along one axis, as a power of two's log.
struct Run {
  unsigned log2 = 0, axis = 0;
  int64_t size() const { return int64_t{1} << log2; }
};

/// Whether bit `bit` of `in` moves `axis` by as much, and nothing else of it or of `axis`.
bool isOfRun(const LinearLayout &linear, Dim in, unsigned bit, unsigned axis) {
  const uint32_t step = 1u << bit;
  for (unsigned other = 0; other != linear.outDims().size(); ++other)
    if (linear.basis(in, bit, Dim::axis(other)) != (other == axis ? step : 0u))
      return false;
  for (const layout::DimSize &dim : linear.inDims())
    for (unsigned pos = 0; pos != dim.log2; ++pos)
      if ((dim.dim != in || pos != bit) && (linear.basis(dim.dim, pos, Dim::axis(axis)) & step))
        return false;
  return true;
}

Run runAlong(const LinearLayout &linear, Dim in, unsigned mostLog2) {
  Run run;
  for (unsigned axis = 0; axis != linear.outDims().size(); ++axis) {
    unsigned log2 = 0;
    while (log2 < mostLog2 && log2 < linear.inLog2(in) && isOfRun(linear, in, log2, axis))
      ++log2;
    if (log2 > run.log2)
      run = {log2, axis};
  }
  return run;
}

/// "3, 8..11"
std::string runText(llvm::ArrayRef<int64_t> element, const Run &run) {
  std::string text;
  for (auto [axis, value] : llvm::enumerate(element)) {
    text += (text.empty() ? "" : ",") + std::to_string(value);
    if (run.log2 && axis == run.axis)
      text += ".." + std::to_string(value + run.size() - 1);
  }
  return text;
}

class MemoryPanel {
public:
  MemoryPanel(const Laid &laid, uint32_t block)
      : laid(laid), linear(laid.layout.toLinear(laid.shape)), block(block) {}

  Panel shared() {
    const auto *padded = layout::paddedPart(laid.layout);
    const int64_t most =
        std::min<int64_t>(16 * 8 / laid.elementBits, padded ? padded->maxVector() : 128);
    run = runAlong(linear, Dim::Offset, llvm::Log2_64(most));
    // A cell is a run; a line is what the banks hold side by side.
    const int64_t cellBits = run.size() * laid.elementBits;
    const int64_t lineCells = std::max<int64_t>(1, layout::wavefrontBytes * 8 / cellBits);
    begin(lineCells);
    for (int64_t cell = 0; cell != lineCells; ++cell)
      panel.columnHeads.push_back(bankText(cell * cellBits, cellBits));
    panel.columnAxis = "banks of 4 bytes";
    panel.rowAxis = "lines of 128 bytes";
    const int64_t places = linear.inSize(Dim::Offset);
    for (int64_t logical = 0; logical < places; logical += run.size()) {
      const int64_t offset = padded ? padded->physicalOffset(logical) : logical;
      Cell &cell = cellOf(offset / run.size() / lineCells, offset / run.size() % lineCells);
      fill(cell,
           linear.packIn({{Dim::Offset, static_cast<uint32_t>(logical)}, {Dim::Block, block}}),
           "offset " + std::to_string(offset) + ", byte " +
               std::to_string(offset * laid.elementBits / 8) + ", bank " +
               bankText(offset * laid.elementBits, cellBits));
    }
    for (size_t row = 0; row != panel.rows.size(); ++row)
      panel.rowHeads.push_back(std::to_string(row));
    return finished();
  }

  Panel tensorMemory() {
    run = runAlong(linear, Dim::Col, 3);
    const uint32_t noColumn = linear.freeVariableMask(Dim::Col);
    const bool hasCopies = laid.layout.kind() == layout::LayoutKind::TensorMemoryScales;
    const uint32_t noRow = hasCopies ? 0 : linear.freeVariableMask(Dim::Row);
    begin(linear.inSize(Dim::Col) / run.size());
    panel.rowAxis = "rows of tensor memory";
    panel.columnAxis = "32-bit columns";
    for (int64_t column = 0; column < linear.inSize(Dim::Col); column += run.size())
      panel.columnHeads.push_back(std::to_string(column * laid.elementBits / columnBits));
    for (uint32_t row = 0; row != linear.inSize(Dim::Row); ++row) {
      panel.rowHeads.push_back(std::to_string(row));
      for (int64_t column = 0; column < linear.inSize(Dim::Col); column += run.size())
        if (!(row & noRow) && !(column & noColumn))
          fill(cellOf(row, column / run.size()),
               linear.packIn({{Dim::Row, row},
                              {Dim::Col, static_cast<uint32_t>(column)},
                              {Dim::Block, block}}),
               "row " + std::to_string(row) + ", 32-bit column " +
                   std::to_string(column * laid.elementBits / columnBits));
    }
    return finished();
  }

private:
  void begin(int64_t columns) { columnCount = static_cast<size_t>(columns); }

  Cell &cellOf(int64_t row, int64_t column) {
    while (panel.rows.size() <= static_cast<size_t>(row)) {
      panel.rows.emplace_back(columnCount);
      for (Cell &cell : panel.rows.back())
        cell.title = "nothing lies here";
    }
    return panel.rows[static_cast<size_t>(row)][static_cast<size_t>(column)];
  }

  static std::string bankText(int64_t bit, int64_t bits) {
    const unsigned first = bankOf(bit / 8),
                   last = bankOf((bit + std::max<int64_t>(bits, 8)) / 8 - 1);
    return first == last ? std::to_string(first)
                         : std::to_string(first) + ".." + std::to_string(last);
  }

  /// Colours are the element's place along the axis of its run, in runs: a swizzle is seen as
  /// colours that change places.
  void fill(Cell &cell, uint64_t place, const std::string &where) {
    const layout::Ints element = elementAt(linear, place);
    cell.text = runText(element, run);
    cell.element = commas(element);
    cell.title = where + ": element [" + runText(element, run) + "]";
    const size_t axis = run.log2 ? run.axis : element.size() - 1;
    cell.group = static_cast<unsigned>(element[axis] / run.size());
    cell.owner = "group " + std::to_string(cell.group);
  }

  Panel finished() {
    panel.title = linear.inSize(Dim::Block) > 1 ? "CTA " + std::to_string(block) : "memory";
    panel.row = block;
    return std::move(panel);
  }

  const Laid &laid;
  LinearLayout linear;
  uint32_t block;
  Run run;
  Panel panel;
  size_t columnCount = 0;
};

} // namespace

Picture drawMemory(const Laid &laid) {
  Picture picture;
  picture.title = laid.layout.toString();
  picture.description = laid.layout.isShared() ? "Shared memory in lines of 128 bytes, 32 banks of "
                                                 "4 bytes side by side. Each cell has the "
                                                 "coordinates of the elements that lie there; "
                                                 "elements of one colour have the same place "
                                                 "along their row."
                                               : "Tensor memory row by row. Each cell has the "
                                                 "coordinates of the elements that lie there.";
  const int64_t blocks = laid.layout.toLinear(laid.shape).inSize(Dim::Block);
  for (uint32_t block = 0; block != blocks; ++block) {
    MemoryPanel panel(laid, block);
    picture.panels.push_back(laid.layout.isShared() ? panel.shared() : panel.tensorMemory());
  }
  return picture;
}

} // namespace gluonc::picture
