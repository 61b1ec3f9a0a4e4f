//===- AccessHistory.h - Which programs accessed which bytes of a range ------===//
//
// A range is cut into lines of 256 bytes. A line is a list of parts, each of them bytes with the
// same history: for each way of access the program with the lowest number and the one with the
// highest. Both are the same whatever the order of programs, so what is reported does not depend on
// it; those between are forgotten, which hides races behind others of the same bytes and invents
// none. A tile that fills lines costs one part in each.
//
// Lines have locks: programs run in parallel. Whoever stores does so under the lock, so that
// equal values are told from different ones.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Memory.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <thread>

namespace gluonc::sim {

class AccessHistory {
public:
  enum How : uint8_t { Read, Write, Atomic };
  static constexpr unsigned kHows = 3;

  /// Who accessed, in which of its instructions.
  struct Mark {
    static constexpr unsigned kTimeBits = 8, kMaxTime = (1u << kTimeBits) - 1;
    /// One more than its number; 0: nobody.
    uint32_t program = 0;
    uint32_t place : 22 = 0;
    /// How often the program had released something (ProgramOrder.h); kMaxTime stands for more.
    uint32_t time : kTimeBits = 0;
    uint32_t log2Bytes : 2 = 0;
    bool operator==(const Mark &) const = default;
  };

  /// Bytes [begin, end) of a line.
  struct Part {
    uint16_t begin = 0, end = 0;
    /// Pairs of ways in which programs accessed them in no order: bits of the owner's.
    uint32_t races = 0;
    Mark first[kHows], last[kHows];

    void enter(How how, const Mark &mark);
    bool hasSameHistory(const Part &other) const;
    /// Whether this is all that ever happened to them.
    bool hasOnly(How how, const Mark &mark) const {
      bool others = races != 0;
      for (unsigned other = 0; other < kHows; ++other)
        others |= other != how && first[other].program != 0;
      return !others && first[how] == mark && last[how] == mark;
    }
  };

  static constexpr uint64_t kLineBytes = 256;

  /// `parallel`: several threads enter accesses. `watchesReads`: others than who reads may write.
  AccessHistory(const Range &range, bool parallel, bool watchesReads);

  const Range &range;
  const bool watchesReads;

  /// Enters an access to `[address, address + length)`, all of it in the range. Before that, calls
  /// `visit(part, address)` for what was accessed before; and behind it `then(address, length)` for
  /// each line, under its lock.
  template <class Visit, class Then>
  void enter(How how, const Mark &mark, uint64_t address, uint64_t length, Visit &&visit,
             Then &&then) {
    forEachLine(address, length, [&](Line &line, uint64_t begin, unsigned from, unsigned to) {
      if (!enterFresh(line, how, mark, from, to)) {
        const size_t first = cut(line, from, to);
        size_t part = first;
        for (; part < line.parts.size() && line.parts[part].begin < to; ++part) {
          visit(line.parts[part], begin + line.parts[part].begin);
          line.parts[part].enter(how, mark);
        }
        if (line.parts.size() > 1)
          unite(line, first, part);
      }
      then(begin + from, to - from);
    });
  }

  /// Calls `visit(part)` for the parts that have some of these bytes.
  template <class Visit> void forEachPart(uint64_t address, uint64_t length, Visit &&visit) {
    forEachLine(address, length, [&](Line &line, uint64_t, unsigned from, unsigned to) {
      for (Part &part : line.parts)
        if (part.begin < to && part.end > from)
          visit(part);
    });
  }

private:
  static constexpr uint64_t kChunkLines = 64;
  struct Line {
    std::atomic<bool> locked = false;
    llvm::SmallVector<Part, 1> parts;
  };

  /// Calls `visit(line, address of the line, from, to)`, under its lock.
  template <class Visit> void forEachLine(uint64_t address, uint64_t length, Visit &&visit) {
    for (const uint64_t end = address + length; address != end;) {
      const uint64_t lineBegin = address & ~(kLineBytes - 1);
      const uint64_t stop = std::min(end, lineBegin + kLineBytes);
      Line &line = lineAt(lineBegin);
      lock(line);
      visit(line, lineBegin, unsigned(address - lineBegin), unsigned(stop - lineBegin));
      line.locked.store(false, std::memory_order_release);
      address = stop;
    }
  }

public:
  /// Calls `visit(part, address)` for all parts with races, in order.
  template <class Visit> void forEachRace(Visit &&visit) const {
    for (size_t i = 0; i < chunks.size(); ++i)
      if (const Line *lines = chunks[i].load())
        for (uint64_t at = 0; at < kChunkLines; ++at)
          for (const Part &part : lines[at].parts)
            if (part.races)
              visit(part, base + (i * kChunkLines + at) * kLineBytes + part.begin);
  }

  ~AccessHistory();

private:
  Line &lineAt(uint64_t address) {
    const uint64_t line = (address - base) / kLineBytes;
    Line *lines = chunks[line / kChunkLines].load(std::memory_order_acquire);
    return (lines ? lines : addChunk(line / kChunkLines))[line % kChunkLines];
  }
  Line *addChunk(uint64_t index);
  void lock(Line &line) const {
    if (!parallel)
      return;
    while (line.locked.exchange(true, std::memory_order_acquire))
      std::this_thread::yield();
  }
  /// Enters an access to bytes that nobody has accessed before; false if somebody has.
  static bool enterFresh(Line &line, How how, const Mark &mark, unsigned begin, unsigned end);
  /// Makes parts of exactly these bytes; the number of the first.
  static size_t cut(Line &line, unsigned begin, unsigned end);
  /// Parts from `begin` to `end`, and their neighbours, become one where they have one history.
  static void unite(Line &line, size_t begin, size_t end);

  const bool parallel;
  const uint64_t base;
  std::vector<std::atomic<Line *>> chunks;
};

} // namespace gluonc::sim
