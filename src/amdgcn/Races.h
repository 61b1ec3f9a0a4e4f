//===- Races.h - Whether a barrier lies between accesses to LDS ------------------===//
//
// Waves of a workgroup have turns, so that a missing barrier would often do no harm
// here. For each byte of LDS this notes who wrote it last and who has read it since.
// Reading what another wave wrote needs a barrier that the writer reached after its
// write had ended (LDS's counter says so), as writing something else does; writing over what others
// read one that they reached when their reads had.
//
// Waves that also meet in other ways (barriers in LDS, named ones) are not checked.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace gluonc::amdgcn {

struct Wave;
struct Workgroup;
struct Step;

/// A transfer is one from memory straight to LDS. Repeat is a write of what is there already: waves
/// that hold the same elements may all write them. Loops around compare-and-swap begin with a plain
/// read, which may come too early.
enum class SharedUse : uint8_t { Read, Write, Repeat, Atomic, CompareSwap, Transfer };

/// Of a wave: its accesses to LDS, and how many of them had ended at each barrier.
struct SharedOrder {
  uint32_t issued = 0, ended = 0, transfers = 0;
  struct Arrival {
    uint32_t ended, transfers;
  };
  std::vector<Arrival> arrivals;
  /// Barriers that this wave has come through.
  uint32_t passed = 0;
};

class SharedShadow {
public:
  /// Null, or what is wrong with an access to a byte.
  const char *check(const Workgroup &workgroup, const Wave &wave, uint32_t byte, SharedUse use);
  /// A transfer of the wave into a byte has ended.
  void endTransfer(const Wave &wave, uint32_t byte);
  /// From now on the waves meet in ways that are not followed.
  void giveUp() { isOff = true; }

private:
  /// Number `number` of a wave. Stands for none where a write's `use` is Read.
  struct Access {
    uint32_t number = 0;
    uint8_t wave = 0;
    SharedUse use = SharedUse::Read;
  };
  struct Byte {
    /// Atomics leave what they change for others to wait for.
    Access plain, atomic;
    /// Waves that have written the same.
    uint32_t writers = 0;
    /// The last read, and all waves that have read since the last write.
    Access read;
    uint32_t readers = 0;
    /// Barriers that the readers had reached.
    uint32_t readAt = 0;
  };
  const char *checkRead(const Workgroup &workgroup, const Wave &wave, Byte &byte);
  const char *checkWrite(const Workgroup &workgroup, const Wave &wave, Byte &byte, SharedUse use);
  static bool isOver(const Workgroup &workgroup, const Wave &wave, Access access);
  static bool isVisible(const Workgroup &workgroup, const Wave &wave, const Byte &byte);

  std::vector<Byte> bytes;
  bool isOff = false;
};

/// The wave reaches a barrier of its workgroup.
void arriveInOrder(Wave &wave);
/// It has come through.
void passInOrder(Wave &wave);

} // namespace gluonc::amdgcn
