#include "picture/Palette.h"
#include "picture/Picture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <set>

namespace gluonc::picture {

namespace {

constexpr int64_t letter = 7, smallLetter = 6, plainHeight = 22, tallHeight = 34, lineHeight = 18,
                  gap = 28, margin = 10, swatch = 14;

int64_t widest(const std::vector<std::string> &texts) {
  size_t most = 0;
  for (const std::string &text : texts)
    most = std::max(most, text.size());
  return static_cast<int64_t>(most) * letter;
}

std::string labelOf(const Cell &cell) {
  return cell.others ? cell.text + "+" + std::to_string(cell.others) : cell.text;
}

/// Two lines to a cell; panels beside each other have rows of one height.
bool hasDetails(const Panel &panel) {
  for (const std::vector<Cell> &row : panel.rows)
    for (const Cell &cell : row)
      if (!cell.detail.empty())
        return true;
  return false;
}

/// Where everything of a panel is, from its left upper corner.
struct Extent {
  int64_t cellWidth = 0, cellHeight = plainHeight, left = 0, top = 0;
  /// Entries of the legend side by side, and how wide each is.
  int64_t legendColumns = 1, legendWidth = 0, legendRows = 0;
  int64_t width = 0, height = 0;

  Extent(const Panel &panel, bool isTall) {
    if (isTall)
      cellHeight = tallHeight;
    int64_t columns = static_cast<int64_t>(panel.columnHeads.size());
    int64_t rowCount = static_cast<int64_t>(panel.rows.size());
    cellWidth = std::max<int64_t>(widest(panel.columnHeads) + 4, plainHeight);
    for (const std::vector<Cell> &row : panel.rows)
      for (const Cell &cell : row) {
        int64_t text = std::max(static_cast<int64_t>(labelOf(cell).size()) * letter,
                                static_cast<int64_t>(cell.detail.size()) * smallLetter) +
                       8;
        cellWidth = std::max(cellWidth, (text + cell.span - 1) / cell.span);
      }
    left = widest(panel.rowHeads) + (panel.rowHeads.empty() ? 0 : 10);
    // Title, what columns count and rows count, heads of columns.
    top = lineHeight * (1 + (axes(panel).empty() ? 0 : 1)) + 20;
    int64_t grid = left + columns * cellWidth;
    width = std::max(grid, static_cast<int64_t>(panel.title.size()) * 8);
    width = std::max(width, static_cast<int64_t>(axes(panel).size()) * letter);
    height = top + rowCount * cellHeight;
    if (!panel.groups.empty()) {
      legendWidth = widest(panel.groups) + swatch + 16;
      legendColumns = std::max<int64_t>(1, width / legendWidth);
      legendRows = (static_cast<int64_t>(panel.groups.size()) + legendColumns - 1) / legendColumns;
      width = std::max(width, legendWidth);
      height += 8 + legendRows * lineHeight;
    }
  }

  static std::string axes(const Panel &panel) {
    std::string text = panel.rowAxis.empty() ? "" : "rows: " + panel.rowAxis;
    if (!panel.columnAxis.empty())
      text += (text.empty() ? "" : "; ") + ("columns: " + panel.columnAxis);
    return text;
  }
};

class SvgWriter {
public:
  explicit SvgWriter(const Picture &picture) : picture(picture), out(text) {
    for (const Panel &panel : picture.panels)
      extents.emplace_back(panel, llvm::any_of(picture.panels, [&](const Panel &beside) {
                             return beside.row == panel.row && hasDetails(beside);
                           }));
  }

  std::string write() {
    place();
    begin();
    for (auto [panel, extent, at] : llvm::zip_equal(picture.panels, extents, places))
      writePanel(panel, extent, at.first, at.second);
    for (auto [i, note] : llvm::enumerate(picture.notes))
      label("n", margin,
            height - margin - (static_cast<int64_t>(picture.notes.size() - i) - 1) * lineHeight - 4,
            note);
    out << "</svg>\n";
    return text;
  }

private:
  /// Panels of one column have one left side, those of one row one upper side.
  void place() {
    std::vector<int64_t> widths, heights;
    auto grow = [](std::vector<int64_t> &sizes, unsigned at, int64_t size) {
      if (sizes.size() <= at)
        sizes.resize(at + 1);
      sizes[at] = std::max(sizes[at], size);
    };
    for (auto [panel, extent] : llvm::zip_equal(picture.panels, extents)) {
      grow(widths, panel.column, extent.width);
      grow(heights, panel.row, extent.height);
    }
    auto before = [](const std::vector<int64_t> &sizes, unsigned at) {
      int64_t sum = margin;
      for (unsigned i = 0; i != at; ++i)
        sum += sizes[i] + (sizes[i] ? gap : 0);
      return sum;
    };
    for (const Panel &panel : picture.panels)
      places.emplace_back(before(widths, panel.column), before(heights, panel.row));
    width = before(widths, static_cast<unsigned>(widths.size())) - gap + margin;
    height = before(heights, static_cast<unsigned>(heights.size())) - gap + margin;
    for (const std::string &note : picture.notes)
      width = std::max(width, static_cast<int64_t>(note.size()) * 6 + 2 * margin);
    if (!picture.notes.empty())
      height += 10 + static_cast<int64_t>(picture.notes.size()) * lineHeight;
  }

  void begin() {
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
        << "\" viewBox=\"0 0 " << width << ' ' << height << "\" role=\"img\" aria-label=\""
        << escaped(picture.title) << "\">\n<title>" << escaped(picture.title) << "</title>\n<desc>"
        << escaped(picture.description) << "</desc>\n<style>\n"
        << imageStyle() << "</style>\n";
    std::set<unsigned> used;
    for (const Panel &panel : picture.panels)
      if (panel.colours == Colours::Groups) {
        for (const std::vector<Cell> &row : panel.rows)
          for (const Cell &cell : row)
            if (!cell.text.empty())
              used.insert(cell.group % distinctGroups);
        for (unsigned i = 0; i != panel.groups.size(); ++i)
          used.insert(i % distinctGroups);
      }
    if (used.empty())
      return;
    out << "<defs>\n";
    for (unsigned group : used)
      out << groupPattern(group);
    out << "</defs>\n";
  }

  void label(llvm::StringRef kind, int64_t x, int64_t y, const std::string &what) {
    out << "<text" << (kind.empty() ? "" : " class=\"" + kind.str() + "\"") << " x=\"" << x
        << "\" y=\"" << y << "\">" << escaped(what) << "</text>\n";
  }

  void writePanel(const Panel &panel, const Extent &extent, int64_t x, int64_t y) {
    label("t", x, y + 12, panel.title);
    if (std::string axes = Extent::axes(panel); !axes.empty())
      label("a", x, y + 12 + lineHeight, axes);
    const int64_t left = x + extent.left, top = y + extent.top;
    for (auto [i, head] : llvm::enumerate(panel.columnHeads))
      label("", left + static_cast<int64_t>(i) * extent.cellWidth + extent.cellWidth / 2, top - 6,
            head);
    for (auto [i, row] : llvm::enumerate(panel.rows)) {
      const int64_t rowTop = top + static_cast<int64_t>(i) * extent.cellHeight;
      if (!panel.rowHeads.empty())
        label("e", left - 6, rowTop + extent.cellHeight / 2 + 4, panel.rowHeads[i]);
      int64_t column = 0;
      for (const Cell &cell : row) {
        writeCell(panel, cell, left + column * extent.cellWidth, rowTop,
                  extent.cellWidth * cell.span, extent.cellHeight);
        column += cell.span;
      }
    }
    writeLegend(panel, extent, x,
                top + static_cast<int64_t>(panel.rows.size()) * extent.cellHeight + 8);
  }

  void writeCell(const Panel &panel, const Cell &cell, int64_t x, int64_t y, int64_t wide,
                 int64_t high) {
    out << "<g class=\"k\"";
    if (!cell.owner.empty())
      out << " data-o=\"" << escaped(cell.owner) << '"';
    if (!cell.element.empty())
      out << " data-e=\"" << escaped(cell.element) << '"';
    out << '>';
    if (!cell.title.empty())
      out << "<title>" << escaped(cell.title) << "</title>";
    out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << wide << "\" height=\"" << high
        << "\" class=\"c" << fillOf(panel, cell) << "/>";
    auto centred = [&](llvm::StringRef kind, int64_t below, const std::string &what) {
      out << "<text" << kind << " x=\"" << x + wide / 2 << "\" y=\"" << y + below << "\">"
          << escaped(what) << "</text>";
    };
    if (!cell.text.empty())
      centred("", cell.detail.empty() ? high / 2 + 4 : high / 2 - 2, labelOf(cell));
    if (!cell.detail.empty())
      centred(" class=\"d\"", high / 2 + 10, cell.detail);
    out << "</g>\n";
  }

  /// The rest of the class, and the fill of a group.
  static std::string fillOf(const Panel &panel, const Cell &cell) {
    if (panel.colours == Colours::Heat)
      return " h" + std::to_string(std::min(cell.group, mostHeat)) + "\"";
    if (cell.text.empty())
      return " v\"";
    return "\" fill=\"url(#f" + std::to_string(cell.group % distinctGroups) + ")\"";
  }

  void writeLegend(const Panel &panel, const Extent &extent, int64_t x, int64_t y) {
    for (auto [i, name] : llvm::enumerate(panel.groups)) {
      const int64_t index = static_cast<int64_t>(i);
      const int64_t left = x + index % extent.legendColumns * extent.legendWidth;
      const int64_t top = y + index / extent.legendColumns * lineHeight;
      Cell cell;
      cell.text = name;
      cell.group = static_cast<unsigned>(i);
      out << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << swatch << "\" height=\""
          << swatch << "\" class=\"c" << fillOf(panel, cell) << "/>";
      label("a", left + swatch + 5, top + 11, name);
    }
  }

  const Picture &picture;
  std::string text;
  llvm::raw_string_ostream out;
  std::vector<Extent> extents;
  std::vector<std::pair<int64_t, int64_t>> places;
  int64_t width = 0, height = 0;
};

} // namespace

std::string toSvg(const Picture &picture) { return SvgWriter(picture).write(); }

} // namespace gluonc::picture
