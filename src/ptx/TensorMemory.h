//===- TensorMemory.h - 128 lanes of 512 words, and whose they are -----------===//
//
// PTX ISA 9.7.16.1 and 9.7.16.7. Every CTA has its own; nobody else's takes columns
// away, so an allocation that does not find any will not find any later.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

#include <array>
#include <optional>

namespace gluonc::ptx {

class TensorMemory {
public:
  static constexpr unsigned lanes = 128, columns = 512, granule = 32;

  /// The first of so many columns that are the kernel's from now on; none if there are not as many.
  std::optional<unsigned> allocate(unsigned count, const Instruction &by);
  /// False if this is not what was allocated.
  bool deallocate(unsigned first, unsigned count);
  /// An allocation that is left; null if there is none.
  const Instruction *notGivenBack() const;
  bool isAllocated(unsigned column) const {
    return column < columns && owners[column / granule] != nullptr;
  }

  /// What a lane has in a column that is allocated; null as long as nothing has written it.
  const uint32_t *find(unsigned lane, unsigned column) const {
    size_t at = size_t(lane) * columns + column;
    return isWritten[at] ? &words[at] : nullptr;
  }
  void write(unsigned lane, unsigned column, uint32_t word) {
    size_t at = size_t(lane) * columns + column;
    words[at] = word;
    isWritten[at] = true;
  }

  /// Columns of the latest allocation; the next one may not be larger.
  unsigned latest = columns;
  /// False once the kernel has given up the right to allocate.
  bool mayAllocate = true;
  /// An allocation for two CTAs that waits for the other one: how many columns, and where their
  /// address goes; 0 for a deallocation.
  struct Request {
    bool isPending = false;
    unsigned columns = 0;
    uint32_t address = 0;
    const Instruction *by = nullptr;
  } request = {};

private:
  struct Allocation {
    unsigned first, count;
    const Instruction *by;
  };
  std::vector<Allocation> allocations;
  std::array<const Instruction *, columns / granule> owners = {};
  std::vector<uint32_t> words = std::vector<uint32_t>(size_t(lanes) * columns);
  std::vector<uint8_t> isWritten = std::vector<uint8_t>(size_t(lanes) * columns);
};

} // namespace gluonc::ptx
