#include "sim/machine/ProgramPool.h"

namespace gluonc::sim {

ProgramPool::ProgramPool(uint64_t programs, std::optional<uint64_t> seed)
    : hasBegun(programs), left(programs), behindHighest(programs) {
  if (seed)
    random.emplace(*seed);
}

std::optional<uint64_t> ProgramPool::launch() {
  if (!left)
    return std::nullopt;
  while (hasBegun[lowest])
    ++lowest;
  begin(lowest);
  share = random ? (*random)() % (left + 1) : (left + 1) / 2;
  return lowest;
}

std::optional<uint64_t> ProgramPool::cancel() {
  if (!share)
    return std::nullopt;
  --share;
  while (hasBegun[behindHighest - 1])
    --behindHighest;
  uint64_t program = behindHighest - 1;
  // Of a random place the next one that has not begun; there is one, the highest.
  if (random)
    for (program = lowest + (*random)() % (behindHighest - lowest); hasBegun[program];)
      ++program;
  begin(program);
  return program;
}

} // namespace gluonc::sim
