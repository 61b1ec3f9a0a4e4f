#include "sim/machine/AccessHistory.h"

#include <algorithm>

namespace gluonc::sim {

void AccessHistory::Part::enter(How how, const Mark &mark) {
  if (!first[how].program || mark.program < first[how].program ||
      (mark.program == first[how].program && mark.place < first[how].place))
    first[how] = mark;
  if (mark.program >= last[how].program)
    last[how] = mark;
}

bool AccessHistory::Part::hasSameHistory(const Part &other) const {
  return races == other.races && std::equal(first, first + kHows, other.first) &&
         std::equal(last, last + kHows, other.last);
}

AccessHistory::AccessHistory(const Range &range, bool parallel, bool watchesReads)
    : range(range), watchesReads(watchesReads), parallel(parallel),
      base(range.base() & ~(kLineBytes - 1)),
      chunks((range.base() + range.bytes() - base) / (kLineBytes * kChunkLines) + 1) {}

AccessHistory::~AccessHistory() {
  for (std::atomic<Line *> &chunk : chunks)
    delete[] chunk.load();
}

AccessHistory::Line *AccessHistory::addChunk(uint64_t index) {
  Line *made = new Line[kChunkLines], *there = nullptr;
  if (chunks[index].compare_exchange_strong(there, made))
    return made;
  delete[] made;
  return there;
}

bool AccessHistory::enterFresh(Line &line, How how, const Mark &mark, unsigned begin,
                               unsigned end) {
  auto &parts = line.parts;
  size_t at = 0;
  while (at < parts.size() && parts[at].end <= begin)
    ++at;
  if (at < parts.size() && parts[at].begin < end)
    return false;
  if (at && parts[at - 1].end == begin && parts[at - 1].hasOnly(how, mark)) {
    parts[at - 1].end = uint16_t(end);
    return true;
  }
  if (at < parts.size() && parts[at].begin == end && parts[at].hasOnly(how, mark)) {
    parts[at].begin = uint16_t(begin);
    return true;
  }
  Part part;
  part.begin = uint16_t(begin);
  part.end = uint16_t(end);
  part.enter(how, mark);
  parts.insert(parts.begin() + at, part);
  return true;
}

size_t AccessHistory::cut(Line &line, unsigned begin, unsigned end) {
  auto &parts = line.parts;
  auto make = [](unsigned from, unsigned to) {
    Part part;
    part.begin = uint16_t(from);
    part.end = uint16_t(to);
    return part;
  };
  size_t at = std::partition_point(parts.begin(), parts.end(),
                                   [&](const Part &part) { return part.end <= begin; }) -
              parts.begin();
  if (at < parts.size() && parts[at].begin < begin) {
    parts.insert(parts.begin() + at, Part(parts[at]));
    parts[at].end = parts[at + 1].begin = uint16_t(begin);
    ++at;
  }
  const size_t firstPart = at;
  for (unsigned from = begin; from < end; ++at) {
    if (at == parts.size() || parts[at].begin > from) {
      const unsigned to = at == parts.size() ? end : std::min<unsigned>(end, parts[at].begin);
      parts.insert(parts.begin() + at, make(from, to));
    } else if (parts[at].end > end) {
      parts.insert(parts.begin() + at, Part(parts[at]));
      parts[at].end = parts[at + 1].begin = uint16_t(end);
    }
    from = parts[at].end;
  }
  return firstPart;
}

void AccessHistory::unite(Line &line, size_t begin, size_t end) {
  auto &parts = line.parts;
  size_t kept = begin ? begin - 1 : 0;
  size_t next = kept + 1;
  const size_t stop = std::min(end + 1, parts.size());
  for (; next < stop; ++next) {
    if (parts[kept].end == parts[next].begin && parts[kept].hasSameHistory(parts[next]))
      parts[kept].end = parts[next].end;
    else if (++kept != next)
      parts[kept] = parts[next];
  }
  if (kept + 1 < stop)
    parts.erase(parts.begin() + kept + 1, parts.begin() + stop);
}

} // namespace gluonc::sim
