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
  Barrier(Step &step, uint64_t address, unsigned lane)
      : progress(step.machine.progress), touched(step.touched),
        address(static_cast<uint32_t>(address)) {
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
    tell(Signal::Kind::Begin, static_cast<int64_t>(count));
  }
  void arrive(uint64_t count) {
    tell(Signal::Kind::Arrive, static_cast<int64_t>(count));
    pending -= std::min(count, pending);
    settle();
  }
  /// Bytes are to come.
  void expect(int64_t count) {
    tell(Signal::Kind::Expect, count);
    bytes += count;
    settle();
  }
  /// Bytes came.
  void deliver(int64_t count) {
    tell(Signal::Kind::Deliver, count);
    bytes -= count;
    settle();
  }
  /// Whether the phase of this parity is over.
  bool isOver(uint64_t parity) const {
    bool over = phase != (parity & 1);
    tell(Signal::Kind::Ask, static_cast<int64_t>(parity & 1), over);
    return over;
  }

private:
  void tell(Signal::Kind kind, int64_t count, bool over = false) const {
    if (touched)
      touched->signals.push_back({kind, address, count, over});
  }
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
  Touched *touched;
  uint64_t address;
  uint8_t *place;
  uint64_t pending = 0, expected = 0, phase = 0;
  int64_t bytes = 0;
};

} // namespace gluonc::ptx
