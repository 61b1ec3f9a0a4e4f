#include "picture/Picture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace gluonc::picture {

static std::string shown(const Cell &cell) {
  std::string text = cell.others ? cell.text + "+" + std::to_string(cell.others) : cell.text;
  return cell.detail.empty() ? text : text + " " + cell.detail;
}

static void writeTable(const Panel &panel, llvm::raw_ostream &out) {
  size_t width = 1, head = 0;
  for (const std::string &name : panel.columnHeads)
    width = std::max(width, name.size());
  for (const std::string &name : panel.rowHeads)
    head = std::max(head, name.size());
  for (const std::vector<Cell> &row : panel.rows)
    for (const Cell &cell : row)
      width =
          std::max(width, (shown(cell).size() + cell.span) / cell.span - (cell.span > 1 ? 0 : 1));
  auto writeLine = [&](const std::string &name, llvm::function_ref<void(std::string &)> fill) {
    std::string line = std::string(head - name.size(), ' ') + name + (head ? " | " : "");
    fill(line);
    out << llvm::StringRef(line).rtrim() << '\n';
  };
  auto append = [&](std::string &line, const std::string &text, size_t columns) {
    line += text + std::string(columns * (width + 1) - text.size(), ' ');
  };
  writeLine("", [&](std::string &line) {
    for (const std::string &name : panel.columnHeads)
      append(line, name, 1);
  });
  out << std::string(head ? head + 1 : 0, '-') << (head ? "+-" : "")
      << std::string(panel.columnHeads.size() * (width + 1) - 1, '-') << '\n';
  for (size_t i = 0; i != panel.rows.size(); ++i) {
    writeLine(panel.rowHeads.empty() ? "" : panel.rowHeads[i], [&](std::string &line) {
      for (const Cell &cell : panel.rows[i])
        append(line, shown(cell), cell.span);
    });
    size_t next = i + 1;
    if (panel.planeRows && next % static_cast<size_t>(panel.planeRows) == 0 &&
        next != panel.rows.size())
      out << '\n';
  }
}

std::string toText(const Picture &picture) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (picture.panels.size() == 1 && picture.notes.empty()) {
    writeTable(picture.panels.front(), out);
    return text;
  }
  for (const Panel &panel : picture.panels) {
    out << panel.title << '\n';
    writeTable(panel, out);
    out << '\n';
  }
  for (const std::string &note : picture.notes)
    out << note << '\n';
  return text;
}

} // namespace gluonc::picture
