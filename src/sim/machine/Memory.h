//===- Memory.h - Global memory of a simulated device ----------------------===//
//
// The simulator uses host addresses as device addresses: a driver or test hands
// over the buffers it already has, under a name. Every access of a kernel is
// held against these ranges, so a wrong address is a report and never a crash.
//
// A range may carry one bit a byte that says whether the byte was ever written
// ("poisoned" buffers: `empty(...)` on the command line).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gluonc::sim {

/// One registered buffer: `[base, base + bytes)`.
class Range {
public:
  Range(std::string name, uint64_t base, uint64_t bytes, bool writable, bool poisoned);

  const std::string &name() const { return rangeName; }
  uint64_t base() const { return start; }
  uint64_t bytes() const { return size; }
  bool writable() const { return mayWrite; }
  bool tracksInitialization() const { return written != nullptr; }

  bool contains(uint64_t address, uint64_t length) const {
    return address >= start && address - start <= size && length <= size - (address - start);
  }
  /// Notes that bytes of a poisoned range now hold a value. Safe from any thread.
  void markWritten(uint64_t address, uint64_t length) const;
  /// Offset within the access of its first byte never written; `length` if there is none.
  uint64_t firstUnwritten(uint64_t address, uint64_t length) const;

private:
  std::string rangeName;
  uint64_t start;
  uint64_t size;
  bool mayWrite;
  /// A bit a byte; null where the whole range counts as written.
  std::unique_ptr<std::atomic<uint64_t>[]> written;
};

/// The buffers that a launch may touch. Fixed while a launch runs.
class Memory {
public:
  enum class Access { ReadOnly, ReadWrite };
  enum class Contents { Initialized, Poisoned };

  /// Registers a host buffer. Returns false, and changes nothing, if it overlaps another one.
  bool add(llvm::StringRef name, const void *base, uint64_t bytes,
           Access access = Access::ReadWrite, Contents contents = Contents::Initialized);
  /// Forgets the range that starts at `base`.
  void remove(const void *base);
  /// Says that pointers computed from an argument that leads into this part of a range stay in it;
  /// without parts they stay in the range. Parts do not overlap.
  void addPart(llvm::StringRef name, const void *base, uint64_t bytes, Access access);

  /// The range that holds the byte at `address`, or null.
  const Range *find(uint64_t address) const { return findIn(ranges, address); }
  /// The part of a range, else the range: where pointers stay that are computed from `address`.
  const Range *findPart(uint64_t address) const;
  bool hasParts() const { return !parts.empty(); }
  /// The range closest to an address that lies in none; null if no range is registered.
  const Range *nearest(uint64_t address) const;
  const std::vector<std::unique_ptr<Range>> &all() const { return ranges; }

private:
  /// Sorted by base; never overlapping. Pointers to ranges are stable.
  using Ranges = std::vector<std::unique_ptr<Range>>;
  static bool insert(Ranges &ranges, std::unique_ptr<Range> range);
  static const Range *findIn(const Ranges &ranges, uint64_t address);

  Ranges ranges;
  Ranges parts;
};

} // namespace gluonc::sim
