//===- Prediction.h - How long a launch takes, and what limits it -----------------===//
#pragma once

#include "model/Replay.h"

namespace gluonc::model {

/// Programs that are executed for a prediction, where nobody says how many.
inline constexpr unsigned sampledClusters = 4;

/// A launch as the model sees it.
struct Launch {
  uint64_t clusters = 1;
  unsigned ctasPerCluster = 1;
  /// CTAs that a multiprocessor holds at a time.
  unsigned residentCtas = 1;
  /// Of a CTA.
  uint32_t sharedBytes = 0;
  /// Of all tensors that the kernel is given, each byte once; 0 where nobody knows.
  uint64_t tensorBytes = 0;
};

struct Prediction {
  const Speeds *chip = nullptr;
  double microseconds = 0;
  /// Of a multiprocessor, without what a launch takes.
  double cycles = 0;
  double megahertz = 0;
  /// Clusters that the busiest multiprocessor executes, and at a time.
  uint64_t onBusiest = 0, resident = 0;
  /// Clusters that were executed, of how many.
  uint64_t sampled = 0, clusters = 0;
  /// Part of the time in which a unit is at work, by Unit, and of their time that warps spend on
  /// what, by Spent.
  std::array<double, unitCount> busy = {};
  std::array<double, spentCount> spent = {};

  Unit busiest() const;
  Spent mostSpent() const;
  /// Whether a unit is at work nearly always: then it is the limit, else what warps wait for is.
  bool isLimitedByUnit() const;
  /// "tensor cores", "waits for copies"; a constant.
  llvm::StringRef limit() const;
};

struct Predicted {
  Prediction prediction;
  /// Of the clusters that the timeline shows.
  std::vector<Span> spans;
};

/// `recorded` clusters are in the timeline.
Predicted predict(const Trace &trace, const Speeds &chip, const Launch &launch,
                  unsigned recorded = 0);

} // namespace gluonc::model
