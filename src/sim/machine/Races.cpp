#include "sim/machine/Races.h"

#include "sim/machine/GlobalAccess.h"

#include "llvm/ADT/MapVector.h"

namespace gluonc::sim {

using How = AccessHistory::How;

/// Ways of access that do not go together; a bit of Part::races each.
static constexpr std::pair<How, How> kPairs[] = {{How::Write, How::Write},
                                                 {How::Read, How::Write},
                                                 {How::Atomic, How::Write},
                                                 {How::Atomic, How::Read}};

static unsigned pairOf(How left, How right) {
  for (unsigned pair = 0; pair < std::size(kPairs); ++pair)
    if (kPairs[pair] == std::pair(left, right) || kPairs[pair] == std::pair(right, left))
      return pair;
  GL_UNREACHABLE("accesses that go together");
}

//===----------------------------------------------------------------------===//
// What is watched
//===----------------------------------------------------------------------===//

namespace {
/// What a kernel does with a range.
struct Uses {
  bool reads = false, writes = false, atomics = false;

  void add(const AccessData &access) {
    if (access.atomic)
      atomics |= access.writes;
    else
      (access.writes ? writes : reads) = true;
  }
  bool mayRace() const { return writes || (reads && atomics); }
};
} // namespace

Races::Races(const Program &program, const Memory &memory, const Launch &launch, bool parallel)
    : grid(launch.grid),
      reportedAs(launch.races == Verdict::Fault ? diag::Severity::Error : diag::Severity::Warning) {
  if (uint64_t(grid[0]) * grid[1] * grid[2] > 1)
    watch(program, memory, launch, parallel);
}

void Races::watch(const Program &program, const Memory &memory, const Launch &launch,
                  bool parallel) {
  llvm::MapVector<const Range *, Uses> uses;
  Uses anywhere;
  for (const AccessData *access : program.accesses) {
    if (access->parameter < 0) {
      anywhere.add(*access);
      continue;
    }
    const Argument &argument = launch.arguments[access->parameter];
    if (const Range *range = memory.find(argument.tensor ? argument.tensor->base : argument.bits))
      uses[range].add(*access);
  }
  if (anywhere.reads || anywhere.mayRace() || anywhere.atomics)
    for (const std::unique_ptr<Range> &range : memory.all()) {
      Uses &all = uses[range.get()];
      all.reads |= anywhere.reads;
      all.writes |= anywhere.writes && range->writable();
      all.atomics |= anywhere.atomics && range->writable();
    }
  for (auto &[range, use] : uses)
    if (use.mayRace())
      histories.push_back(std::make_unique<AccessHistory>(*range, parallel, use.reads));
  if (!histories.empty() && program.sequential &&
      llvm::any_of(program.accesses, [](const AccessData *access) { return access->acquires; }))
    order = std::make_unique<ProgramOrder>();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

AccessHistory::Mark Races::markOf(const Access &access) {
  Mark mark;
  mark.program = uint32_t(access.program) + 1;
  mark.place = access.place;
  mark.time = order ? order->now() : 0;
  mark.log2Bytes = llvm::Log2_32(access.elementBytes);
  return mark;
}

const AccessHistory::Mark *Races::unordered(const Part &part, How how, const Mark &mine) const {
  if (isUnordered(part.last[how], mine))
    return &part.last[how];
  return isUnordered(part.first[how], mine) ? &part.first[how] : nullptr;
}

void Races::found(const AccessHistory &history, Part &part, uint64_t address, How how,
                  const Mark &mine, How otherHow, const Mark &other) {
  if (order)
    report(history, address, how, mine, otherHow, other);
  else
    part.races |= 1u << pairOf(how, otherHow);
}

void Races::note(AccessHistory &history, const AccessData &data, uint64_t address, uint64_t length,
                 const Access &access) {
  const How how = data.atomic ? How::Atomic : How::Read;
  if (how == How::Read && !history.watchesReads)
    return;
  const Mark mark = markOf(access);
  if (data.atomic && !data.writes) {
    // Atomic loads are in the way of plain stores only, and not remembered.
    history.forEachPart(address, length, [&](Part &part) {
      if (const Mark *other = unordered(part, How::Write, mark))
        found(history, part, address, how, mark, How::Write, *other);
    });
    return;
  }
  auto check = [&](Part &part, uint64_t at) {
    for (How others : {How::Write, data.atomic ? How::Read : How::Atomic})
      if (const Mark *other = unordered(part, others, mark))
        found(history, part, at, how, mark, others, *other);
  };
  history.enter(how, mark, address, length, check, [](uint64_t, uint64_t) {});
}

void Races::acquire(const AccessData &data, uint64_t address, uint64_t length) {
  for (uint64_t at = address; order && at != address + length; at += data.elementBytes)
    order->acquire(at);
}

void Races::release(const AccessData &data, uint64_t address, uint64_t length) {
  for (uint64_t at = address; order && at != address + length; at += data.elementBytes)
    order->release(at);
}

void Races::store(AccessHistory &history, uint64_t address, const uint8_t *bytes, uint64_t length,
                  const Access &access) {
  const Mark mark = markOf(access);
  const uint64_t begin = address;
  history.enter(
      How::Write, mark, address, length,
      [&](Part &part, uint64_t at) {
        const Mark *writer = unordered(part, How::Write, mark);
        if (writer && std::memcmp(reinterpret_cast<void *>(at), bytes + (at - begin),
                                  part.end - part.begin) != 0)
          found(history, part, at, How::Write, mark, How::Write, *writer);
        for (How how : {How::Read, How::Atomic})
          if (const Mark *other = unordered(part, how, mark))
            found(history, part, at, How::Write, mark, how, *other);
      },
      [&](uint64_t at, uint64_t count) {
        std::memcpy(reinterpret_cast<void *>(at), bytes + (at - begin), count);
      });
}

void Races::fill(AccessHistory &history, uint64_t address, const uint8_t *element, uint64_t length,
                 const Access &access) {
  uint8_t pattern[AccessHistory::kLineBytes];
  const uint64_t period = std::min<uint64_t>(length, sizeof pattern);
  for (uint64_t at = 0; at < period; at += access.elementBytes)
    std::memcpy(pattern + at, element, access.elementBytes);
  for (uint64_t done = 0; done < length; done += period)
    store(history, address + done, pattern, std::min(period, length - done), access);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static const char *passive(How how) {
  return how == How::Read ? "read" : how == How::Write ? "written" : "updated by an atomic";
}
static const char *active(How how) {
  return how == How::Read ? "reads" : how == How::Write ? "writes" : "updates";
}

void Races::report(const AccessHistory &history, uint64_t address, How how, const Mark &mine,
                   How otherHow, const Mark &other) {
  if (!reported.insert({mine.place, other.place}).second)
    return;
  const Range &range = history.range;
  const uint64_t offset = address - range.base();
  Fault fault;
  fault.kind = diag::Kind::UnorderedGlobalAccess;
  fault.severity = reportedAs;
  fault.place = mine.place;
  fault.program = mine.program - 1;
  fault.count = 0;
  fault.arguments = {"element " + std::to_string(offset >> mine.log2Bytes) + " of `" +
                         range.name() + "`",
                     passive(how), programText(mine.program - 1, grid),
                     programText(other.program - 1, grid), active(otherHow)};
  fault.otherProgram = other.program - 1;
  fault.memory.buffer = range.name();
  fault.memory.byte = int64_t(offset);
  fault.notes.push_back(
      {other.place, std::string("the other access ") + active(otherHow) + " it here"});
  faults.add(std::move(fault));
}

/// Of the programs that the part remembers: that with the highest number, and of the others that
/// access in the other way the one with the lowest.
void Races::reportPair(const AccessHistory &history, const Part &part, uint64_t address,
                       unsigned pair) {
  auto [later, earlier] = kPairs[pair];
  if (part.last[earlier].program > part.last[later].program)
    std::swap(later, earlier);
  if (part.first[earlier].program == part.last[later].program)
    std::swap(later, earlier);
  report(history, address, later, part.last[later], earlier, part.first[earlier]);
}

void Races::report(FaultLog &all) {
  for (const std::unique_ptr<AccessHistory> &history : histories)
    history->forEachRace([&](const Part &part, uint64_t address) {
      for (unsigned pair = 0; pair < std::size(kPairs); ++pair)
        if (part.races & 1u << pair)
          reportPair(*history, part, address, pair);
    });
  all.merge(faults);
}

} // namespace gluonc::sim
