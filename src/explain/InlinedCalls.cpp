#include "explain/Profile.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace gluonc::explain {

/// What tells places apart, in the order of the source.
using Place = std::tuple<std::string, uint32_t, uint32_t>;

static Place placeOf(diag::Span span) {
  if (!span)
    return {};
  diag::LineColumn at = span.file->position(span.begin);
  return {span.file->path(), at.line, at.column};
}

namespace {

struct CallLines {
  Call call;
  std::map<std::pair<std::string, uint32_t>, Line> lines;

  void add(const InstructionCount &count, diag::Span place) {
    call.cost.add(count);
    if (!place)
      return;
    const uint32_t number = place.file->position(place.begin).line;
    Line &line = lines[{place.file->path(), number}];
    line.file = place.file;
    line.number = number;
    line.cost.add(count);
  }
};

} // namespace

std::vector<Call> callsOf(const Counts &counts, const diag::SourceManager &sources) {
  // By the places and names of all calls on the way there, the outermost first.
  std::map<std::vector<std::pair<Place, std::string>>, CallLines> found;
  for (const InstructionCount &count : counts.instructions) {
    const diag::Span place = spanOf(count.source, counts, sources);
    for (unsigned number = count.call; number; number = counts.calls[number].outer) {
      std::vector<std::pair<Place, std::string>> key;
      std::vector<diag::Span> chain;
      for (unsigned outer = number; outer; outer = counts.calls[outer].outer) {
        chain.push_back(spanOf(counts.calls[outer].place, counts, sources));
        key.push_back({placeOf(chain.back()), counts.calls[outer].function});
      }
      std::reverse(key.begin(), key.end());
      CallLines &entry = found[std::move(key)];
      entry.call.function = counts.calls[number].function;
      entry.call.chain = std::move(chain);
      entry.add(count, place);
    }
  }
  std::vector<Call> calls;
  for (auto &[key, entry] : found) {
    for (auto &[place, line] : entry.lines)
      entry.call.lines.push_back(std::move(line));
    calls.push_back(std::move(entry.call));
  }
  return calls;
}

} // namespace gluonc::explain
