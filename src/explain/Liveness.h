//===- Liveness.h - How many registers hold what is still needed ------------------===//
//
// Of PTX, whose registers are as many as there are values: how many of 32 bits are live
// before each instruction. ptxas gives registers to them, moves instructions and spills,
// so its number differs; where it is largest, registers are short.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

namespace gluonc::explain {

/// Registers before each instruction: one for up to 32 bits, two for 64, none for predicates.
std::vector<unsigned> liveRegisters(const ptx::Function &kernel);

/// Where most registers are live.
struct MostLive {
  unsigned registers = 0;
  ptx::SourcePlace place;
  /// How many of them hold what was computed at each place, most first.
  std::vector<std::pair<ptx::SourcePlace, unsigned>> values;
};
MostLive mostLive(const ptx::Function &kernel);

} // namespace gluonc::explain
