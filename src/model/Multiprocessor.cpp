#include "model/Multiprocessor.h"

#include "explain/Memory.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace gluonc::model {

using explain::sectorBytes;

llvm::StringRef nameOf(Unit unit) {
  constexpr llvm::StringLiteral names[unitCount] = {
      "issue",        "float",         "integer",
      "special",      "conversion",    "double",
      "tensor cores", "shared memory", "second-level cache",
      "memory",       "copy engine"};
  return names[unsigned(unit)];
}

FirstLevel::FirstLevel(uint32_t bytes) : sets(bytes / (ways * lineSectors * sectorBytes)) {}

bool FirstLevel::touch(uint64_t sector) {
  if (sets.empty())
    return false;
  uint64_t tag = sector / lineSectors;
  auto bit = static_cast<uint8_t>(1u << sector % lineSectors);
  auto &set = sets[tag % sets.size()];
  auto *found =
      std::find_if(set.begin(), set.end(), [&](const Line &line) { return line.tag == tag; });
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

double Multiprocessor::secondLevelCycles(double bytes, const Sharers &sharers) const {
  // From one cluster to so many the rate grows with the logarithm of their number, of which
  // clusters far apart make a part.
  constexpr double many = 8, farPart = 0.25;
  const double doublings =
      (1 - farPart) * std::log2(sharers.near) + farPart * std::log2(sharers.all);
  double part = std::min(doublings / std::log2(many), 1.0);
  return bytes / (conditions.distinctBytesPerCycle +
                  part * (conditions.commonBytesPerCycle - conditions.distinctBytesPerCycle));
}

double Multiprocessor::freshBytes(const Request &request) {
  double bytes = 0;
  for (uint32_t sector : request.sectors()) {
    // Memory gives several sectors at a time, and two such granules of a line for less than one
    // each.
    const uint32_t granule = sector / (chip.memoryGranule / sectorBytes);
    if (!seen.insert(ofOwner(granule, request.owner)).second)
      continue;
    const bool isSecond = seen.contains(ofOwner(granule ^ 1, request.owner));
    bytes += isSecond ? 2.0 * chip.memoryGranule - chip.loneGranule : chip.loneGranule;
  }
  return bytes;
}

double Multiprocessor::fetch(When when, const Request &request, size_t sectors) {
  const double fresh = freshBytes(request);
  double cycles = secondLevelCycles(sectors * sectorBytes, request.sharers);
  double there = secondLevel.take(when, cycles) + cycles + chip.secondLevelLatency;
  if (fresh == 0)
    return there;
  // Who shares them waits as long, but memory gives them once.
  double cold = std::min(1 / request.sharers.all, conditions.coldShare);
  double fromMemory = cold * fresh / conditions.memoryBytesPerCycle;
  return std::max(there, memory.take(when, fromMemory) + fromMemory + chip.memoryLatency);
}

double Multiprocessor::pathCycles(const Detail &detail) const {
  return std::max<double>(detail.lines,
                          detail.sectors.size() * sectorBytes / chip.sharedBytesPerCycle);
}

double Multiprocessor::load(When when, const Request &request) {
  double begin = shared.take(when, pathCycles(request.detail));
  size_t missing = llvm::count_if(request.sectors(), [&](uint32_t sector) {
    return request.bypassesFirstLevel || !firstLevel.touch(ofOwner(sector, request.owner));
  });
  return missing ? fetch(when.after(begin), request, missing) : begin + chip.firstLevelLatency;
}

double Multiprocessor::copy(When when, const Request &request) {
  double begin = shared.take(when, request.detail.wavefronts);
  return request.detail.sectors.size()
             ? fetch(when.after(begin), request, request.detail.sectors.size())
             : begin;
}

double Multiprocessor::write(When when, const Request &request) {
  secondLevel.take(when, secondLevelCycles(request.detail.sectors.size() * sectorBytes, {}));
  // The second-level cache gathers what is written to a sector.
  size_t isNew = llvm::count_if(request.sectors(), [&](uint32_t sector) {
    return written.insert(ofOwner(sector, request.owner)).second;
  });
  double cycles = isNew * sectorBytes / conditions.memoryBytesPerCycle;
  return memory.take(when, cycles) + cycles;
}

double Multiprocessor::store(When when, const Request &request) {
  double cycles = pathCycles(request.detail), begin = shared.take(when, cycles);
  write(when.after(begin), request);
  return begin + cycles;
}

double Multiprocessor::update(When when, const Request &request) {
  double begin = store(when, request);
  return secondLevel.take(when.after(begin), request.detail.sectors.size()) + chip.atomicLatency;
}

double Multiprocessor::accessShared(When when, const Detail &detail, bool stores) {
  double begin = shared.take(when, detail.wavefronts);
  return begin + detail.wavefronts + (stores ? 0 : chip.sharedLatency);
}

double Multiprocessor::shuffle(When when) { return shared.take(when, 1) + chip.shuffleLatency; }

double Multiprocessor::loadBox(When when, const Request &request) {
  double cycles = request.detail.boxBytes / chip.secondLevelBytesPerCycle;
  double begin = copyEngine.take(when, cycles);
  return std::max(begin + cycles + chip.secondLevelLatency,
                  fetch(when.after(begin), request, request.detail.sectors.size())) +
         chip.boxLatency;
}

Multiprocessor::Stored Multiprocessor::storeBox(When when, const Request &request) {
  double cycles = request.detail.boxBytes / chip.secondLevelBytesPerCycle;
  double begin = copyEngine.take(when, cycles), read = begin + cycles + chip.boxLatency;
  double there = write(when.after(begin), request);
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
