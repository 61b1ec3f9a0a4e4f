//===- Recorder.h - Traces of a few clusters of a launch ----------------------===//
#pragma once

#include "model/Trace.h"

#include <map>

namespace gluonc::model {

/// The numbers of at most `count` clusters of a grid, x fastest, spread evenly over it and over its
/// first dim: work often depends on the latter.
std::vector<uint64_t> sampleOf(const std::array<uint32_t, 3> &grid, unsigned count);

class Recorder : public ptx::Observer {
public:
  struct Launch {
    /// In CTAs.
    std::array<uint32_t, 3> grid = {1, 1, 1};
    unsigned warps = 4, ctasPerCluster = 1;
  };
  /// Keeps what the clusters of the sample execute.
  Recorder(const Speeds &chip, const Launch &launch, std::vector<uint64_t> sample,
           size_t mostBytes = mostTraceBytes);

  /// On a GPU a line of memory begins here: those of hosts allocate less aligned.
  void setOrigin(uint64_t address) { shift = address % lineBytes; }

  void begin(const ptx::Function &kernel, const ptx::Module &module) override;
  void executed(const ptx::Observed &what) override;

  Trace take();

private:
  /// The cluster's trace; null if it is not of the sample.
  ClusterTrace *clusterOf(const std::array<uint32_t, 3> &cta);
  Detail describe(const ptx::Observed &what, const Work &work, CtaTrace &cta);
  void addSectors(llvm::ArrayRef<ptx::Touch> touches, Detail &detail, CtaTrace &cta);

  static constexpr uint64_t lineBytes = 128;
  /// What addresses are too high by.
  uint64_t shift = 0;
  const Speeds &chip;
  Launch launch;
  std::map<uint64_t, ClusterTrace> clusters;
  Trace trace;
  /// Those of the cluster that runs.
  uint64_t current = ~uint64_t(0);
  ClusterTrace *currentTrace = nullptr;
  uint64_t loads = 0;
  /// That the trace takes, and may take.
  size_t bytes = 0, mostBytes;
};

} // namespace gluonc::model
