//===- Multiprocessor.h - The units that resident warps share ---------------------===//
//
// Each unit is a queue: who comes takes its time from when the unit is free, and what it
// asked for is there a latency later. Caches of the second level and memory are the
// multiprocessor's part of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Trace.h"

#include "llvm/ADT/DenseSet.h"

namespace gluonc::model {

/// What a launch has of the units that all multiprocessors share.
struct Conditions {
  /// Bytes a cycle; of the second-level cache for sectors that it alone asks for, and for those
  /// that many do.
  double memoryBytesPerCycle = 1, distinctBytesPerCycle = 1, commonBytesPerCycle = 1;
  /// Of the sectors that a CTA loads for the first time, the part that memory has to give at most.
  double coldShare = 1;
  /// What shared memory leaves of the first-level cache.
  uint32_t firstLevelBytes = 0;
};

/// Where a launch's time may go.
enum class Unit : uint8_t {
  Issue,
  Float,
  Integer,
  Special,
  Convert,
  Double,
  Tensor,
  SharedMemory,
  SecondLevel,
  Memory,
  CopyEngine,
};
inline constexpr unsigned unitCount = 11;
llvm::StringRef nameOf(Unit unit);
inline Unit unitOf(Pipe pipe) { return Unit(unsigned(Unit::Float) + unsigned(pipe)); }

/// Sectors that an instruction of a CTA asks for.
struct Request {
  const Detail &detail;
  const CtaTrace &cta;
  /// Tells CTAs apart.
  uint64_t owner = 0;
  /// Clusters that ask for the same at the same time.
  Sharers sharers;
  bool bypassesFirstLevel = false;

  llvm::ArrayRef<uint32_t> sectors() const {
    return llvm::ArrayRef(cta.sectors).slice(detail.sectors.begin, detail.sectors.size());
  }
};

/// When an instruction is given out, and when its operands are there. It takes its place in the
/// queues of units by the former: others do not wait for its operands.
struct When {
  double given = 0, ready = 0;

  When after(double time) const { return {given, std::max(ready, time)}; }
};

/// Work for one at a time.
struct Server {
  double free = 0, busy = 0;

  /// When the work begins.
  double take(When when, double cycles) {
    double begin = std::max(when.given, free);
    free = begin + cycles;
    busy += cycles;
    return std::max(begin, when.ready);
  }
};

/// Which sectors the first-level cache has: sets of lines, the oldest one goes.
class FirstLevel {
public:
  explicit FirstLevel(uint32_t bytes);
  /// Whether it has a sector, which it has from now on.
  bool touch(uint64_t sector);

private:
  static constexpr unsigned ways = 4, lineSectors = 4;
  struct Line {
    uint64_t tag = ~uint64_t(0);
    uint8_t sectors = 0;
  };
  std::vector<std::array<Line, ways>> sets;
};

class Multiprocessor {
public:
  static constexpr unsigned quarters = 4;

  Multiprocessor(const Speeds &chip, const Conditions &conditions)
      : chip(chip), conditions(conditions), firstLevel(conditions.firstLevelBytes) {}

  struct Quarter {
    Server issue, tensorMemory;
    std::array<Server, target::nvidia::pipeCount> pipes;
  };
  std::array<Quarter, quarters> parts;

  /// When the sectors that threads load are there.
  double load(When when, const Request &request);
  /// The same for `cp.async`, which writes them to shared memory.
  double copy(When when, const Request &request);
  /// When they have been handed on.
  double store(When when, const Request &request);
  double update(When when, const Request &request);
  double accessShared(When when, const Detail &detail, bool stores);
  double shuffle(When when);
  /// Operands of a product that lie in shared memory: when they begin to come.
  double feed(When when, double cycles) { return shared.take(when, cycles); }
  /// A warp comes to a barrier of the CTA: when those that wait may go on if it is the last one.
  double meet(When when) { return barriers.take(when, chip.barrierCycles) + chip.barrierLatency; }
  /// Boxes: when the last byte is there, or has been read.
  double loadBox(When when, const Request &request);
  struct Stored {
    double read, written;
  };
  Stored storeBox(When when, const Request &request);

  /// Cycles in which a unit was at work: of quarters', the busiest one's.
  double busy(Unit unit) const;

private:
  /// What memory gives of a request for the first time, by the time that it takes.
  double freshBytes(const Request &request);
  /// So many of the sectors, past the first-level cache.
  double fetch(When when, const Request &request, size_t sectors);
  /// When what is written has left for memory.
  double write(When when, const Request &request);
  double secondLevelCycles(double bytes, const Sharers &sharers) const;
  /// Cycles of the path between threads and the first-level cache.
  double pathCycles(const Detail &detail) const;

  const Speeds &chip;
  const Conditions &conditions;
  FirstLevel firstLevel;
  Server shared, secondLevel, memory, copyEngine, barriers;
  /// Of CTAs, by owner: granules of memory that were loaded, and sectors that were written.
  llvm::DenseSet<uint64_t> seen, written;
};

} // namespace gluonc::model
