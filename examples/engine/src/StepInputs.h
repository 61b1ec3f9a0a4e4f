//===- StepInputs.h - What a step's kernels read --------------------------------===//
#pragma once

#include "Forward.h"
#include "Model.h"

#include <cstring>

namespace engine {

/// A step's inputs in one piece of memory, the same on host and device: what each sequence has, its
/// pages last, and what each row has.
class StepInputs {
public:
  static Expected<StepInputs> create(Gpu &gpu, const Limits &limits);

  /// Where kernels find a step of `rows` rows.
  Inputs addresses(int rows) const;
  /// Fills in what a sequence has, and its rows from `firstRow` on; `rows` is of the whole step.
  void put(int sequence, const Work &work, int firstRow, int rows);
  /// A row, and a sequence, of none.
  void putNothing(int row, int rows);
  Expected<void> upload(Gpu &gpu, int sequences, int rows);

private:
  /// Seed, last row, length, temperature, top-p, top-k, how many likely tokens.
  static constexpr size_t bytesOfSequence = 8 + 6 * 4;

  template <class T> void write(size_t offset, size_t each, int index, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    std::memcpy(host.at(offset + each * static_cast<size_t>(index)), &value, sizeof value);
  }
  void putRow(int row, int rows, int token, int position, int slot);

  Limits limits;
  size_t tableAt = 0, rowsAt = 0;
  Memory host, device;
};

} // namespace engine
