//===- Sharing.h - How many clusters load the same at the same time -----------------===//
//
// From the first instructions of clusters that run together. What several of them load,
// memory gives once, and the second-level cache faster, above all to neighbours: those far
// apart in the order of their launch, as CTAs of different columns of tiles, wait for
// different partners and come, we take it, at different times.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Trace.h"

#include "llvm/ADT/DenseMap.h"

namespace gluonc::model {

/// Instructions of each warp that are looked at: addresses of loops are those of their first
/// rounds.
inline constexpr uint64_t sharingSteps = 1000;
/// Clusters that are looked at, at most.
inline constexpr uint64_t mostSharing = 264;

/// Clusters whose numbers differ by more are far apart.
inline constexpr uint32_t nearby = 16;

/// The numbers of clusters that run together, in the middle of a grid of so many, of which
/// `together` do.
std::vector<uint64_t> waveOf(uint64_t clusters, uint64_t together);

class Sharing : public ptx::Observer {
public:
  explicit Sharing(unsigned ctasPerCluster) : ctasPerCluster(ctasPerCluster) {}

  void begin(const ptx::Function &kernel, const ptx::Module &module) override;
  void executed(const ptx::Observed &what) override;

  /// By instruction; 1 where nothing was loaded.
  std::vector<Sharers> sharers() const;

private:
  void touch(size_t instruction, uint64_t address, unsigned bytes);

  struct Count {
    /// Sectors, those of groups of clusters near each other, and of clusters.
    uint64_t different = 0, groups = 0, all = 0;
  };
  unsigned ctasPerCluster;
  std::vector<Count> counts;
  /// The cluster that touched an instruction's sector last.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> last;
  std::array<uint32_t, 3> current = {};
  uint32_t number = 0;
};

} // namespace gluonc::model
