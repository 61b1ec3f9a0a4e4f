//===- OnChipPage.cpp - Memory on the chip over time, as a picture ----------------===//
//
// Lines go from left to right, places in memory from top to bottom: a box is an allocation. Boxes
// of a memory never overlap, since what is taken at one time has places of its own.
//
//===----------------------------------------------------------------------===//
#include "explain/Html.h"
#include "explain/Report.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::explain {

namespace {

struct Picture {
  const Facts &facts;
  bool isTensorMemory;
  llvm::raw_ostream &out;

  static constexpr double width = 900, height = 260, left = 70, top = 18;

  uint32_t first = ~0u, last = 0;
  uint64_t end = 0;

  uint64_t sizeOf(const OnChipFact &fact) const {
    return isTensorMemory ? fact.columns : fact.bytes;
  }
  double x(uint32_t line) const {
    return left + (width - left) * double(line - first) / double(last + 1 - first);
  }
  double y(uint64_t place) const {
    return top + (height - 2 * top) * double(place) / double(std::max<uint64_t>(end, 1));
  }

  void print() {
    for (const OnChipFact &fact : facts.onChip)
      if (fact.isTensorMemory == isTensorMemory) {
        first = std::min(first, fact.firstLine);
        last = std::max(last, fact.lastLine);
        end = std::max(end, fact.offset + sizeOf(fact));
      }
    const OnChipPeak &peak = isTensorMemory ? facts.tensorPeak : facts.sharedPeak;
    const std::string unit = isTensorMemory ? "columns" : "bytes";
    const std::string most = std::to_string(isTensorMemory ? peak.columns : peak.bytes) + " " +
                             unit + " at line " + std::to_string(peak.line);
    out << "<h2>" << (isTensorMemory ? "Tensor" : "Shared") << " memory over time: most is " << most
        << "</h2>\n<div class=\"source\">"
        << llvm::formatv("<svg class=\"chip\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
                         "aria-label=\"{2} memory by line of the kernel; most is {3}\">\n",
                         width, height, isTensorMemory ? "tensor" : "shared", most);
    for (const OnChipFact &fact : facts.onChip)
      if (fact.isTensorMemory == isTensorMemory)
        printBox(fact);
    out << llvm::formatv("<line class=\"peak\" x1=\"{0:f1}\" x2=\"{0:f1}\" y1=\"{1}\" "
                         "y2=\"{2}\"/>\n",
                         (x(peak.line) + x(peak.line + 1)) / 2, top, height - top);
    label(left, height - 4, "start", "line " + std::to_string(first));
    label(width, height - 4, "end", "line " + std::to_string(last));
    label(left - 4, top + 10, "end", "0");
    label(left - 4, height - top, "end", std::to_string(end));
    out << "</svg></div>\n";
  }

  void label(double x, double y, llvm::StringRef anchor, llvm::StringRef text) {
    out << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\">{3}</text>\n", x, y,
                         anchor, text);
  }

  void printBox(const OnChipFact &fact) {
    const double x0 = x(fact.firstLine), x1 = x(fact.lastLine + 1);
    const double y0 = y(fact.offset), y1 = y(fact.offset + sizeOf(fact));
    out << llvm::formatv("<g><title>{0}</title><rect class=\"{1}\" x=\"{2:f1}\" y=\"{3:f1}\" "
                         "width=\"{4:f1}\" height=\"{5:f1}\"/>",
                         escaped(textOf(fact)), fact.isAtPeak ? "most" : "other", x0, y0, x1 - x0,
                         std::max(y1 - y0, 1.0));
    const std::string name = fact.name.empty() ? fact.what : fact.name;
    constexpr double letter = 7, lineHeight = 14;
    if (x1 - x0 > letter * double(name.size()) && y1 - y0 > lineHeight)
      label(x0 + 4, y0 + lineHeight, "start", escaped(name));
    out << "</g>\n";
  }
};

} // namespace

void printOnChipPicture(const Facts &facts, bool isTensorMemory, llvm::raw_ostream &out) {
  if ((isTensorMemory ? facts.tensorPeak : facts.sharedPeak).bytes)
    Picture{facts, isTensorMemory, out}.print();
}

} // namespace gluonc::explain
