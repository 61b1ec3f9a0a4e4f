#include "sim/machine/Schedule.h"

#include <algorithm>

namespace gluonc::sim {

void Footprint::touch(Space space, uint64_t begin, uint64_t end, bool writes) {
  if (isAnything)
    return;
  if (!parts.empty()) {
    // Most accesses follow each other.
    Part &last = parts.back();
    if (last.space == space && last.writes == writes && begin <= last.end && last.begin <= end) {
      last.begin = std::min(last.begin, begin);
      last.end = std::max(last.end, end);
      return;
    }
  }
  // Of more, nobody would find out quickly whom they meet.
  constexpr size_t most = 256;
  if (parts.size() == most)
    isAnything = true;
  parts.push_back({space, writes, begin, end});
}

bool Footprint::meets(const Footprint &other) const {
  if (isAnything || other.isAnything)
    return true;
  for (const Part &mine : parts)
    for (const Part &part : other.parts)
      if (mine.space == part.space && (mine.writes || part.writes) && mine.begin < part.end &&
          part.begin < mine.end)
        return true;
  return false;
}

std::vector<Schedule::Turn> Schedule::behind(const std::vector<Turn> &sleepers, const Turn &turn) {
  std::vector<Turn> left;
  for (const Turn &sleeper : sleepers)
    if (sleeper.fiber != turn.fiber && !sleeper.footprint.meets(turn.footprint))
      left.push_back(sleeper);
  return left;
}

bool Schedule::sleeps(uint32_t fiber) const {
  return std::any_of(now.begin(), now.end(),
                     [&](const Turn &sleeper) { return sleeper.fiber == fiber; });
}

std::optional<size_t> Schedule::choose(const std::vector<uint32_t> &ready, bool interrupts) {
  if (!turns.empty())
    now = behind(now, turns.back());
  const size_t number = decisions.size();
  const bool isDecision = ready.size() > 1;
  if (!hasBegun && choices.empty())
    now = sleeping;
  hasBegun = true;
  size_t chosen = 0;
  if (isDecision && number < choices.size()) {
    chosen = std::min<size_t>(choices[number], ready.size() - 1);
    if (number + 1 == choices.size())
      now = sleeping;
  } else {
    while (chosen != ready.size() && sleeps(ready[chosen]))
      ++chosen;
    if (chosen == ready.size()) {
      isRedundant = true;
      return std::nullopt;
    }
  }
  if (isDecision)
    decisions.push_back({static_cast<uint8_t>(ready.size()), static_cast<uint8_t>(chosen),
                         interrupts, ready, turns.size()});
  turns.push_back({ready[chosen], {}});
  return chosen;
}

void Schedule::touch(Footprint::Space space, uint64_t begin, uint64_t end, bool writes) {
  if (!turns.empty())
    turns.back().footprint.touch(space, begin, end, writes);
}

void Schedule::force(uint32_t fiber) {
  if (!turns.empty())
    now = behind(now, turns.back());
  turns.push_back({fiber, {}});
  touchAnything();
}

void Schedule::touchAnything() {
  if (!turns.empty())
    turns.back().footprint.isAnything = true;
}

} // namespace gluonc::sim
