#include "explain/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace gluonc::explain {

namespace {

/// A figure of two launches, and by how much it changes.
struct Row {
  std::string name;
  double before = 0, after = 0;
  const char *format = "%.0f";
};

std::vector<Row> rowsOf(const Profile &before, const Profile &after) {
  std::vector<Row> rows;
  auto add = [&](std::string name, auto figure, const char *format = "%.0f") {
    rows.push_back({std::move(name), double(figure(before)), double(figure(after)), format});
  };
  auto addRegisters = [&](const char *name, unsigned Resources::Registers::*figure) {
    if (before.resources.registers && after.resources.registers)
      add(name, [=](const Profile &profile) { return *profile.resources.registers.*figure; });
  };
  if (before.timing && after.timing)
    add("predicted us", [](const Profile &p) { return p.timing->microseconds; }, "%.2f");
  add("global load sectors", [](const Profile &p) { return p.total.loads.sectors; });
  add("global store sectors", [](const Profile &p) { return p.total.stores.sectors; });
  add("bytes of boxes", [](const Profile &p) { return p.total.boxBytes; });
  add("shared wavefronts", [](const Profile &p) { return p.total.shared.wavefronts; });
  add("of bank conflicts",
      [](const Profile &p) { return p.total.shared.wavefronts - p.total.shared.ideal; });
  add("conversions", [](const Profile &p) {
    return llvm::count_if(p.facts.conversions,
                          [](const ConversionFact &fact) { return fact.how != "identity"; });
  });
  add("instructions", [](const Profile &p) { return p.total.instructions; });
  for (unsigned i = 0; i != pipeCount; ++i)
    add("  " + nameOf(Pipe(i)).str(), [=](const Profile &p) { return p.total.pipes[i]; });
  addRegisters("registers", &Resources::Registers::count);
  addRegisters("bytes spilled", &Resources::Registers::spillStoreBytes);
  add("shared bytes a CTA", [](const Profile &p) { return p.resources.sharedBytes; });
  if (before.occupancy && after.occupancy)
    add("resident warps", [](const Profile &p) { return p.occupancy->warps; });
  return rows;
}

std::string textOf(double figure, const char *format) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, figure);
  return text;
}

void printFindings(llvm::StringRef title, llvm::ArrayRef<Finding> findings,
                   llvm::raw_ostream &out) {
  out << title << (findings.empty() ? ": nothing" : ":") << '\n';
  for (const Finding &finding : findings) {
    const diag::Diagnostic &what = finding.diagnostic;
    const diag::KindInfo &kind = diag::info(what.kind);
    out << "  ";
    if (what.span)
      out << llvm::sys::path::filename(what.span.file->path()) << ':'
          << what.span.file->position(what.span.begin).line << ": ";
    out << what.message << " [GL" << kind.number << ' ' << kind.name << "]\n";
  }
}

} // namespace

void printDiff(const Explained &before, const Explained &after, llvm::raw_ostream &out) {
  const std::string &first = before.profile.facts.kernel, &second = after.profile.facts.kernel;
  const auto width = static_cast<unsigned>(2 + std::max({first.size(), second.size(), size_t(14)}));
  auto line = [&](llvm::StringRef name, llvm::StringRef left, llvm::StringRef right) {
    out << llvm::left_justify(name, 22) << llvm::right_justify(left, width)
        << llvm::right_justify(right, width);
  };
  line(before.profile.target.name(), first, second);
  out << '\n';
  for (const Row &row : rowsOf(before.profile, after.profile)) {
    if (row.before == 0 && row.after == 0)
      continue;
    line(row.name, textOf(row.before, row.format), textOf(row.after, row.format));
    if (row.before != 0)
      out << llvm::format("  x%.2f", row.after / row.before);
    out << '\n';
  }
  printFindings("found in the first", before.findings, out);
  printFindings("found in the second", after.findings, out);
}

} // namespace gluonc::explain
