#include "model/Multiprocessor.h"

#include "explain/Memory.h"

namespace gluonc::model {

using explain::sectorBytes;

llvm::StringRef nameOf(Unit unit) {
  constexpr llvm::StringLiteral names[unitCount] = {
      "issue",   "float",         "integer",            "special", "conversion",
      "double",  "tensor cores",  "shared memory",      "second-level cache",
      "memory",  "copy engine"};
  return names[unsigned(unit)];
}

FirstLevel::FirstLevel(uint32_t bytes) : sets(bytes / (ways * lineSectors * sectorBytes)) {}

bool FirstLevel::touch(uint64_t sector) {
  if (sets.empty())
    return false;
  uint64_t tag = sector / lineSectors;
  auto bit = static_cast<uint8_t>(1u << sector % lineSectors);
  auto &set = sets[tag % sets.size()];
  auto *found = std::find_if(set.begin(), set.end(), [&](const Line &line) { return line.tag == tag; });
  Line line = found == set.end() ? Line{tag, 0} : *found;
  bool has = line.sectors & bit;
  line.sectors |= bit;
  std::move_backward(set.begin(), found == set.end() ? set.end() - 1 : found,
                     found == set.end() ? set.end() : found + 1);
  set.front() = line;
  return has;
}

/// Sectors of different CTAs count as different ones.
static uint64_t ofOwner(uint32_t sector, uint64_t owner) { return owner << 32 | sector; }

bool Multiprocessor::isCold(unsigned sectors) {
  cold += sectors * conditions.coldShare;
  if (cold < sectors)
    return false;
  cold -= sectors;
  return true;
}

double Multiprocessor::fetch(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner,
                             unsigned sectors) {
  unsigned isNew = 0;
  for (uint32_t i = detail.sectors.begin; i != detail.sectors.end; ++i)
    isNew += !trace.shared.contains(cta.sectors[i]) &&
             seen.insert(ofOwner(cta.sectors[i], owner)).second;
  double cycles = sectors * sectorBytes / conditions.secondLevelBytesPerCycle;
  double there = secondLevel.take(when, cycles) + cycles + chip.secondLevelLatency;
  if (!isNew || !isCold(isNew))
    return there;
  double fromMemory = isNew * sectorBytes / conditions.memoryBytesPerCycle;
  return std::max(there, memory.take(when, fromMemory) + fromMemory + chip.memoryLatency);
}

/// Cycles of the path between threads and the first-level cache.
double Multiprocessor::pathCycles(const Detail &detail) const {
  return std::max<double>(detail.lines,
                          detail.sectors.size() * sectorBytes / chip.sharedBytesPerCycle);
}

double Multiprocessor::load(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner,
                            bool bypassesFirstLevel) {
  double begin = shared.take(when, pathCycles(detail));
  unsigned missing = 0;
  for (uint32_t i = detail.sectors.begin; i != detail.sectors.end; ++i)
    missing += bypassesFirstLevel || !firstLevel.touch(ofOwner(cta.sectors[i], owner));
  if (!missing)
    return begin + chip.firstLevelLatency;
  return fetch(when.after(begin), detail, cta, owner, missing);
}

double Multiprocessor::write(When when, const Detail &detail, const CtaTrace &cta,
                             uint64_t owner) {
  double bytes = detail.sectors.size() * sectorBytes;
  secondLevel.take(when, bytes / conditions.secondLevelBytesPerCycle);
  // The second-level cache gathers what is written to a sector.
  unsigned isNew = 0;
  for (uint32_t i = detail.sectors.begin; i != detail.sectors.end; ++i)
    isNew += written.insert(ofOwner(cta.sectors[i], owner)).second;
  double cycles = isNew * sectorBytes / conditions.memoryBytesPerCycle;
  return memory.take(when, cycles) + cycles;
}

double Multiprocessor::store(When when, const Detail &detail, const CtaTrace &cta,
                             uint64_t owner) {
  double begin = shared.take(when, pathCycles(detail));
  write(when.after(begin), detail, cta, owner);
  return begin;
}

double Multiprocessor::update(When when, const Detail &detail, const CtaTrace &cta,
                              uint64_t owner) {
  double begin = store(when, detail, cta, owner);
  return secondLevel.take(when.after(begin), detail.sectors.size()) + chip.atomicLatency;
}

double Multiprocessor::accessShared(When when, const Detail &detail, bool stores) {
  double begin = shared.take(when, detail.wavefronts);
  return begin + detail.wavefronts + (stores ? 0 : chip.sharedLatency);
}

double Multiprocessor::shuffle(When when) { return shared.take(when, 1) + chip.shuffleLatency; }

double Multiprocessor::loadBox(When when, const Detail &detail, const CtaTrace &cta,
                               uint64_t owner) {
  double cycles = detail.boxBytes / chip.boxBytesPerCycle;
  double begin = copyEngine.take(when, cycles);
  return std::max(begin + cycles + chip.secondLevelLatency,
                  fetch(when.after(begin), detail, cta, owner, detail.sectors.size())) +
         chip.boxLatency;
}

Multiprocessor::Stored Multiprocessor::storeBox(When when, const Detail &detail,
                                                const CtaTrace &cta, uint64_t owner) {
  double cycles = detail.boxBytes / chip.boxBytesPerCycle;
  double begin = copyEngine.take(when, cycles), read = begin + cycles + chip.boxLatency;
  double there = write(when.after(begin), detail, cta, owner);
  return {read, std::max(read, there + chip.boxLatency) + chip.secondLevelLatency};
}

double Multiprocessor::busy(Unit unit) const {
  switch (unit) {
  case Unit::SharedMemory:
    return shared.busy;
  case Unit::SecondLevel:
    return secondLevel.busy;
  case Unit::Memory:
    return memory.busy;
  case Unit::CopyEngine:
    return copyEngine.busy;
  default:
    break;
  }
  double most = 0;
  for (const Quarter &part : parts)
    most = std::max(most, unit == Unit::Issue
                              ? part.issue.busy
                              : part.pipes[unsigned(unit) - unsigned(Unit::Float)].busy);
  return most;
}

} // namespace gluonc::model
