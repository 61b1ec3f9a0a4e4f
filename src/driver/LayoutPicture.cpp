#include "driver/LayoutPicture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

namespace gluonc::driver {

using layout::Coord;
using layout::Dim;
using layout::Layout;
using layout::LinearLayout;

namespace {

constexpr unsigned bankCount = 32;
constexpr unsigned bankBytes = 4;

/// One element of the tensor in the picture.
struct Cell {
  /// "T5:2" for thread and register, "17" for an offset.
  std::string text;
  std::string title;
  /// Cells of one group share a colour: warps, or banks.
  unsigned group = 0;
  unsigned copies = 0;
};

struct Picture {
  std::vector<Cell> cells;
  int64_t rows = 1, columns = 1;
};

/// Rows and columns: the last axis runs along a row, the others are folded into rows.
Picture emptyPicture(llvm::ArrayRef<int64_t> shape) {
  Picture picture;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    picture.rows *= shape[i];
  picture.columns = shape.empty() ? 1 : shape.back();
  picture.cells.resize(static_cast<size_t>(picture.rows * picture.columns));
  return picture;
}

/// The cell of an element; null outside of the picture.
Cell *cellAt(Picture &picture, llvm::ArrayRef<Coord> at, llvm::ArrayRef<int64_t> shown) {
  int64_t index = 0;
  for (size_t axis = 0; axis != shown.size(); ++axis)
    for (const Coord &coord : at)
      if (coord.dim == Dim::axis(static_cast<unsigned>(axis))) {
        if (coord.value >= shown[axis])
          return nullptr;
        index = index * shown[axis] + coord.value;
      }
  return &picture.cells[static_cast<size_t>(index)];
}

Picture drawDistributed(const LinearLayout &linear, llvm::ArrayRef<int64_t> shown) {
  Picture picture = emptyPicture(shown);
  uint32_t registers = static_cast<uint32_t>(linear.inSize(Dim::Register));
  uint32_t lanes = static_cast<uint32_t>(linear.inSize(Dim::Lane));
  uint32_t warps = static_cast<uint32_t>(linear.inSize(Dim::Warp));
  uint32_t blocks = static_cast<uint32_t>(linear.inSize(Dim::Block));
  for (uint32_t block = 0; block != blocks; ++block)
    for (uint32_t warp = 0; warp != warps; ++warp)
      for (uint32_t lane = 0; lane != lanes; ++lane)
        for (uint32_t reg = 0; reg != registers; ++reg) {
          Cell *found = cellAt(picture,
                               linear.apply({{Dim::Register, reg},
                                             {Dim::Lane, lane},
                                             {Dim::Warp, warp},
                                             {Dim::Block, block}}),
                               shown);
          if (!found)
            continue;
          Cell &cell = *found;
          std::string owner = (blocks > 1 ? "B" + llvm::utostr(block) + " " : "") + "T" +
                              llvm::utostr(warp * lanes + lane) + ":" + llvm::utostr(reg);
          // Further owners of the same element are counted and listed in the title.
          if (cell.copies++ == 0) {
            cell.text = owner;
            cell.group = block * warps + warp;
            cell.title = "warp " + llvm::utostr(warp) + ", lane " + llvm::utostr(lane) +
                         ", register " + llvm::utostr(reg);
          } else if (cell.copies <= 8) {
            cell.title += "; " + owner;
          }
        }
  return picture;
}

Picture drawShared(const Layout &named, const LinearLayout &linear, llvm::ArrayRef<int64_t> shown,
                   unsigned elementBytes) {
  Picture picture = emptyPicture(shown);
  const auto *padded = layout::paddedPart(named);
  uint32_t offsets = static_cast<uint32_t>(linear.inSize(Dim::Offset));
  uint32_t blocks = static_cast<uint32_t>(linear.inSize(Dim::Block));
  for (uint32_t block = 0; block != blocks; ++block)
    for (uint32_t offset = 0; offset != offsets; ++offset) {
      Cell *found =
          cellAt(picture, linear.apply({{Dim::Offset, offset}, {Dim::Block, block}}), shown);
      if (!found || found->copies++ != 0)
        continue;
      Cell &cell = *found;
      int64_t place = padded ? padded->physicalOffset(offset) : offset;
      cell.group = static_cast<unsigned>(place * elementBytes / bankBytes % bankCount);
      cell.text = (blocks > 1 ? "B" + llvm::utostr(block) + " " : "") + std::to_string(place);
      cell.title = "offset " + std::to_string(place) + ", bank " + llvm::utostr(cell.group);
    }
  return picture;
}

std::string indexText(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  std::vector<std::string> parts(shape.size());
  for (size_t axis = shape.size(); axis-- != 0;) {
    parts[axis] = std::to_string(flat % shape[axis]);
    flat /= shape[axis];
  }
  return "[" + llvm::join(parts, ", ") + "]";
}

/// "3", or "1, 3" where several axes are folded into rows; empty where there is one row.
std::string rowHead(int64_t row, llvm::ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return "";
  std::string text = indexText(row, shape.drop_back());
  return text.substr(1, text.size() - 2);
}

size_t widestRowHead(const Picture &picture, llvm::ArrayRef<int64_t> shape) {
  size_t width = 0;
  for (int64_t row = 0; row != picture.rows; ++row)
    width = std::max(width, rowHead(row, shape).size());
  return width;
}

std::string asText(const Picture &picture, llvm::ArrayRef<int64_t> shape) {
  size_t width = std::to_string(picture.columns - 1).size();
  auto shown = [](const Cell &cell) {
    return cell.copies > 1 ? cell.text + "+" + llvm::utostr(cell.copies - 1) : cell.text;
  };
  for (const Cell &cell : picture.cells)
    width = std::max(width, shown(cell).size());
  std::string text;
  llvm::raw_string_ostream out(text);
  const size_t head = widestRowHead(picture, shape);
  auto spaces = [](size_t width, const std::string &beside) {
    return std::string(width - beside.size(), ' ');
  };
  auto writeRow = [&](const std::string &name, llvm::function_ref<std::string(int64_t)> cellAt) {
    std::string line = spaces(head, name) + name + (head ? " | " : "");
    for (int64_t column = 0; column != picture.columns; ++column) {
      std::string cell = cellAt(column);
      line += (column ? " " : "") + cell + spaces(width, cell);
    }
    out << llvm::StringRef(line).rtrim() << '\n';
  };
  writeRow("", [](int64_t column) { return std::to_string(column); });
  const size_t columns = static_cast<size_t>(picture.columns);
  out << std::string(head ? head + 1 : 0, '-') << (head ? "+-" : "")
      << std::string(columns * (width + 1) - 1, '-') << '\n';
  for (int64_t row = 0; row != picture.rows; ++row) {
    writeRow(rowHead(row, shape), [&](int64_t column) {
      return shown(picture.cells[static_cast<size_t>(row * picture.columns + column)]);
    });
    // A blank line between the planes of more than two axes.
    if (shape.size() > 2 && (row + 1) % shape[shape.size() - 2] == 0 && row + 1 != picture.rows)
      out << '\n';
  }
  return text;
}

/// "#fbd5d5": light colours, their hues spread evenly over the groups. As numbers, since not
/// every viewer knows hsl().
std::string colourOf(unsigned group, unsigned groups) {
  // Of 1530 steps around the circle, 255 from a primary colour to the next mixed one.
  constexpr int darkest = 213, lightest = 251;
  const int hue = static_cast<int>(uint64_t(group) * 1530 / groups);
  auto channel = [&](int primary) {
    int distance = std::abs((hue - primary + 2295) % 1530 - 765);
    int amount = std::clamp(510 - distance, 0, 255);
    return darkest + (lightest - darkest) * amount / 255;
  };
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("#%02x%02x%02x", channel(0), channel(510),
                                                 channel(1020));
  return text;
}

std::string asSvg(const Picture &picture, llvm::ArrayRef<int64_t> shape) {
  constexpr int cellHeight = 22, top = 30;
  const int left = std::max(30, static_cast<int>(widestRowHead(picture, shape)) * 7 + 12);
  size_t longest = 1;
  unsigned groups = 1;
  for (const Cell &cell : picture.cells) {
    longest = std::max(longest, cell.text.size());
    groups = std::max(groups, cell.group + 1);
  }
  const int cellWidth = static_cast<int>(longest) * 7 + 10;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
      << picture.columns * cellWidth + left + 2 << "\" height=\""
      << picture.rows * cellHeight + top + 2
      << "\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n";
  for (int64_t column = 0; column != picture.columns; ++column)
    out << "<text x=\"" << left + column * cellWidth + cellWidth / 2 << "\" y=\"20\">" << column
        << "</text>\n";
  for (int64_t row = 0; row != picture.rows; ++row)
    out << "<text x=\"" << left / 2 << "\" y=\"" << top + row * cellHeight + 15 << "\">"
        << rowHead(row, shape) << "</text>\n";
  for (size_t i = 0; i != picture.cells.size(); ++i) {
    const Cell &cell = picture.cells[i];
    int64_t x = left + static_cast<int64_t>(i) % picture.columns * cellWidth;
    int64_t y = top + static_cast<int64_t>(i) / picture.columns * cellHeight;
    out << "<g><title>" << indexText(static_cast<int64_t>(i), shape) << ": " << cell.title
        << "</title><rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << cellWidth
        << "\" height=\"" << cellHeight << "\" fill=\"" << colourOf(cell.group, groups)
        << "\" stroke=\"#888\"/><text x=\"" << x + cellWidth / 2 << "\" y=\"" << y + 15 << "\">"
        << cell.text << "</text></g>\n";
  }
  out << "</svg>\n";
  return text;
}

/// The first `shown` elements along each axis of a tensor of this shape.
Picture draw(const Layout &named, llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
             llvm::ArrayRef<int64_t> shown) {
  LinearLayout linear = named.toLinear(shape);
  return named.isShared() ? drawShared(named, linear, shown, elementBytes)
                          : drawDistributed(linear, shown);
}

} // namespace

std::string drawCorner(const Layout &named, llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
                       llvm::ArrayRef<int64_t> corner) {
  llvm::SmallVector<int64_t> shown(shape);
  for (size_t axis = 0; axis != shown.size(); ++axis)
    shown[axis] = std::min(shown[axis], corner[axis]);
  return asText(draw(named, shape, elementBytes, shown), shown);
}

std::string drawLayout(const Layout &named, llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
                       PictureFormat format) {
  Picture picture = draw(named, shape, elementBytes, shape);
  if (format == PictureFormat::Text)
    return asText(picture, shape);
  std::string svg = asSvg(picture, shape);
  if (format == PictureFormat::Svg)
    return svg;
  return "<!doctype html>\n<meta charset=\"utf-8\">\n<title>" + named.toString() +
         "</title>\n<h1 style=\"font:16px monospace\">" + named.toString() + "</h1>\n" + svg;
}

} // namespace gluonc::driver
