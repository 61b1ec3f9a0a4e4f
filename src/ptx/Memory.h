//===- Memory.h - What loads, stores, atomics and copies share ------------------===//
#pragma once

#include "ptx/Handlers.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstring>

namespace gluonc::ptx {

enum class Space : uint8_t { Generic, Global, Shared, Local, Parameter };

/// Where bytes lie; null, after a fault, if they do not.
uint8_t *locate(Step &step, Space space, uint64_t address, unsigned bytes, unsigned lane);

inline uint64_t loadBits(const uint8_t *from, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
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
