//===- Barrier.h - A barrier object in shared memory ---------------------------===//
//
// An mbarrier's 64 bits, in a form of our own: how many arrivals its phase still
// needs, how many a phase needs, the phase, and the bytes that are to come.
// PTX ISA 9.7.13.15.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Machine.h"

#include <algorithm>
#include <cstring>

namespace gluonc::ptx {

class Barrier {
public:
  Barrier(Step &step, uint64_t address, unsigned lane) : progress(step.machine.progress) {
    place = address % 8 ? nullptr : step.machine.shared(static_cast<uint32_t>(address), 8);
    if (!place) {
      step.fail(lane, "no mbarrier at 0x" + llvm::Twine::utohexstr(address));
      return;
    }
    uint64_t bits;
    std::memcpy(&bits, place, 8);
    pending = bits & 0xfffff;
    expected = bits >> 20 & 0xfffff;
    phase = bits >> 40 & 1;
    bytes = static_cast<int64_t>(bits) >> 41;
  }
  explicit operator bool() const { return place != nullptr; }

  void begin(uint64_t count) {
    pending = expected = count;
    phase = 0;
    bytes = 0;
    write();
  }
  void arrive(uint64_t count) {
    pending -= std::min(count, pending);
    settle();
  }
  /// Positive: bytes are to come. Negative: they came.
  void expect(int64_t count) {
    bytes += count;
    settle();
  }
  /// Whether the phase of this parity is over.
  bool isOver(uint64_t parity) const { return phase != (parity & 1); }

private:
  void settle() {
    if (!pending && !bytes) {
      phase ^= 1;
      pending = expected;
    }
    write();
  }
  void write() {
    uint64_t bits = pending | expected << 20 | phase << 40 | static_cast<uint64_t>(bytes) << 41;
    std::memcpy(place, &bits, 8);
    ++progress;
  }
  uint64_t &progress;
  uint8_t *place;
  uint64_t pending = 0, expected = 0, phase = 0;
  int64_t bytes = 0;
};

} // namespace gluonc::ptx
