//===- Ordering.h - Which accesses to shared memory are ordered -------------===//
//
// Two accesses of different partitions or CTAs to the same bytes, one of which writes, need
// something that puts one behind the other: a barrier that one arrives on after its
// access and the other waits for, a barrier of the cluster, or the beginning or end of
// the partitions. Whether there is such a thing does not depend on whose turn it was, so a race is
// found under every schedule that executes both accesses.
//
// Beside that, TMA and warpgroup_mma see shared memory through another proxy than
// loads and stores do: between a store and such an access, and between a load and such a
// write, there has to be a `fence_async_shared`, after the one and before the other in that same
// order. A load needs it, too: on an H100 and an H200 a TMA load that a barrier object orders
// behind loads replaced the buffer before they had read it, in nearly all programs of the worst
// kernel; with a fence in none (bench/results/2026-11-28-fence-after-read.json).
//
// How: vector clocks. Every partition has a clock that steps on whenever others may
// learn of its accesses, a barrier has one that steps with each asynchronous
// operation it completes. A View says, for each clock, up to where somebody knows
// about it, and up to where a fence stood behind what it counts. Every four bytes of
// shared memory remember who wrote them at which time, and when each partition read
// them last.
//
// A cell remembers one access, and which of its bytes that touched. Of several writers
// of its bytes all but the last are forgotten, which hides races, and invents none.
// Cells come in blocks. One that was accessed as a whole is noted, and asked about, at once.
//
// Not seen: accesses of the threads of one partition among each other, and accesses
// to global memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gluonc::sim {

enum class Proxy : uint8_t { Generic, Async };

class Ordering {
public:
  /// Fibers and barriers beyond these share clocks, which hides races, and invents none.
  static constexpr uint32_t kFibers = 64, kClocks = 128;
  using Clocks = std::array<uint32_t, kClocks>;
  struct View {
    Clocks seen = {}, fenced = {};
    void join(const View &other);
  };
  /// Whose access, when, through which proxy; 0: nobody's.
  using Epoch = uint32_t;

  /// An access that is not ordered after `other`, by which bytes at `offset` were read or written.
  struct Conflict {
    uint64_t offset;
    uint32_t otherPlace;
    /// The fiber of the other access; none for an asynchronous operation.
    std::optional<uint32_t> otherFiber;
    bool otherWrites;
    /// All that is missing is a fence.
    bool lacksFence;
  };

  /// `ctas` fibers, from 0 on, run from the beginning.
  Ordering(uint32_t sharedBytes, uint32_t ctas);

  /// A new program.
  void clear();

  // -- What orders -------------------------------------------------------------

  void start(uint32_t parent, uint32_t fiber);
  /// Of one CTA all end at one place, so the first that is joined is the end of concurrency.
  void join(uint32_t parent, uint32_t fiber);
  void fence(uint32_t fiber);
  void arrive(uint32_t fiber, uint32_t barrier) { release(fiber, barriers[barrier].arrived); }
  /// Everybody who arrived in the phase is known to those who wait for it from now on.
  void completePhase(uint32_t barrier);
  void wait(uint32_t fiber, uint32_t barrier) { views[fiber].join(barriers[barrier].completed); }
  /// What an asynchronous operation wrote, which these barriers tell of.
  Epoch complete(llvm::ArrayRef<uint32_t> completing, Proxy proxy);
  void forgetBarrier(uint32_t barrier) { barriers.erase(barrier); }
  /// An atomic operation on global memory, or a barrier of all partitions: orders after all
  /// earlier ones.
  void synchronize(uint32_t fiber);
  /// Whether there are several fibers.
  bool isConcurrent() const { return concurrent; }

  // -- Accesses ------------------------------------------------------------------

  Epoch now(uint32_t fiber) const { return epochOf(fiber, views[fiber].seen[fiber]); }

private:
  struct Cell;
  struct ReadBlock;

public:
  /// Whether reading, or writing, bytes in runs is in order: `conflict` tells why not.
  class Access {
  public:
    Access(Ordering &ordering, uint32_t fiber, Proxy proxy)
        : ordering(ordering), fiber(fiber), proxy(proxy) {}
    bool read(uint64_t offset, uint32_t bytes);
    bool write(uint64_t offset, uint32_t bytes);
    std::optional<Conflict> conflict;

  private:
    bool knows(const Cell &last, uint64_t cell);
    void findReaders(uint64_t newMask, uint64_t newChunk);
    bool mayReplace(uint32_t reader, const Cell &last, uint64_t cell);
    bool fail(uint64_t cell, uint32_t place, std::optional<uint32_t> other, bool otherWrites,
              bool lacksFence);

    Ordering &ordering;
    uint32_t fiber;
    Proxy proxy;
    /// The last that was found to be in order: most bytes have the writer of their neighbours.
    Epoch known = 0;
    /// Those who have read near the last place, and up to when that is known: most blocks have the
    /// same.
    struct Reader {
      uint32_t fiber, seen, fenced;
      const ReadBlock *blocks;
    };
    llvm::SmallVector<Reader, 8> readers;
    uint64_t mask = 0, chunk = 0;
  };

  void noteRead(uint32_t fiber, uint64_t offset, uint32_t bytes, uint32_t place,
                Proxy proxy = Proxy::Generic);
  void noteWrite(Epoch epoch, uint64_t offset, uint32_t bytes, uint32_t place);

private:
  static constexpr unsigned kClockBits = 24;
  static constexpr uint32_t kMaxClock = (1u << kClockBits) - 1;
  static constexpr uint32_t kAsyncBit = 1u << 31;
  static constexpr uint64_t kCellBytes = 4;
  struct Cell {
    Epoch epoch;
    uint32_t place : 28;
    /// A bit for each byte that was accessed then: neighbours may be others' business.
    uint32_t bytes : 4;
    bool operator==(const Cell &other) const = default;
  };
  static constexpr uint32_t kWholeCell = (1u << kCellBytes) - 1;
  /// Cells of a block: the rows of most buffers have as many, or a multiple.
  static constexpr uint64_t kBlockCells = 16, kBlockBytes = kBlockCells * kCellBytes;
  struct Block {
    /// Of every cell, unless they differ: nobody's, or of whole cells.
    Cell common = {};
    bool isCommon = true;
    std::unique_ptr<Cell[]> cells;
    const Cell &at(uint64_t cell) const { return isCommon ? common : cells[cell % kBlockCells]; }
    /// Of the bytes from `offset` on those that are the block's.
    void note(uint64_t block, uint64_t offset, uint32_t bytes, Epoch epoch, uint32_t place) {
      const uint64_t first = block * kBlockBytes;
      if (offset > first || offset + bytes < first + kBlockBytes)
        return notePart(block, offset, bytes, epoch, place);
      common = {epoch, place, kWholeCell};
      isCommon = true;
    }
    void notePart(uint64_t block, uint64_t offset, uint32_t bytes, Epoch epoch, uint32_t place);
  };
  struct WrittenBlock : Block {
    /// A bit for each fiber that has read some of it.
    uint64_t readers = 0;
  };
  struct ReadBlock : Block {
    /// The last time at all, and through the generic proxy.
    uint32_t latest = 0, latestGeneric = 0;
  };
  static uint32_t bytesOf(uint64_t cell, uint64_t offset, uint32_t bytes) {
    const uint64_t first = cell * kCellBytes, end = offset + bytes;
    uint32_t mask = kWholeCell;
    if (offset > first)
      mask &= mask << (offset - first);
    return end < first + kCellBytes ? mask & ((1u << (end - first)) - 1) : mask;
  }
  /// Calls `visit(block, begin, end)` for each block of a range and the cells there; false once
  /// that is.
  template <class Visit> static bool forEachBlock(uint64_t offset, uint32_t bytes, Visit &&visit) {
    const uint64_t end = (offset + bytes + kCellBytes - 1) / kCellBytes;
    for (uint64_t cell = offset / kCellBytes; cell < end;) {
      const uint64_t block = cell / kBlockCells, next = std::min(end, (block + 1) * kBlockCells);
      if (!visit(block, cell, next))
        return false;
      cell = next;
    }
    return true;
  }
  struct BarrierState {
    uint32_t clock = 0;
    View arrived, completed;
  };

  static Epoch epochOf(uint32_t clock, uint32_t time) { return clock << kClockBits | time; }
  static uint32_t clockOf(Epoch epoch) { return (epoch & ~kAsyncBit) >> kClockBits; }
  static uint32_t timeOf(Epoch epoch) { return epoch & kMaxClock; }
  void release(uint32_t fiber, View &to);
  void stepOn(uint32_t fiber);
  BarrierState &stateOf(uint32_t barrier);

  std::vector<View> views;
  llvm::DenseMap<uint32_t, BarrierState> barriers;
  View synchronized;
  /// A fiber touches little of a cluster's memory, so its reads come in chunks.
  static constexpr uint64_t kChunkBlocks = 512;
  struct Reads {
    std::vector<std::vector<ReadBlock>> chunks;
  };

  uint32_t ctas;
  std::vector<WrittenBlock> writes;
  /// For each fiber but for programs of one; times instead of epochs.
  std::vector<Reads> reads;
  std::array<uint32_t, kClocks> barrierTimes = {};
  uint32_t nextBarrierClock = kFibers;
  bool concurrent = false;
};

} // namespace gluonc::sim
