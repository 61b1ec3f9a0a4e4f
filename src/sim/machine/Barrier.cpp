#include "sim/machine/Barrier.h"

#include <bit>

namespace gluonc::sim {

// From the lowest bit: phase, count, pending, bytes with their sign.
static constexpr unsigned kCountBits = std::bit_width(Barrier::kMaxCount);
static constexpr unsigned kBytesBits = 1 + std::bit_width(unsigned(Barrier::kMaxBytes));
static_assert(1 + 2 * kCountBits + kBytesBits <= 64);

Barrier Barrier::unpack(uint64_t word) {
  Barrier barrier;
  barrier.phase = word & 1;
  barrier.count = uint32_t(word >> 1) & kMaxCount;
  barrier.pending = uint32_t(word >> (1 + kCountBits)) & kMaxCount;
  uint32_t bytes = uint32_t(word >> (1 + 2 * kCountBits));
  barrier.bytes = int32_t(bytes << (32 - kBytesBits)) >> (32 - kBytesBits);
  return barrier;
}

uint64_t Barrier::pack() const {
  uint64_t bytesField = uint32_t(bytes) & ((1u << kBytesBits) - 1);
  return uint64_t(phase) | uint64_t(count) << 1 | uint64_t(pending) << (1 + kCountBits) |
         bytesField << (1 + 2 * kCountBits);
}

bool Barrier::arrive(uint32_t arrivals) {
  if (arrivals > pending)
    return false;
  pending -= arrivals;
  completeIfDone();
  return true;
}

bool Barrier::addBytes(int64_t delta) {
  int64_t sum = bytes + delta;
  if (sum > kMaxBytes || sum < -kMaxBytes)
    return false;
  bytes = int32_t(sum);
  completeIfDone();
  return true;
}

void Barrier::completeIfDone() {
  if (pending || bytes)
    return;
  phase = !phase;
  pending = count;
}

} // namespace gluonc::sim
