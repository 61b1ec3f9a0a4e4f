#include "tune/Rules.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace gluonc::tune {

namespace {

/// Samples by their places in a list.
using Set = uint64_t;

/// Values of one variable between two that were measured, and the samples that lie there.
struct Interval {
  std::vector<Bound> bounds;
  Set samples = 0;
};

class Finder {
public:
  Finder(llvm::ArrayRef<Sample> given, double within) {
    // Of the same variables, the sum of logarithms: each counts by its part.
    std::map<std::vector<int64_t>, std::vector<double>> merged;
    for (const Sample &sample : given) {
      std::vector<double> &sums = merged[sample.at];
      sums.resize(sample.times.size());
      for (auto [sum, time] : llvm::zip(sums, sample.times))
        sum += std::log(time);
    }
    for (auto &[at, sums] : merged)
      samples.push_back({at, std::move(sums)});
    good.resize(samples.front().times.size());
    for (auto [i, sample] : llvm::enumerate(samples)) {
      double best = *llvm::min_element(sample.times);
      isPossible &= std::isfinite(best);
      for (auto [candidate, time] : llvm::enumerate(sample.times))
        if (time <= best + std::log1p(within))
          good[candidate] |= Set(1) << i;
    }
    for (size_t variable = 0; variable != samples.front().at.size(); ++variable)
      addIntervals(variable);
  }

  std::vector<Rule> find() {
    std::vector<Rule> rules;
    Set rest = samples.size() == 64 ? ~Set(0) : (Set(1) << samples.size()) - 1;
    while (isPossible && rest) {
      best = {};
      left = rest;
      visit(0, ~Set(0), {});
      rules.push_back(best.rule);
      rest &= ~best.decides;
    }
    return rules;
  }

private:
  void addIntervals(size_t variable) {
    std::vector<int64_t> values;
    for (const Sample &sample : samples)
      values.push_back(sample.at[variable]);
    llvm::sort(values);
    values.erase(llvm::unique(values), values.end());
    std::vector<Interval> &list = intervals.emplace_back();
    for (size_t first = 0; first != values.size(); ++first)
      for (size_t last = first; last != values.size(); ++last) {
        Interval &interval = list.emplace_back();
        if (first)
          interval.bounds.push_back({variable, true, values[first]});
        if (last + 1 != values.size())
          interval.bounds.push_back({variable, false, values[last + 1]});
        for (auto [i, sample] : llvm::enumerate(samples))
          if (sample.at[variable] >= values[first] && sample.at[variable] <= values[last])
            interval.samples |= Set(1) << i;
      }
  }

  /// Tries all boxes of the intervals of the variables from `variable` on.
  void visit(size_t variable, Set inside, std::vector<Bound> bounds) {
    if (!(inside & left))
      return;
    if (variable == intervals.size())
      return consider(inside & left, bounds);
    for (const Interval &interval : intervals[variable]) {
      std::vector<Bound> more = bounds;
      llvm::append_range(more, interval.bounds);
      visit(variable + 1, inside & interval.samples, std::move(more));
    }
  }

  void consider(Set decided, const std::vector<Bound> &bounds) {
    for (auto [candidate, set] : llvm::enumerate(good)) {
      if (decided & ~set)
        continue;
      double time = 0;
      for (auto [i, sample] : llvm::enumerate(samples))
        if (decided >> i & 1)
          time += sample.times[candidate];
      auto rank = [](int count, size_t bounds, double time) {
        return std::make_tuple(-count, bounds, time);
      };
      if (best.decides && rank(std::popcount(best.decides), best.rule.bounds.size(), best.time) <=
                              rank(std::popcount(decided), bounds.size(), time))
        continue;
      best = {{candidate, bounds}, decided, time};
    }
  }

  std::vector<Sample> samples;
  /// Of each candidate, the samples that it is good for.
  std::vector<Set> good;
  bool isPossible = true;
  /// By variable.
  std::vector<std::vector<Interval>> intervals;

  struct Best {
    Rule rule;
    Set decides = 0;
    double time = 0;
  } best;
  Set left = 0;
};

} // namespace

size_t boxesOf(llvm::ArrayRef<Sample> samples) {
  size_t boxes = 1;
  for (size_t variable = 0; variable != samples.front().at.size(); ++variable) {
    std::set<int64_t> values;
    for (const Sample &sample : samples)
      values.insert(sample.at[variable]);
    boxes = std::min(boxes * (values.size() * (values.size() + 1) / 2), mostBoxes + 1);
  }
  return boxes;
}

std::vector<Rule> findRules(llvm::ArrayRef<Sample> samples, double within) {
  if (samples.empty() || samples.size() > mostLaunches || samples.front().times.empty() ||
      boxesOf(samples) > mostBoxes)
    return {};
  return Finder(samples, within).find();
}

} // namespace gluonc::tune
