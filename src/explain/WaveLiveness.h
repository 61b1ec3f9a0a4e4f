//===- WaveLiveness.h - How many registers of a lane hold what is still needed ------===//
//
// Of AMD's machine code, whose vector registers the compiler has given out: how many are live
// before each instruction, on the paths that waves have taken. What lanes that do not take part
// keep in a register counts as overwritten with it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Instruction.h"
#include "explain/Liveness.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <bitset>
#include <map>
#include <optional>
#include <set>

namespace gluonc::explain {

/// 256 VGPR and as many AccVGPR behind them; up to 1024 VGPR of gfx1250.
using VectorRegisters = std::bitset<4 * amdgcn::accumulatorRow>;

/// What an instruction reads and writes of them.
struct VectorUses {
  VectorRegisters read, written;
};
VectorUses vectorUsesOf(const amdgcn::Instruction &instruction);

class WaveLiveness {
public:
  /// A wave executed the instruction at `address`, and before it the one at `before`, if any.
  void executed(uint64_t address, const amdgcn::Instruction &instruction,
                std::optional<uint64_t> before);

  /// Registers before each instruction, by address, and where most are live: what is in them was
  /// written by the nearest instruction above, to which `placeOf` gives a place.
  struct Result {
    std::map<uint64_t, unsigned> counts;
    MostLive most;
  };
  Result find(llvm::function_ref<ptx::SourcePlace(uint64_t)> placeOf) const;

private:
  struct Node {
    VectorUses uses;
    std::set<uint64_t> next;
  };
  std::map<uint64_t, Node> nodes;
  /// Pairs of instructions that are among `next`.
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> known;
};

} // namespace gluonc::explain
