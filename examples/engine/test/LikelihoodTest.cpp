#include "Likelihood.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace engine;

namespace {

/// Places of the logits, the largest's first; of equals the first.
std::vector<int> orderOf(std::span<const float> logits) {
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int left, int right) {
    const float a = logits[size_t(left)], b = logits[size_t(right)];
    return a > b || (a == b && left < right);
  });
  return order;
}

/// What the kernel says of a part of logits; tokens from `first` on.
LikelyRecord record(std::span<const float> logits, int first, int chosen) {
  LikelyRecord made = {};
  constexpr float none = -std::numeric_limits<float>::infinity();
  made.largest = *std::ranges::max_element(logits);
  for (const float logit : logits)
    made.sum += std::exp(logit - made.largest);
  const bool isHere = chosen >= first && size_t(chosen - first) < logits.size();
  made.chosen = isHere ? logits[size_t(chosen - first)] : none;
  const std::vector<int> order = orderOf(logits);
  for (size_t i = 0; i != size_t(mostLikely); ++i) {
    made.logits[i] = i < order.size() ? logits[size_t(order[i])] : none;
    made.tokens[i] = i < order.size() ? first + order[i] : first;
  }
  return made;
}

TEST(Likelihood, IsThatOfTheWholeRow) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 4);
  for (int count : {1, 7, 20, 100}) {
    std::vector<float> logits(static_cast<size_t>(count));
    for (float &logit : logits)
      logit = std::round(normal(random) * 4) / 4; // with equal ones
    double sum = 0;
    for (const float logit : logits)
      sum += std::exp(double(logit));
    const std::vector<int> order = orderOf(logits);
    for (size_t cut : {size_t(0), logits.size() / 3, logits.size() / 2})
      for (int wanted : {0, 1, 5, 20}) {
        Next next = {int(random() % unsigned(count))};
        const std::span<const float> all = logits;
        std::vector<LikelyRecord> first, second;
        if (cut)
          first.push_back(record(all.first(cut), 0, next.token));
        second.push_back(record(all.subspan(cut), int(cut), next.token));
        const std::span<const LikelyRecord> lists[] = {first, second};
        setLikely(next, wanted, lists);
        EXPECT_NEAR(next.logProbability, logits[size_t(next.token)] - std::log(sum), 1e-5);
        ASSERT_EQ(next.likely.size(), size_t(std::min(wanted, count)));
        for (size_t i = 0; i != next.likely.size(); ++i) {
          EXPECT_EQ(next.likely[i].token, order[i]);
          EXPECT_NEAR(next.likely[i].logProbability, logits[size_t(order[i])] - std::log(sum),
                      1e-5);
        }
      }
  }
}

TEST(Likelihood, PartsWithoutProbabilityCountNothing) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const float first[] = {none, none}, second[] = {1, 1};
  const LikelyRecord records[] = {record(first, 0, 3), record(second, 2, 3)};
  const std::span<const LikelyRecord> lists[] = {records};
  Next next = {3};
  setLikely(next, 4, lists);
  EXPECT_NEAR(next.logProbability, std::log(0.5), 1e-6);
  ASSERT_EQ(next.likely.size(), 2u);
  EXPECT_EQ(next.likely[0].token, 2);
  EXPECT_EQ(next.likely[1].token, 3);
}

} // namespace
