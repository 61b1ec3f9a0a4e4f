//===- Tune.h - The candidates of a kernel, measured ----------------------------===//
//
//   [kernel.tune] ─▶ candidates × launches ─▶ compiled side by side ─▶ results compared
//                 ─▶ times, candidates in turns ─▶ rules (Rules.h) ─▶ [[kernel.variant]] (Write.h)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tune/Candidates.h"
#include "tune/Device.h"
#include "tune/Rules.h"

namespace gluonc::tune {

struct Tuner {
  pack::Builder builder;
  Device &device;
  /// Of which the time is the median. One is enough for a model.
  unsigned rounds = 5;
  /// Told what goes on: "copy: launch 1 of 3".
  std::function<void(const std::string &)> progress = {};
};

struct Tuned {
  const pack::KernelEntry *entry = nullptr;
  std::vector<Candidate> candidates;
  /// What rules depend on: "n", "a.shape[0]".
  std::vector<std::string> variables;
  /// In the order of the manifest; microseconds.
  std::vector<Sample> launches;
  std::vector<Rule> rules;
  /// Candidates that did not compile, and why, once each.
  std::vector<std::pair<size_t, std::string>> leftOut;
};

/// Nullopt after a report: something is wrong with the manifest, no candidate compiles, or two give
/// different results.
std::optional<Tuned> tune(const pack::KernelEntry &entry, const Tuner &tuner,
                          diag::SourceManager &sources, diag::Sink &sink);

} // namespace gluonc::tune
