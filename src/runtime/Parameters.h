//===- Parameters.h - A kernel's parameters as drivers take them -------------===//
//
// Drivers take one pointer per parameter: to a caller's slot, or to the bytes whose
// address the slot holds. Two hidden ones end every kernel's list: memory for all
// CTAs of the launch, and memory of profilers. On AMD the driver adds the hidden
// arguments of the code object itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace gluonc::runtime {

class Parameters {
public:
  static constexpr unsigned hidden = 2;
  /// Pointers that a launch keeps on its stack.
  static constexpr unsigned inlinePointers = 64;
  static constexpr uint64_t noScratch = 0;

  Parameters() = default;
  Parameters(unsigned visible, llvm::SmallVector<unsigned, 0> byAddress, uint64_t profileAddress)
      : count(visible), byAddress(std::move(byAddress)), profileAddress(profileAddress) {}

  /// The hidden ones not counted.
  unsigned visible() const { return count; }
  unsigned all() const { return count + hidden; }
  /// Writes `all()` pointers.
  void point(void **pointers, const uint64_t *slots, const uint64_t *scratchAddress) const {
    for (unsigned i = 0; i != count; ++i)
      pointers[i] = const_cast<uint64_t *>(slots + i);
    for (unsigned i : byAddress)
      pointers[i] = reinterpret_cast<void *>(slots[i]);
    pointers[count] = const_cast<uint64_t *>(scratchAddress);
    pointers[count + 1] = const_cast<uint64_t *>(&profileAddress);
  }

private:
  unsigned count = 0;
  llvm::SmallVector<unsigned, 0> byAddress;
  uint64_t profileAddress = 0;
};

} // namespace gluonc::runtime
