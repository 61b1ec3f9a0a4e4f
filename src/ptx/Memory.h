//===- Memory.h - What loads, stores, atomics and copies share ------------------===//
#pragma once

#include "ptx/Handlers.h"

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

/// Of TensorCopies.cpp: cp.async.bulk…, cp.async.mbarrier…, cp.reduce…, st.async and st.bulk.
Handler chooseBulkCopy(const Instruction &instruction);
Handler chooseAsyncStore(const Instruction &instruction);

} // namespace gluonc::ptx
