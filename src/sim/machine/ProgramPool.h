//===- ProgramPool.h - Programs that have not begun ---------------------------===//
//
// A program may ask for the work of another that has not begun (cluster launch
// control): that one is never launched then. So every program's work is done once, by
// itself or by who got it.
//
// Programs are launched one after the other, the lowest first, and give away the
// highest. A program gets half of those that have not begun when it is launched, and
// is refused more: on a GPU others ask, too, and a GPU refuses while there is work if
// it is wanted for another kernel. With a seed both are random.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace gluonc::sim {

class ProgramPool {
public:
  ProgramPool(uint64_t programs, std::optional<uint64_t> seed);

  /// The next one to run.
  std::optional<uint64_t> launch();
  /// One for the program that was launched last; nullopt: it is refused.
  std::optional<uint64_t> cancel();

private:
  void begin(uint64_t program) {
    hasBegun[program] = true;
    --left;
  }

  std::vector<bool> hasBegun;
  /// How many have not, and how many of them the program in hand may still get.
  uint64_t left, share = 0;
  uint64_t lowest = 0, behindHighest;
  std::optional<std::mt19937_64> random;
};

} // namespace gluonc::sim
