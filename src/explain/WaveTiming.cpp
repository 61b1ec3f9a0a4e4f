#include "explain/WaveTiming.h"

#include "explain/WaveCounter.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace gluonc::explain {

/// SIMDs of a compute unit, and cycles of one for an instruction of a wave of 64 lanes: a quarter
/// of the lanes at a time, transcendental functions at a quarter of that rate.
static constexpr unsigned simds = 4, cyclesOfVector = 4, cyclesOfSpecial = 16;

Timing leastTimeOf(const Counts &counts, const target::amd::Speeds &speeds, uint64_t workgroups,
                   unsigned waves) {
  const uint64_t onBusiest = (workgroups + speeds.computeUnits - 1) / speeds.computeUnits;
  const double share = double(onBusiest) / double(std::max<uint64_t>(workgroups, 1));
  const double used = double(std::min<uint64_t>(simds, std::max<uint64_t>(onBusiest * waves, 1)));
  double vector = 0, scalar = 0, matrix = 0, lds = 0, cache = 0;
  for (const InstructionCount &count : counts.instructions) {
    const auto times = double(count.warps);
    switch (count.pipe) {
    case Pipe::Tensor:
      if (unsigned rate = target::amd::matrixRateOf(speeds, count.text))
        matrix += double(count.flops) / rate * (simds / used);
      break;
    case Pipe::Special:
      vector += times * cyclesOfSpecial / used;
      break;
    case Pipe::Float:
    case Pipe::Integer:
    case Pipe::Move:
      vector += times * cyclesOfVector / used;
      break;
    case Pipe::Scalar:
      scalar += times;
      break;
    default:
      break;
    }
    lds += double(count.shared.wavefronts);
    cache += double(count.global.sectors) * cacheLineBytes / speeds.vectorCacheBytes;
  }
  const double hertz = speeds.megahertz * 1e6;
  const double memory =
      double(counts.memoryLines) * cacheLineBytes / (speeds.bytesOfSecond / hertz);
  Timing timing;
  timing.busy = {{"vector units", vector * share}, {"scalar unit", scalar * share},
                 {"matrix cores", matrix * share}, {"LDS", lds * share},
                 {"vector cache", cache * share},  {"memory", memory}};
  llvm::sort(timing.busy, [](const auto &a, const auto &b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  });
  timing.chip = speeds.name;
  timing.isBound = true;
  timing.megahertz = speeds.megahertz;
  timing.clusters = onBusiest;
  timing.sampled = workgroups;
  timing.cycles = timing.busy.front().second;
  timing.microseconds = timing.cycles / speeds.megahertz;
  timing.limit = timing.busy.front().first;
  for (auto &[name, cycles] : timing.busy)
    cycles = timing.cycles > 0 ? cycles / timing.cycles : 0;
  return timing;
}

} // namespace gluonc::explain
