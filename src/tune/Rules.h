//===- Rules.h - Which candidate is for which launches -------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace gluonc::tune {

/// More are a mistake in a manifest; rules are found among all of them.
constexpr size_t mostLaunches = 64, mostVariables = 3;
/// Boxes of values that are looked at for a rule.
constexpr size_t mostBoxes = 1 << 22;

/// One launch: its variables, and what each candidate takes; infinite where it cannot.
struct Sample {
  std::vector<int64_t> at;
  std::vector<double> times;
};

/// `variable >= value`, or `variable < value`.
struct Bound {
  size_t variable = 0;
  bool isLower = true;
  int64_t value = 0;
  bool operator==(const Bound &) const = default;
};

struct Rule {
  size_t candidate = 0;
  /// All must hold.
  std::vector<Bound> bounds;
};

/// How many boxes there are of samples, at most mostBoxes + 1.
size_t boxesOf(llvm::ArrayRef<Sample> samples);

/// Rules of which the first that holds is taken; the last one always does. Each gives every sample
/// that it decides a candidate at most `within` slower than its best. Few rules with few bounds
/// come before the last percent. A value that was measured stands for those up to the next that
/// was. Samples of the same variables count as one. Empty where some sample has no candidate, and
/// where there are too many launches or boxes.
std::vector<Rule> findRules(llvm::ArrayRef<Sample> samples, double within);

} // namespace gluonc::tune
