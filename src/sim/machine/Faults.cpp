#include "sim/machine/Program.h"
#include "sim/machine/SanitizerWords.h"

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

const Fault *FaultLog::firstError() const {
  auto first = std::find_if(faults.begin(), faults.end(),
                            [](const auto &each) { return each.second.isError(); });
  return first == faults.end() ? nullptr : &first->second;
}

llvm::SmallVector<int64_t, 4> elementNumbers(int64_t element, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> parts(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    parts[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return parts;
}

std::string listText(llvm::ArrayRef<int64_t> numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t each) { return std::to_string(each); }),
                    ", ");
}

std::string elementText(int64_t element, llvm::ArrayRef<int64_t> shape) {
  return "(" + listText(elementNumbers(element, shape)) + ")";
}

std::string programText(uint64_t program, std::array<uint32_t, 3> grid) {
  uint64_t rest = program / grid[0];
  return "(" + std::to_string(program % grid[0]) + ", " + std::to_string(rest % grid[1]) + ", " +
         std::to_string(rest / grid[1]) + ")";
}

std::string countsText(const Counts &counts) {
  std::string text;
  for (const auto &[name, value] : counts)
    text += ", " + name + " = " + std::to_string(value);
  return text;
}

std::string MemoryName::text() const {
  if (buffer.empty())
    return "";
  return "`" + buffer + (index.empty() ? "" : "[" + listText(index) + "]") + "`";
}

/// "line 31", with the file's name where it is not that of `home`.
static std::string lineText(const Place &place, diag::Span home) {
  if (!place.span)
    return place.operation;
  std::string line = std::to_string(place.span.file->position(place.span.begin).line);
  if (place.span.file == home.file)
    return "line " + line;
  return std::string(place.span.file->path()) + ":" + line;
}

/// What a partition did before it got stuck, a line each.
static std::string historyText(const Stuck &stuck, llvm::ArrayRef<Place> places, diag::Span home) {
  std::string text =
      "the last operations" + (stuck.actor.text.empty() ? "" : " of " + stuck.actor.text) +
      (stuck.actor.cta < 0 ? "" : " in CTA " + std::to_string(stuck.actor.cta)) + ", latest first:";
  for (const Step &step : stuck.last)
    text +=
        "\n    " + lineText(places[step.place], home) + ": " + step.does + countsText(step.counts);
  return text;
}

static std::string contextText(const Fault &fault, const Place &place, std::array<uint32_t, 3> grid,
                               bool allWereRun) {
  std::string text = "in program " + programText(fault.program, grid);
  if (fault.actor.cta >= 0)
    text += ", CTA " + std::to_string(fault.actor.cta);
  if (!fault.actor.text.empty())
    text += ", " + fault.actor.text;
  // A deadlock has told it.
  if (fault.stuck.empty())
    text += countsText(fault.actor.counts);
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

/// Notes for those who expect Triton's sanitizer: its words, and how a GPU would end.
static void addSanitizerNotes(const Fault &fault, const Program &program,
                              diag::Diagnostic &diagnostic) {
  if (program.sanitizer != Sanitizer::Consan || !fault.isError())
    return;
  std::string words = concurrencyWords(fault, program.places);
  if (!words.empty())
    diagnostic.labels.push_back(
        {diag::Span(), "consan: " + words + ", where a GPU ends by a device-side assert"});
}

void FaultLog::report(diag::Sink &sink, const Program &program, std::array<uint32_t, 3> grid,
                      unsigned limit) const {
  llvm::ArrayRef<Place> places = program.places;
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
    for (const Stuck &stuck : llvm::ArrayRef(fault.stuck).drop_front(!fault.stuck.empty()))
      diagnostic.labels.push_back({places[stuck.place].span, stuck.text});
    for (const auto &[where, text] : fault.notes)
      diagnostic.labels.push_back({places[where].span, text});
    for (diag::Span caller : place.callers)
      diagnostic.labels.push_back({caller, "called from here"});
    for (const Stuck &stuck : fault.stuck)
      if (!stuck.last.empty())
        diagnostic.labels.push_back({diag::Span(), historyText(stuck, places, place.span)});
    diagnostic.labels.push_back({diag::Span(), contextText(fault, place, grid, allWereRun)});
    addSanitizerNotes(fault, program, diagnostic);
    diagnostic.facts = factsOf(fault, places, grid);
    sink.submit(std::move(diagnostic));
  }
}

} // namespace gluonc::sim
