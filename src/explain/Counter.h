//===- Counter.h - Counts of a launch, for each instruction --------------------===//
//
// An observer of the executor of PTX: what each instruction of the kernel cost, with
// the place in the source that it comes from.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "explain/Liveness.h"
#include "explain/Memory.h"
#include "explain/Pipes.h"
#include "explain/RecentLoads.h"
#include "ptx/Observer.h"

#include <optional>

namespace gluonc::explain {

struct GlobalCount {
  /// Warps that asked for at least one byte.
  uint64_t requests = 0;
  uint64_t sectors = 0, idealSectors = 0, usedBytes = 0;
  /// Loads of what the same lanes have loaded before (RecentLoads.h), and by which instruction, if
  /// not by the same.
  uint64_t repeats = 0;
  std::optional<ptx::SourcePlace> earlier;
  /// Runs of neighbouring bytes in the requests, and requests of which most runs begin within a
  /// sector though they are long enough to fill some.
  uint64_t pieces = 0, misaligned = 0;
  unsigned bytesOfLane = 0;
  /// From lane to lane, in the first request of several lanes that has such a distance.
  std::optional<int64_t> stride;

  GlobalCount() = default;
  /// One request, by sectors of `unit` bytes.
  GlobalCount(const SectorCount &counted, unsigned bytesOfLane, unsigned unit = sectorBytes);

  GlobalCount &operator+=(const GlobalCount &other);
};

struct SharedCount {
  uint64_t requests = 0, wavefronts = 0, ideal = 0;
  unsigned bytesOfLane = 0;

  SharedCount &operator+=(const SharedCount &other);
};

struct InstructionCount {
  /// "ld.global.v4.b32".
  std::string text;
  ptx::SourcePlace source;
  /// The innermost call that it was inlined by: a number in Counts::calls; 0: by none.
  unsigned call = 0;
  Pipe pipe = Pipe::Move;
  /// Reads memory, writes it; both for atomic updates.
  bool loads = false, stores = false;
  /// Executions by warps, and by their lanes.
  uint64_t warps = 0, threads = 0;
  uint64_t flops = 0, boxBytes = 0;
  /// Registers that are live before it (Liveness.h).
  unsigned liveRegisters = 0;
  GlobalCount global;
  SharedCount shared;
};

struct Counts {
  /// By the numbers in places.
  std::vector<std::string> files;
  /// Calls that were inlined; the first one is none.
  std::vector<ptx::InlinedCall> calls = std::vector<ptx::InlinedCall>(1);
  /// In the order of the code; those that were executed.
  std::vector<InstructionCount> instructions;
  MostLive mostLive;
  /// AMD: different cache lines of global memory.
  uint64_t memoryLines = 0;
};

class Counter : public ptx::Observer {
public:
  void begin(const ptx::Function &kernel, const ptx::Module &module) override;
  void executed(const ptx::Observed &what) override;

  Counts take();

private:
  void countGlobal(const ptx::Observed &what, InstructionCount &count);

  Counts counts;
  /// Flops of one execution, whether an instruction's repeats are counted, and whether the copy
  /// engine executes it.
  std::vector<uint64_t> flops;
  std::vector<bool> mayRepeat, byCopyEngine;
  RecentLoads recent;
};

} // namespace gluonc::explain
