//===- Races.h - Whether waves meet between accesses to LDS ----------------------===//
//
// Waves of a workgroup have turns, so that a missing barrier would often do no harm
// here. For each byte of LDS this notes who wrote it last and who has read it since,
// and for each wave what it can be sure has ended: its own accesses that it has
// waited for, and what others knew when it met them at a barrier of any kind.
// Reading what was written, and writing over what was read, needs that knowledge.
//
// A wave's instructions on LDS end in order, and so do its transfers between memory
// and LDS of each kind; but a transfer and an instruction do not, not even of one wave.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace gluonc::amdgcn {

struct Wave;
struct Workgroup;

/// What ends in order: instructions on LDS, direct loads of gfx9, asynchronous copies, and what
/// the tensor data mover does.
enum class Queue : uint8_t { Lds, Load, Async, Tensor };
inline constexpr unsigned queueKinds = 4;

/// How many accesses of a wave, by queue.
struct AccessCounts {
  std::array<uint32_t, queueKinds> count = {};
  uint32_t &operator[](Queue queue) { return count[static_cast<unsigned>(queue)]; }
  uint32_t operator[](Queue queue) const { return count[static_cast<unsigned>(queue)]; }
};

/// The accesses that are sure to have ended, of each wave of a cluster.
class Knowledge {
public:
  AccessCounts &of(unsigned wave) {
    if (wave >= waves.size())
      waves.resize(wave + 1);
    return waves[wave];
  }
  uint32_t ended(unsigned wave, Queue queue) const {
    return wave < waves.size() ? waves[wave][queue] : 0;
  }
  void merge(const Knowledge &other);

private:
  std::vector<AccessCounts> waves;
};

/// Where waves meet: who arrives leaves what it knows; once all have, they take it with them.
struct Meeting {
  Knowledge gathered, released;
  void complete() {
    released.merge(gathered);
    gathered = {};
  }
};

/// A transfer writes LDS. Repeat is a write of what is there already: waves that hold the same
/// elements may all write them. Loops around compare-and-swap begin with a plain read, which may
/// come too early. Arrive is of a barrier in LDS, which others read all the time.
enum class SharedUse : uint8_t { Read, Write, Repeat, Atomic, CompareSwap, Transfer, Arrive };

/// Of a wave: its number in the cluster, its accesses to LDS, and what it knows of others'.
struct SharedOrder {
  unsigned place = 0;
  AccessCounts issued;
  Knowledge known;

  uint32_t ended(Queue queue) const { return known.ended(place, queue); }
  void end(Queue queue, uint32_t number) {
    uint32_t &last = known.of(place)[queue];
    last = number > last ? number : last;
  }
};

class SharedShadow {
public:
  /// Null, or what is wrong with an access to a byte by the wave's next instruction of a queue.
  const char *check(const Workgroup &workgroup, const Wave &wave, uint32_t byte, SharedUse use,
                    Queue queue);
  /// Whether a barrier in LDS has had arrivals here.
  bool isBarrier(uint32_t byte) const { return bytes && bytes[byte].isBarrier; }

private:
  /// Stands for none where `use` is Read.
  struct Access {
    uint32_t number;
    uint16_t wave;
    Queue queue;
    SharedUse use;
  };
  struct Byte {
    /// Atomics leave what they change for others to wait for.
    Access plain, atomic;
    /// Waves that have written the same, and those that have read since.
    uint32_t writers, readers;
    bool isBarrier;
  };
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  const char *checkRead(const Workgroup &workgroup, const Wave &wave, uint32_t at, Queue queue);
  const char *checkReaders(const Workgroup &workgroup, const Wave &wave, uint32_t at, Queue queue);
  const char *checkWrite(const Workgroup &workgroup, const Wave &wave, uint32_t at, SharedUse use,
                         Queue queue);
  static bool isOver(const Wave &wave, Access access, Queue queue);
  static bool isVisible(const Wave &wave, const Byte &byte, Queue queue);
  static bool isUnderWay(const Workgroup &workgroup, Access access);
  Access readOf(const Workgroup &workgroup, uint32_t at, unsigned wave) const;

  /// Zeros to begin with; pages that no wave touches cost nothing.
  std::unique_ptr<Byte[], Free> bytes;
  /// Of each byte, each wave's last read, its queue in the two upper bits.
  std::unique_ptr<uint32_t[], Free> reads;
};

} // namespace gluonc::amdgcn
