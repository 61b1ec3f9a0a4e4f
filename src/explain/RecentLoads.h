//===- RecentLoads.h - What warps have loaded and could have kept ---------------===//
//
// Copies of a loop that is written out, and lines that load the same, are different
// instructions. So loads are compared by their addresses, for as long as registers
// could have kept what came.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Observer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>
#include <optional>

namespace gluonc::explain {

class RecentLoads {
public:
  using Cta = std::array<uint32_t, 3>;

  /// The instruction by which the same lanes of this warp loaded the same addresses before, unless
  /// its CTA has written there since: this one the last time, or any one so lately that registers
  /// could hold it.
  std::optional<uint64_t> load(const Cta &cta, unsigned warp, uint64_t instruction,
                               llvm::ArrayRef<ptx::Touch> touches);
  void store(const Cta &cta, llvm::ArrayRef<ptx::Touch> touches);

private:
  struct Load {
    uint64_t hash = 0, instruction = 0;
    /// All addresses lie in between.
    uint64_t begin = 0, end = 0;
    unsigned bytesOfLane = 0;
  };
  struct Warp {
    /// The latest one last.
    llvm::SmallVector<Load, 0> loads;
    /// By instruction.
    std::map<uint64_t, Load> lastOf;
  };
  static Load describe(uint64_t instruction, llvm::ArrayRef<ptx::Touch> touches);

  std::map<Cta, std::map<unsigned, Warp>> warps;
};

} // namespace gluonc::explain
