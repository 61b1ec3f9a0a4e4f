#include "layout/named/Views.h"

#include "layout/named/Parts.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

namespace {

std::string padded(int64_t value, int64_t size) {
  std::string text = std::to_string(value);
  size_t width = std::to_string(size - 1).size();
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// `( 3,12)`
std::string elementText(const LinearLayout &linear, uint64_t place, const char *separator) {
  uint64_t image = linear.applyPacked(place);
  std::string text;
  for (const DimSize &out : linear.outDims())
    text +=
        (text.empty() ? "" : separator) + padded(linear.outComponent(image, out.dim), out.size());
  return "(" + text + ")";
}

int64_t rowMajor(const LinearLayout &linear, uint64_t image) {
  int64_t index = 0;
  for (const DimSize &out : linear.outDims())
    index = index * out.size() + linear.outComponent(image, out.dim);
  return index;
}

/// A nested list in row-major order, one line for each row.
std::string nested(llvm::ArrayRef<std::string> cells, llvm::ArrayRef<int64_t> shape,
                   const char *separator) {
  // How many dims begin (or end) at a cell: those whose faster dims are all at their start.
  auto edges = [&](size_t cell) {
    size_t count = 0, period = 1;
    for (int64_t size : llvm::reverse(shape)) {
      period *= size;
      if (cell % period != 0)
        break;
      ++count;
    }
    return count;
  };
  std::string text;
  for (auto [i, cell] : llvm::enumerate(cells)) {
    size_t opened = edges(i), closed = edges(i + 1);
    if (opened)
      text += std::string(shape.size() - opened, ' ').insert(0, opened, '[');
    text += cell + std::string(closed, ']');
    text += closed ? "\n" : separator;
  }
  return text;
}

/// The owner of a place: `T5:2`.
std::string ownerText(const LinearLayout &linear, uint64_t place) {
  int64_t lanes = linear.inSize(Dim::Lane), warps = linear.inSize(Dim::Warp);
  int64_t blocks = linear.inSize(Dim::Block), registers = linear.inSize(Dim::Register);
  int64_t block = linear.inComponent(place, Dim::Block),
          reg = linear.inComponent(place, Dim::Register);
  int64_t thread =
      linear.inComponent(place, Dim::Warp) * lanes + linear.inComponent(place, Dim::Lane);
  std::string text = (blocks > 1 ? "B" + std::to_string(block) + ":" : "") + "T" +
                     std::to_string(thread) + ":" + std::to_string(reg);
  size_t missing = padded(block, blocks).size() - std::to_string(block).size() +
                   padded(thread, lanes * warps).size() - std::to_string(thread).size() +
                   padded(reg, registers).size() - std::to_string(reg).size();
  return std::string(missing, ' ') + text;
}

std::string ownersView(const LinearLayout &linear, llvm::ArrayRef<int64_t> shape) {
  std::vector<std::string> cells(size_t{1} << linear.totalOutLog2());
  for (uint32_t block = 0; block < linear.inSize(Dim::Block); ++block)
    for (uint32_t warp = 0; warp < linear.inSize(Dim::Warp); ++warp)
      for (uint32_t lane = 0; lane < linear.inSize(Dim::Lane); ++lane)
        for (uint32_t reg = 0; reg < linear.inSize(Dim::Register); ++reg) {
          uint64_t place = linear.packIn(
              {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, block}});
          std::string &cell = cells[rowMajor(linear, linear.applyPacked(place))];
          cell += (cell.empty() ? "" : "|") + ownerText(linear, place);
        }
  return nested(cells, shape, ", ");
}

std::string threadsView(const LinearLayout &linear) {
  std::string text;
  for (uint32_t block = 0; block < linear.inSize(Dim::Block); ++block) {
    if (linear.inSize(Dim::Block) > 1)
      text += "Block" + std::to_string(block) + ":\n";
    for (uint32_t warp = 0; warp < linear.inSize(Dim::Warp); ++warp) {
      text += "Warp" + std::to_string(warp) + ":\n";
      for (uint32_t reg = 0; reg < linear.inSize(Dim::Register); ++reg)
        for (uint32_t lane = 0; lane < linear.inSize(Dim::Lane); ++lane) {
          text += elementText(linear,
                              linear.packIn({{Dim::Register, reg},
                                             {Dim::Lane, lane},
                                             {Dim::Warp, warp},
                                             {Dim::Block, block}}),
                              ",");
          text += lane + 1 < linear.inSize(Dim::Lane) ? ", " : "\n";
        }
    }
  }
  return text;
}

std::string offsetsView(const LinearLayout &linear) {
  std::string text;
  for (uint32_t block = 0; block < linear.inSize(Dim::Block); ++block) {
    text += "Block: " + std::to_string(block) + ":\n";
    for (uint32_t offset = 0; offset < linear.inSize(Dim::Offset); ++offset)
      text +=
          "Offset: " + std::to_string(offset) + " -> " +
          elementText(linear, linear.packIn({{Dim::Offset, offset}, {Dim::Block, block}}), ",") +
          "\n";
  }
  return text;
}

std::string memoryView(const LinearLayout &linear, llvm::ArrayRef<int64_t> shape) {
  std::vector<std::string> cells;
  size_t elements = size_t{1} << linear.totalOutLog2();
  for (uint32_t block = 0; block < linear.inSize(Dim::Block); ++block)
    for (uint32_t offset = 0; offset < linear.inSize(Dim::Offset) && cells.size() < elements;
         ++offset)
      cells.push_back(
          elementText(linear, linear.packIn({{Dim::Offset, offset}, {Dim::Block, block}}), ":"));
  return nested(cells, shape, ",");
}

} // namespace

Problem checkViewable(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  if (layout.isPlaceholder() || layout.isTensorMemory() ||
      (layout.isShared() && paddedPart(layout)))
    return nameOf(layout.kind()).str() + " cannot be visualized";
  if (Problem problem = checkShape(layout, shape))
    return problem;
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements > int64_t{1} << 20)
    return "a view of more than a million elements helps nobody";
  return std::nullopt;
}

std::string tensorView(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  LinearLayout linear = layout.toLinear(shape);
  return layout.isShared() ? memoryView(linear, shape) : ownersView(linear, shape);
}

std::string hardwareView(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  LinearLayout linear = layout.toLinear(shape);
  return layout.isShared() ? offsetsView(linear) : threadsView(linear);
}

std::string tensorMemoryBases(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  LinearLayout linear = layout.toLinear(shape);
  auto bases = [&](Dim dim) {
    BasisList list;
    for (unsigned bit = 0; bit < linear.inLog2(dim); ++bit) {
      llvm::SmallVector<uint32_t, 4> basis = linear.basis(dim, bit);
      list.emplace_back(basis.begin(), basis.end());
    }
    return basesText(list);
  };
  return "TensorMemoryLinearLayout(rows=" + bases(Dim::Row) + ", cols=" + bases(Dim::Col) +
         ", shape=" + listText(shape) + ")";
}

} // namespace gluonc::layout
