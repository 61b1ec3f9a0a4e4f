//===- Memory.h - What loads, stores, atomics and copies share ------------------===//
#pragma once

#include "ptx/Handlers.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstring>

namespace gluonc::ptx {

enum class Space : uint8_t { Generic, Global, Shared, Local, Parameter };

/// Where bytes lie; null, after a fault, if they do not.
uint8_t *locate(Step &step, Space space, uint64_t address, unsigned bytes, unsigned lane);

/// Numbers of 1, 2, 4 or 8 bytes; of others as many bytes.
inline uint64_t loadBits(const uint8_t *from, unsigned bytes) {
  auto load = [&]<typename Word>(Word word) -> uint64_t {
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  uint64_t value = 0;
  switch (bytes) {
  case 1:
    return load(uint8_t());
  case 2:
    return load(uint16_t());
  case 4:
    return load(uint32_t());
  case 8:
    return load(uint64_t());
  default:
    std::memcpy(&value, from, bytes);
    return value;
  }
}
inline void storeBits(uint8_t *to, uint64_t value, unsigned bytes) {
  switch (bytes) {
  case 1:
    *to = static_cast<uint8_t>(value);
    return;
  case 2:
    std::memcpy(to, &value, 2);
    return;
  case 4:
    std::memcpy(to, &value, 4);
    return;
  case 8:
    std::memcpy(to, &value, 8);
    return;
  default:
    std::memcpy(to, &value, bytes);
  }
}

/// "add", "cas" and the like among the modifiers; "" if there is none.
llvm::StringRef atomicOperation(const Instruction &instruction);
/// What an atomic operation leaves in memory. `second` is what cas puts there.
uint64_t updated(llvm::StringRef operation, Type type, uint64_t old, uint64_t operand,
                 uint64_t second);

/// Puts `next` of it in the place of a number of 1, 2, 4 or 8 bytes, in one step for all threads of
/// the host; gives what was there. `next` may be asked more than once.
uint64_t updateWord(uint8_t *place, unsigned bytes, llvm::function_ref<uint64_t(uint64_t)> next);

/// Of TensorCopies.cpp: cp.async.bulk…, cp.async.mbarrier…, cp.reduce…, st.async and st.bulk.
Handler chooseBulkCopy(const Instruction &instruction);
Handler chooseAsyncStore(const Instruction &instruction);

} // namespace gluonc::ptx
