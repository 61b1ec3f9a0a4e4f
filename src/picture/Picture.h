//===- Picture.h - What a picture says, before it is drawn -------------------===//
//
// A picture is panels side by side or below each other; a panel is a grid of
// cells with heads, a legend and a title. Panels are filled from layouts (Draw.h)
// and rendered as text, as SVG and as a page that needs nothing else.
//
// Colour never stands alone: what it says is in the label of each cell or in its
// title, and each colour has a pattern of its own (Palette.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gluonc::picture {

struct Cell {
  /// "T5:2", "17"; empty for a place that holds nothing.
  std::string text;
  /// A second, smaller line.
  std::string detail;
  /// In full words, what a pointer over the cell shows; may be left out with `text`.
  std::string title;
  /// Cells with the same `owner` light up together, and so do those with the same `element`.
  std::string owner, element;
  /// An index into the panel's groups, or a level of heat.
  unsigned group = 0;
  /// How many columns it takes, itself included; the others have no cell.
  unsigned span = 1;
  /// What else is at the same place, and has no cell: "+1".
  unsigned others = 0;
};

enum class Colours : uint8_t {
  /// One for each group.
  Groups,
  /// Darker for more; `group` is 0 (nothing) to mostHeat.
  Heat,
};
inline constexpr unsigned mostHeat = 6;

struct Panel {
  std::string title;
  /// What rows and columns count; may be empty.
  std::string rowAxis, columnAxis;
  std::vector<std::string> rowHeads, columnHeads;
  /// Row by row, each as long as all column heads together.
  std::vector<std::vector<Cell>> rows;
  Colours colours = Colours::Groups;
  /// Names of the groups that the legend shows, by number.
  std::vector<std::string> groups;
  /// After so many rows text has a blank line; 0: never.
  int64_t planeRows = 0;
  /// Where the panel is among the others.
  unsigned row = 0, column = 0;
};

struct Picture {
  std::string title, description;
  std::vector<Panel> panels;
  /// Lines below the panels.
  std::vector<std::string> notes;
};

/// Tables in letters. A picture of one panel has neither title nor notes.
std::string toText(const Picture &picture);
/// One image, for light and dark backgrounds, with a text alternative. The same picture gives the
/// same bytes.
std::string toSvg(const Picture &picture);
/// The image in a page: a pointer, or the arrow keys, tell what each cell is, and show its
/// likes. It loads nothing.
std::string toHtml(const Picture &picture);

} // namespace gluonc::picture
