#include "Likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

/// The likeliest first; of equals the first token, which is what sampling chooses, too.
bool isLikelier(const Likely &left, const Likely &right) {
  return left.logProbability > right.logProbability ||
         (left.logProbability == right.logProbability && left.token < right.token);
}

} // namespace

void setLikely(Next &next, int wanted, std::span<const std::span<const LikelyRecord>> lists) {
  float largest = none, chosen = none;
  for (const std::span<const LikelyRecord> list : lists)
    for (const LikelyRecord &record : list) {
      largest = std::max(largest, record.largest);
      chosen = std::max(chosen, record.chosen);
    }
  double sum = 0;
  std::vector<Likely> all;
  for (const std::span<const LikelyRecord> list : lists)
    for (const LikelyRecord &record : list) {
      // A part may have no logit above -inf; its sum is NaN then.
      if (record.largest != none)
        sum += double(record.sum) * std::exp(double(record.largest) - double(largest));
      for (int i = 0; i < std::min(wanted, mostLikely); ++i)
        if (record.logits[i] != none)
          all.push_back({record.tokens[i], record.logits[i]});
    }
  const double whole = double(largest) + std::log(sum);
  auto logProbability = [&](float logit) { return float(std::min(double(logit) - whole, 0.0)); };
  next.logProbability = logProbability(chosen);
  const size_t kept = std::min(all.size(), size_t(std::max(wanted, 0)));
  std::ranges::partial_sort(all, all.begin() + long(kept), isLikelier);
  all.resize(kept);
  for (Likely &each : all)
    each.logProbability = logProbability(each.logProbability);
  next.likely = std::move(all);
}

} // namespace engine
