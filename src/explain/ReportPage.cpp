#include "explain/Html.h"
#include "explain/Memory.h"
#include "explain/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <map>

namespace gluonc::explain {

static constexpr llvm::StringLiteral head = R"css(<style>
:root { color-scheme: light dark; --ink: #1b1e24; --paper: #fff; --soft: #f2f4f7; --line: #c9ced6; --bar: #56b4e9; --warn: #a33b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --paper: #14161b; --soft: #1f2229; --line: #3a404b; --bar: #0072b2; --warn: #ffab6b; }
}
body { margin: 0 auto; padding: 16px 20px 40px; max-width: 1500px; color: var(--ink); background: var(--paper);
  font: 14px/1.45 "DejaVu Sans", Helvetica, Arial, sans-serif; }
h1 { margin: 0 0 8px; font-size: 18px; }
h2 { margin: 22px 0 6px; font-size: 15px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
dt { font-weight: bold; }
dd { margin: 0; }
.source { overflow-x: auto; }
table { border-collapse: collapse; font: 12px/1.5 "DejaVu Sans Mono", Menlo, Consolas, monospace; width: 100%; }
th { font: bold 12px "DejaVu Sans", Helvetica, Arial, sans-serif; text-align: right; vertical-align: bottom; }
th, td { padding: 1px 8px; white-space: pre; border-bottom: 1px solid var(--soft); }
thead th { border-bottom: 1px solid var(--line); }
td { text-align: right; }
.code, .access { text-align: left; }
td.access { max-width: 18em; overflow: hidden; text-overflow: ellipsis; }
td.access:hover { max-width: none; }
.code { width: 100%; }
.share { display: inline-block; height: 9px; margin-left: 6px; background: var(--bar); }
.waste { color: var(--warn); font-weight: bold; }
.found { background: var(--soft); cursor: pointer; }
.found button { font: inherit; color: var(--warn); background: none; border: 0; padding: 0; cursor: pointer; font-weight: bold; }
.why { display: none; }
.why.shown { display: table-row; }
.why td { white-space: normal; text-align: left; font: 13px/1.5 "DejaVu Sans", Helvetica, Arial, sans-serif; padding: 6px 16px 10px;
  border-left: 4px solid var(--warn); }
.why p { margin: 2px 0; }
svg.chip { width: 100%; max-width: 900px; font: 11px "DejaVu Sans Mono", Menlo, Consolas, monospace; }
svg.chip text { fill: var(--ink); }
svg.chip rect { stroke: var(--ink); stroke-width: .5; fill: var(--soft); }
svg.chip rect.most { fill: var(--bar); fill-opacity: .55; }
svg.chip .peak { stroke: var(--warn); stroke-dasharray: 4 3; }
.why code { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; }
</style>
)css";

static constexpr llvm::StringLiteral script = R"js(<script>
for (const row of document.querySelectorAll("tr.found"))
  row.addEventListener("click", () => {
    const isShown = document.getElementById(row.dataset.why).classList.toggle("shown");
    row.querySelector("button").setAttribute("aria-expanded", isShown);
  });
for (const link of document.querySelectorAll("a[data-row]"))
  link.addEventListener("click", () => {
    const row = document.getElementById(link.dataset.row);
    if (!row?.dataset.why)
      return;
    document.getElementById(row.dataset.why).classList.add("shown");
    row.querySelector("button").setAttribute("aria-expanded", true);
  });
</script>
)js";

/// Of the columns that printCosts fills.
static constexpr llvm::StringLiteral costHeads =
    "<th>instructions</th><th>machine\ncode</th><th>live\nregisters</th><th "
    "class=\"access\">access</th><th>sectors\na request</th><th>bytes\nwasted</th><th>bank\n"
    "conflicts</th><th>conver-\nsions</th>";

namespace {

std::string countOf(uint64_t count) { return count ? std::to_string(count) : ""; }

class PageReport {
public:
  PageReport(const Explained &launch, llvm::raw_ostream &out)
      : profile(launch.profile), findings(launch.findings), out(out) {
    for (const Finding &finding : findings)
      if (diag::Span span = finding.diagnostic.span)
        found[{span.file, span.file->position(span.begin).line}].push_back(&finding);
    for (const ConversionFact &fact : profile.facts.conversions)
      if (fact.span && fact.how != "identity")
        ++conversions[{fact.span.file, fact.span.file->position(fact.span.begin).line}];
  }

  void print() {
    const std::string title = escaped(profile.facts.kernel + " for " + profile.target.name());
    out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
           "name=\"viewport\" content=\"width=device-width\">\n<title>"
        << title << "</title>\n"
        << head << "</head>\n<body>\n";
    printTotals();
    printFindings();
    for (bool isTensorMemory : {false, true})
      printOnChipPicture(profile.facts, isTensorMemory, out);
    printPressure();
    printCalls();
    for (size_t i = 0; i != profile.lines.size();) {
      size_t end = i;
      while (end != profile.lines.size() && profile.lines[end].file == profile.lines[i].file)
        ++end;
      printFile(llvm::ArrayRef(profile.lines).slice(i, end - i));
      i = end;
    }
    out << script << "</body>\n</html>\n";
  }

private:
  using Place = std::pair<const diag::SourceFile *, uint32_t>;

  void printTotals() {
    std::string text;
    llvm::raw_string_ostream totals(text);
    explain::printTotals(profile, totals);
    auto [first, rest] = llvm::StringRef(text).split('\n');
    out << "<h1>" << escaped(first) << "</h1>\n<dl>\n";
    for (llvm::StringRef line : llvm::split(rest.rtrim(), '\n'))
      out << "<dt>" << escaped(line.take_front(totalsNameWidth).rtrim()) << "</dt><dd>"
          << escaped(line.drop_front(std::min<size_t>(line.size(), totalsNameWidth))) << "</dd>\n";
    out << "</dl>\n";
  }

  /// What is paid for nothing, the most expensive first, with a link to its line.
  void printFindings() {
    out << "<h2>Paid for nothing</h2>\n";
    if (findings.empty())
      out << "<p>Nothing was found.</p>\n";
    else
      out << "<ol>\n";
    for (const Finding &finding : findings) {
      diag::Span span = finding.diagnostic.span;
      out << "<li>";
      if (span) {
        const std::string row = rowOf({span.file, span.file->position(span.begin).line});
        out << "<a href=\"#" << row << "\" data-row=\"" << row << "\">line "
            << span.file->position(span.begin).line << "</a>: ";
      }
      out << escaped(finding.diagnostic.message) << "</li>\n";
    }
    if (!findings.empty())
      out << "</ol>\n";
  }

  /// What is in registers where most are live.
  void printPressure() {
    const Pressure &pressure = profile.pressure;
    if (!pressure.span)
      return;
    const std::string row =
        rowOf({pressure.span.file, pressure.span.file->position(pressure.span.begin).line});
    out << "<h2>" << (profile.isAmd() ? "Vector registers" : "Registers of PTX")
        << ": most are live at <a href=\"#" << row << "\" data-row=\"" << row << "\">line "
        << pressure.span.file->position(pressure.span.begin).line << "</a>, " << pressure.registers
        << "</h2>\n<ul>\n";
    constexpr size_t most = 12;
    for (const Pressure::Value &value : llvm::ArrayRef(pressure.values).take_front(most)) {
      out << "<li>";
      if (value.span)
        out << "line " << value.span.file->position(value.span.begin).line << ": ";
      out << escaped(textOf(value, profile.facts)) << "</li>\n";
    }
    out << "</ul>\n";
  }

  /// Calls that were inlined, with the lines that each brings.
  void printCalls() {
    if (profile.calls.empty())
      return;
    out << "<h2>Calls that were inlined</h2>\n<div class=\"source\"><table>\n<thead><tr>"
        << "<th class=\"access\">function</th><th>called at</th>" << costHeads
        << "</tr></thead>\n<tbody>\n";
    for (const Call &call : profile.calls) {
      std::string name = call.function.empty() ? "a function" : call.function;
      out << "<tr class=\"call\"><td class=\"access\">"
          << std::string(2 * (call.chain.size() - 1), ' ') << "<details><summary>" << escaped(name)
          << "</summary>";
      for (const Line &line : call.lines)
        out << linkTo({line.file, line.number}) << ": " << line.cost.instructions
            << (line.cost.instructions == 1 ? " instruction\n" : " instructions\n");
      out << "</details></td><td>";
      if (diag::Span place = call.chain.front())
        out << linkTo({place.file, place.file->position(place.begin).line});
      out << "</td>";
      printCosts(call.cost, 0);
      out << "</tr>\n";
    }
    out << "</tbody></table></div>\n";
  }

  std::string linkTo(Place place) {
    const std::string row = rowOf(place);
    return "<a href=\"#" + row + "\" data-row=\"" + row + "\">line " +
           std::to_string(place.second) + "</a>";
  }

  /// An id: "l0-18" is line 18 of the first file.
  std::string rowOf(Place place) {
    auto known = llvm::find(files, place.first);
    const size_t index = static_cast<size_t>(known - files.begin());
    if (known == files.end())
      files.push_back(place.first);
    return "l" + std::to_string(index) + "-" + std::to_string(place.second);
  }

  /// The lines from the first that costs something to the last.
  void printFile(llvm::ArrayRef<Line> lines) {
    const diag::SourceFile *file = lines.front().file;
    uint32_t first = lines.front().number, last = lines.back().number;
    for (const auto &[place, list] : found)
      if (place.first == file)
        first = std::min(first, place.second), last = std::max(last, place.second);
    out << "<h2>" << escaped(file->path())
        << "</h2>\n<div class=\"source\"><table>\n<thead><tr><th>line</th>" << costHeads
        << "<th class=\"code\">source</th></tr></thead>\n<tbody>\n";
    const Line *next = lines.begin();
    for (uint32_t number = first; number <= last; ++number) {
      Line line{file, number, {}};
      if (next != lines.end() && next->number == number)
        line = *next++;
      printLine(line);
    }
    out << "</tbody></table></div>\n";
  }

  void printLine(const Line &line) {
    const Place place{line.file, line.number};
    const std::string row = rowOf(place);
    auto list = found.find(place);
    const bool isFound = list != found.end();
    out << "<tr id=\"" << row << "\" class=\"line" << (isFound ? " found" : "") << '"';
    if (isFound)
      out << " data-why=\"w" << row << '"';
    out << "><td>";
    if (isFound)
      out << "<button aria-expanded=\"false\" title=\"reasons and hints\">! " << line.number
          << "</button>";
    else
      out << line.number;
    out << "</td>";
    printCosts(line.cost, conversions[place]);
    out << "<td class=\"code\">" << escaped(line.file->line(line.number)) << "</td></tr>\n";
    if (isFound)
      printReasons(row, list->second, line.cost);
  }

  void printCosts(const Cost &cost, unsigned converted) {
    constexpr uint64_t barPixels = 60;
    const GlobalCount global = cost.global();
    const uint64_t moved = global.sectors * profile.sectorBytes();
    const uint64_t wasted = moved > global.usedBytes ? moved - global.usedBytes : 0;
    const uint64_t conflicts =
        cost.shared.wavefronts - std::min(cost.shared.wavefronts, cost.shared.ideal);
    out << "<td>" << countOf(cost.instructions);
    if (cost.instructions)
      out << "<span class=\"share\" style=\"width:"
          << cost.instructions * barPixels / std::max<uint64_t>(1, profile.total.instructions)
          << "px\"></span>";
    out << "</td><td>" << countOf(cost.machineInstructions()) << "</td><td>"
        << countOf(cost.liveRegisters) << "</td><td class=\"access\">"
        << escaped(llvm::join(cost.accesses, "\n")) << "</td><td>";
    if (global.requests)
      out << llvm::format("%.1f", static_cast<double>(global.sectors) /
                                      static_cast<double>(global.requests));
    out << "</td><td" << (wasted ? " class=\"waste\">" : ">") << countOf(wasted) << "</td><td"
        << (conflicts ? " class=\"waste\">" : ">") << countOf(conflicts) << "</td><td>"
        << countOf(converted) << "</td>";
  }

  void printReasons(const std::string &row, llvm::ArrayRef<const Finding *> reasons,
                    const Cost &cost) {
    out << "<tr id=\"w" << row << "\" class=\"why\"><td colspan=\"10\">";
    for (const Finding *finding : reasons) {
      const diag::Diagnostic &diagnostic = finding->diagnostic;
      const diag::KindInfo &kind = diag::info(diagnostic.kind);
      out << "<p>" << escaped(diagnostic.message) << " <small>[GL" << kind.number << ' '
          << kind.name << "]</small></p>";
      for (const diag::Label &label : diagnostic.labels)
        out << "<p>note: " << escaped(label.text) << "</p>";
      for (const std::string &hint : diagnostic.hints)
        out << "<p>hint: <code>" << escaped(hint) << "</code></p>";
    }
    out << (profile.isAmd() ? "<p>instructions by kind:" : "<p>instructions of PTX by kind:");
    for (unsigned i = 0; i != pipeCount; ++i)
      if (cost.pipes[i])
        out << ' ' << nameOf(Pipe(i)) << ' ' << cost.pipes[i];
    out << "</p>";
    if (cost.machineInstructions()) {
      out << "<p>instructions of machine code by kind:";
      for (unsigned i = 0; i != pipeCount; ++i)
        if (cost.machine[i])
          out << ' ' << nameOf(Pipe(i)) << ' ' << cost.machine[i];
      out << "</p>";
    }
    out << "</td></tr>\n";
  }

  const Profile &profile;
  llvm::ArrayRef<Finding> findings;
  llvm::raw_ostream &out;
  std::map<Place, std::vector<const Finding *>> found;
  std::map<Place, unsigned> conversions;
  std::vector<const diag::SourceFile *> files;
};

} // namespace

void printPage(const Explained &launch, llvm::raw_ostream &out) { PageReport(launch, out).print(); }

} // namespace gluonc::explain
