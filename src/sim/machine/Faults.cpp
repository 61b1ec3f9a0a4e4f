#include "sim/machine/Faults.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <tuple>

namespace gluonc::sim {

void FaultLog::add(Fault fault) {
  auto [at, isNew] = faults.try_emplace({int(fault.kind), fault.place}, fault);
  if (isNew)
    return;
  uint64_t count = at->second.count + fault.count;
  if (fault.program < at->second.program)
    at->second = std::move(fault);
  at->second.count = count;
}

void FaultLog::merge(const FaultLog &other) {
  for (const auto &[key, fault] : other.faults)
    add(fault);
}

void FaultLog::endBehind(uint64_t program) {
  allWereRun = false;
  for (auto at = faults.begin(); at != faults.end();)
    at = at->second.program > program ? faults.erase(at) : std::next(at);
}

bool FaultLog::hasErrors() const {
  return std::any_of(faults.begin(), faults.end(),
                     [](const auto &each) { return each.second.isError(); });
}

std::string elementText(int64_t element, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<std::string, 4> parts(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    parts[dim] = std::to_string(element % shape[dim]);
    element /= shape[dim];
  }
  return "(" + llvm::join(parts, ", ") + ")";
}

std::string programText(uint64_t program, std::array<uint32_t, 3> grid) {
  uint64_t rest = program / grid[0];
  return "(" + std::to_string(program % grid[0]) + ", " + std::to_string(rest % grid[1]) + ", " +
         std::to_string(rest / grid[1]) + ")";
}

static std::string contextText(const Fault &fault, const Place &place, std::array<uint32_t, 3> grid,
                               bool allWereRun) {
  std::string text = "in program " + programText(fault.program, grid);
  if (fault.element >= 0 && !place.shape.empty())
    text += ", at element " + elementText(fault.element, place.shape) + " of the tile";
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
  if (programs > 1 && !allWereRun)
    text += "; not all programs behind it were run";
  else if (programs > 1 && fault.count)
    text += "; " + std::to_string(fault.count) + " of " + std::to_string(programs) +
            " programs failed here";
  return text;
}

/// One fault for each kind and source line: calls and unrolled loops repeat a line.
static std::vector<Fault> onePerLine(std::vector<Fault> all, llvm::ArrayRef<Place> places) {
  std::vector<Fault> kept;
  std::map<std::tuple<int, const void *, uint32_t>, size_t> seen;
  for (Fault &fault : all) {
    diag::Span span = places[fault.place].span;
    // Without a place in a source file operations are told apart by themselves.
    uint32_t line = span ? span.file->position(span.begin).line : fault.place;
    auto [at, isNew] = seen.try_emplace({int(fault.kind), span.file, line}, kept.size());
    if (isNew)
      kept.push_back(std::move(fault));
    else
      kept[at->second].count += fault.count;
  }
  return kept;
}

void FaultLog::report(diag::Sink &sink, llvm::ArrayRef<Place> places, std::array<uint32_t, 3> grid,
                      unsigned limit) const {
  std::vector<Fault> all;
  for (const auto &[key, fault] : faults)
    all.push_back(fault);
  std::sort(all.begin(), all.end(), [](const Fault &left, const Fault &right) {
    return std::tie(left.program, left.place, left.kind) <
           std::tie(right.program, right.place, right.kind);
  });
  all = onePerLine(std::move(all), places);
  if (all.size() > limit)
    all.resize(limit);
  for (const Fault &fault : all) {
    const Place &place = places[fault.place];
    diag::Diagnostic diagnostic =
        diag::make(fault.kind, place.span, {fault.arguments.begin(), fault.arguments.end()});
    diagnostic.severity = fault.severity.value_or(diagnostic.severity);
    if (fault.usePlace >= 0)
      diagnostic.labels.push_back({places[fault.usePlace].span, "the value is used here"});
    for (const auto &[where, text] : fault.notes)
      diagnostic.labels.push_back({places[where].span, text});
    for (diag::Span caller : place.callers)
      diagnostic.labels.push_back({caller, "called from here"});
    diagnostic.labels.push_back({diag::Span(), contextText(fault, place, grid, allWereRun)});
    sink.submit(std::move(diagnostic));
  }
}

} // namespace gluonc::sim
