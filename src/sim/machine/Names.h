//===- Names.h - What faults call things ------------------------------------===//
//
// The machine counts bytes and instructions. Reports speak of what the source has names
// for: buffers and which of a ring, partitions, what loops count. The front end leaves
// names in the locations of allocations, loops and the ends of partitions
// (ir/SourceLocation.h), lowering keeps them, and they are looked up once there is a
// fault. IR without names gets numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Faults.h"
#include "sim/machine/Program.h"

namespace gluonc::sim {

class Cta;

/// What loops around an instruction count at some time, innermost first, of very many the inner
/// ones.
struct LoopValues {
  static constexpr size_t kMost = 4;
  std::array<int64_t, kMost> values;
  uint8_t count = 0;
};
/// In a CTA of the cluster, now.
LoopValues loopValues(Cta &cta, uint32_t rank, uint32_t place);
Counts countsOf(const Program &program, uint32_t place, const LoopValues &values);

/// What partitions do, as far as reports tell.
enum class Doing : uint8_t { Waits, Arrives, Loads, Stores, Multiplies, Reads, Writes };

struct StepRecord {
  uint32_t place = 0;
  Doing doing = Doing::Waits;
  /// Of the barrier, that ended or was current; of a buffer 0.
  bool phase = false;
  /// Where the barrier or the buffer is.
  uint64_t offset = 0;
  LoopValues counts;
};

/// The last things that a partition did, as many as there is room for.
class Steps {
public:
  void add(const StepRecord &step) { records[count++ % records.size()] = step; }
  /// Latest first.
  template <class Visit> void forEach(Visit &&visit) const {
    for (uint64_t i = count; i-- > 0 && count - i <= records.size();)
      visit(records[i % records.size()]);
  }

private:
  std::array<StepRecord, 4> records;
  uint64_t count = 0;
};

} // namespace gluonc::sim
