//===- SharedMemory.h - The shared memory of one program -------------------===//
//
// Bytes, and for each byte what it holds and how many asynchronous operations are
// still to read it. Addresses come from linear layouts (SharedView.h), so swizzles,
// padding and reinterpretation act as they do in hardware.
//
// The state of a byte is itself a byte, so that eight are judged at once: the two
// low bits say what it holds, the others count readers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gluonc::sim {

class SharedMemory {
public:
  /// CopyPending: an asynchronous write was started and has not taken place.
  enum State : uint8_t { Unwritten, Written, CopyPending, Barrier };
  /// What readers of one byte count to at most; see Cta::limitReaders.
  static constexpr uint32_t kMaxReaders = 63;

  /// `beginsAsNan`: bytes that nobody has written may be read; floats of them are NaN.
  SharedMemory(uint32_t size, bool beginsAsNan)
      : bytes(size), states(size), fresh(beginsAsNan ? Written : Unwritten) {
    clear();
  }

  uint32_t size() const { return static_cast<uint32_t>(bytes.size()); }
  uint8_t *data() { return bytes.data(); }
  State state(uint64_t offset) const { return State(states[offset] & kStateMask); }
  bool isBeingRead(uint64_t offset) const { return states[offset] > kStateMask; }
  bool contains(uint64_t offset, uint64_t length) const {
    return offset <= bytes.size() && length <= bytes.size() - offset;
  }

  /// Offset within the range of its first byte that holds no value; `length` if there is none.
  uint32_t firstUnreadable(uint64_t offset, uint32_t length) const {
    return first(offset, length, 0x0303030303030303, 0x0101010101010101);
  }
  /// The same for bytes that an operation in flight, or a barrier, does not want written.
  uint32_t firstUnwritable(uint64_t offset, uint32_t length) const {
    return first(offset, length, 0xfefefefefefefefe, 0);
  }

  /// Bytes that nothing in flight touches hold values, or will.
  void set(uint64_t offset, uint32_t length, State value) {
    std::memset(states.data() + offset, value, length);
  }
  /// The same where something in flight may be reading already, behind what writes.
  void setUnderReaders(uint64_t offset, uint32_t length, State value) {
    // A pointer of its own, which what is stored cannot change, lets the host use vectors.
    uint8_t *state = states.data() + offset;
    for (uint32_t i = 0; i < length; ++i)
      state[i] = uint8_t((state[i] & ~kStateMask) | value);
  }
  void addReader(uint64_t offset, uint32_t length) {
    countReaders(offset, length, [](auto state, auto one) { return state + one; });
  }
  void removeReader(uint64_t offset, uint32_t length) {
    countReaders(offset, length, [](auto state, auto one) { return state - one; });
  }
  /// A buffer begins or ends its life: values in `[offset, offset + length)`, cut to what
  /// exists, are nobody's. What is in flight stays in flight; where memory begins as NaN, which is
  /// for a sanitizer, so do barriers that nobody has invalidated.
  void forget(uint64_t offset, uint64_t length) {
    const uint64_t end = std::min<uint64_t>(offset + length, states.size());
    if (fresh == Unwritten) {
      uint8_t *state = states.data();
      for (uint64_t i = offset; i < end; ++i)
        state[i] = (state[i] & kStateMask) == CopyPending ? state[i] : state[i] & ~kStateMask;
      return;
    }
    for (uint64_t i = offset; i < end; ++i)
      if (state(i) != CopyPending && state(i) != Barrier) {
        states[i] = uint8_t((states[i] & ~kStateMask) | fresh);
        bytes[i] = kNan;
      }
  }
  /// The 8 bytes of a barrier hold nothing.
  void endBarrier(uint64_t offset) {
    set(offset, 8, Unwritten);
    forget(offset, 8);
  }
  /// A new program.
  void clear() {
    std::fill(states.begin(), states.end(), fresh);
    if (fresh == Written)
      std::fill(bytes.begin(), bytes.end(), kNan);
  }

private:
  static constexpr uint8_t kStateMask = 3;
  static constexpr uint8_t kReader = 4;
  /// Of these every float is one.
  static constexpr uint8_t kNan = 0xff;

  /// Counts never overflow their bytes, so that eight may be counted at once.
  template <class Step> void countReaders(uint64_t offset, uint32_t length, Step &&step) {
    uint8_t *state = states.data() + offset;
    uint32_t i = 0;
    for (uint64_t eight; i + 8 <= length; i += 8) {
      std::memcpy(&eight, state + i, 8);
      eight = step(eight, uint64_t(kReader) * 0x0101010101010101);
      std::memcpy(state + i, &eight, 8);
    }
    for (; i < length; ++i)
      state[i] = uint8_t(step(state[i], kReader));
  }

  uint32_t first(uint64_t offset, uint32_t length, uint64_t mask, uint64_t expected) const {
    const uint8_t *state = states.data() + offset;
    uint32_t i = 0;
    // Blocks without a branch inside are what the host's vectors can judge.
    for (uint64_t block[16], wrong = 0; i + sizeof block <= length; i += sizeof block) {
      std::memcpy(block, state + i, sizeof block);
      for (uint64_t eight : block)
        wrong |= (eight & mask) ^ expected;
      if (wrong)
        break;
    }
    for (uint64_t eight; i + 8 <= length; i += 8) {
      std::memcpy(&eight, state + i, 8);
      if ((eight & mask) != expected)
        break;
    }
    while (i < length && (state[i] & uint8_t(mask)) == uint8_t(expected))
      ++i;
    return i;
  }

  std::vector<uint8_t> bytes;
  std::vector<uint8_t> states;
  State fresh;
};

} // namespace gluonc::sim
