//===- SharedMemory.h - The shared memory of one program -------------------===//
//
// Bytes, and for each byte whether it holds a value. Addresses come from linear
// layouts (Shared.h), so swizzles, padding and reinterpretation act as they do
// in hardware.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace gluonc::sim {

class SharedMemory {
public:
  enum State : uint8_t { Unwritten, Written, CopyPending };

  explicit SharedMemory(uint32_t size) : bytes(size), state(size, Unwritten) {}

  uint32_t size() const { return static_cast<uint32_t>(bytes.size()); }
  uint8_t *data() { return bytes.data(); }
  uint8_t *states() { return state.data(); }
  bool contains(uint64_t offset, uint64_t length) const {
    return offset <= bytes.size() && length <= bytes.size() - offset;
  }
  /// `[offset, offset + length)` cut to what exists becomes `value`.
  void mark(uint64_t offset, uint64_t length, State value) {
    for (uint64_t i = offset; i < offset + length && i < state.size(); ++i)
      state[i] = value;
  }

private:
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> state;
};

} // namespace gluonc::sim
