#include "sim/machine/ProgramOrder.h"

#include <algorithm>

namespace gluonc::sim {

void ProgramOrder::beginProgram(uint64_t next) {
  if (next) {
    releases.resize(next);
    releases[program] = released;
  }
  program = uint32_t(next);
  released = 0;
  hasNewRelease = false;
  view.all = 0;
  view.some.clear();
  acquired = nullptr;
}

void ProgramOrder::join(View &mine, const View &other) const {
  mine.all = std::max(mine.all, other.all);
  for (auto [who, count] : other.some) {
    uint32_t &known = mine.some[who];
    known = std::max(known, count);
  }
  while (mine.all < program &&
         (!releases[mine.all] || mine.some.lookup(mine.all) >= releases[mine.all]))
    ++mine.all;
  for (auto entry = mine.some.begin(); entry != mine.some.end(); ++entry)
    if (entry->first < mine.all)
      mine.some.erase(entry);
}

void ProgramOrder::acquire(uint64_t address) {
  const std::shared_ptr<const View> &told = addresses[address];
  if (!told || told == acquired)
    return;
  join(view, *told);
  acquired = told;
}

void ProgramOrder::release(uint64_t address) {
  if (!hasNewRelease) {
    hasNewRelease = true;
    ++released;
  }
  auto mine = std::make_shared<View>(view);
  mine->some[program] = released;
  std::shared_ptr<const View> &told = addresses[address];
  // What others released there before stays released, though this program did not acquire it.
  if (told && told != acquired)
    join(*mine, *told);
  else
    acquired = mine;
  told = std::move(mine);
}

uint32_t ProgramOrder::now() {
  hasNewRelease = false;
  return std::min(released, Mark::kMaxTime);
}

bool ProgramOrder::knows(const Mark &mark) const {
  const uint32_t who = mark.program - 1;
  const uint32_t count = who < view.all ? releases[who] : view.some.lookup(who);
  return count > mark.time || (mark.time == Mark::kMaxTime && count);
}

} // namespace gluonc::sim
