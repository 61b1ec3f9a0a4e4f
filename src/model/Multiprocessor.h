//===- Multiprocessor.h - The units that resident warps share ---------------------===//
//
// Each unit is a queue: who comes takes its time from when the unit is free, and what it
// asked for is there a latency later. Caches of the second level and memory are the
// multiprocessor's part of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Trace.h"

namespace gluonc::model {

/// What a launch has of the units that all multiprocessors share.
struct Conditions {
  /// Cycles of a multiprocessor in a microsecond.
  double megahertz = 1;
  /// Bytes a cycle.
  double memoryBytesPerCycle = 1, secondLevelBytesPerCycle = 1;
  /// Of the sectors that a CTA loads for the first time, and that are not known to be shared: the
  /// part that no other CTA has brought into the second-level cache.
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

  Multiprocessor(const Trace &trace, const Speeds &chip, const Conditions &conditions)
      : trace(trace), chip(chip), conditions(conditions), firstLevel(conditions.firstLevelBytes) {}

  struct Quarter {
    Server issue;
    std::array<Server, target::nvidia::pipeCount> pipes;
  };
  std::array<Quarter, quarters> parts;

  /// Sectors that threads load; `owner` tells CTAs apart. When they are there.
  double load(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner,
              bool bypassesFirstLevel);
  /// When they have been handed on.
  double store(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner);
  double update(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner);
  double accessShared(When when, const Detail &detail, bool stores);
  double shuffle(When when);
  /// Boxes: when the last byte is there, or has been read.
  double loadBox(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner);
  struct Stored {
    double read, written;
  };
  Stored storeBox(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner);

  /// Cycles in which a unit was at work: of quarters', the busiest one's.
  double busy(Unit unit) const;

private:
  /// Sectors past the first-level cache.
  double fetch(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner,
               unsigned sectors);
  bool isCold(unsigned sectors);
  /// When what is written has left for memory.
  double write(When when, const Detail &detail, const CtaTrace &cta, uint64_t owner);
  double pathCycles(const Detail &detail) const;

  const Trace &trace;
  const Speeds &chip;
  const Conditions &conditions;
  FirstLevel firstLevel;
  Server shared, secondLevel, memory, copyEngine;
  /// Sectors of CTAs that were loaded and written before, by owner.
  llvm::DenseSet<uint64_t> seen, written;
  double cold = 0;
};

} // namespace gluonc::model
