#include "tune/Rules.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace gluonc::tune;

namespace {

bool holds(const Rule &rule, const std::vector<int64_t> &at) {
  for (const Bound &bound : rule.bounds)
    if (bound.isLower ? at[bound.variable] < bound.value : at[bound.variable] >= bound.value)
      return false;
  return true;
}

size_t chosen(const std::vector<Rule> &rules, const std::vector<int64_t> &at) {
  for (const Rule &rule : rules)
    if (holds(rule, at))
      return rule.candidate;
  ADD_FAILURE() << "no rule holds";
  return 0;
}

TEST(Rules, OneCandidateThatIsBestNeedsNoConditions) {
  std::vector<Rule> rules = findRules({{{10}, {2, 1}}, {{1000}, {3, 2}}}, 0);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].candidate, 1u);
  EXPECT_TRUE(rules[0].bounds.empty());
}

TEST(Rules, WhatWasMeasuredStandsForWhatIsUpToTheNext) {
  std::vector<Rule> rules = findRules(
      {{{10}, {1, 9, 9}}, {{100}, {9, 1, 9}}, {{1000}, {9, 1, 9}}, {{5000}, {9, 9, 1}}}, 0);
  for (int64_t n : {1, 10, 99})
    EXPECT_EQ(chosen(rules, {n}), 0u) << n;
  for (int64_t n : {100, 999, 4999})
    EXPECT_EQ(chosen(rules, {n}), 1u) << n;
  for (int64_t n : {5000, 1 << 20})
    EXPECT_EQ(chosen(rules, {n}), 2u) << n;
  EXPECT_EQ(rules.size(), 3u);
  EXPECT_TRUE(rules.back().bounds.empty());
}

TEST(Rules, LittleThatIsLostSparesARule) {
  const std::vector<Sample> samples = {{{10}, {1.00, 1.01}}, {{100}, {2.0, 1.0}}};
  EXPECT_EQ(findRules(samples, 0.02).size(), 1u);
  EXPECT_EQ(findRules(samples, 0.02)[0].candidate, 1u);
  EXPECT_EQ(findRules(samples, 0.001).size(), 2u);
}

TEST(Rules, WhatCannotRunIsNotTaken) {
  double never = INFINITY;
  std::vector<Rule> rules = findRules({{{10}, {1, 2}}, {{100}, {never, 2}}}, 0.5);
  EXPECT_EQ(chosen(rules, {10}), 0u);
  EXPECT_EQ(chosen(rules, {100}), 1u);
  EXPECT_TRUE(findRules({{{10}, {never, never}}}, 0).empty());
}

TEST(Rules, LaunchesOfTheSameVariablesCountAsOne) {
  std::vector<Rule> rules = findRules({{{10}, {1, 2}}, {{10}, {9, 3}}}, 0);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].candidate, 1u);
}

TEST(Rules, MoreThanCanBeLookedAtGivesNone) {
  std::vector<Sample> samples;
  for (int64_t i = 0; i != 40; ++i)
    samples.push_back({{i, 40 - i, i * 7 % 40}, {1, 2}});
  EXPECT_GT(boxesOf(samples), mostBoxes);
  EXPECT_TRUE(findRules(samples, 0).empty());
  for (Sample &sample : samples)
    sample.at.pop_back();
  EXPECT_EQ(boxesOf(samples), size_t(820 * 820));
  EXPECT_EQ(findRules(samples, 0).size(), 1u);
}

TEST(Rules, TwoVariables) {
  // Candidate 1 where both are large.
  std::vector<Sample> samples;
  for (int64_t m : {16, 256, 4096})
    for (int64_t n : {16, 256, 4096})
      samples.push_back({{m, n}, {1, m >= 256 && n >= 256 ? 0.5 : 2}});
  std::vector<Rule> rules = findRules(samples, 0);
  for (const Sample &sample : samples)
    EXPECT_EQ(chosen(rules, sample.at), size_t(sample.times[1] < 1));
  EXPECT_EQ(chosen(rules, {1000, 1000}), 1u);
  EXPECT_EQ(chosen(rules, {1000, 100}), 0u);
  EXPECT_LE(rules.size(), 3u);
}

TEST(Rules, EverySampleGetsAGoodCandidate) {
  std::mt19937 random(1);
  for (unsigned round = 0; round != 200; ++round) {
    size_t variables = round % 4, count = 1 + random() % 12, candidates = 1 + random() % 5;
    std::vector<Sample> samples(count);
    for (Sample &sample : samples) {
      for (size_t i = 0; i != variables; ++i)
        sample.at.push_back(int64_t(random() % 4) * 100);
      for (size_t i = 0; i != candidates; ++i)
        sample.times.push_back(1 + random() % 8);
    }
    std::vector<Rule> rules = findRules(samples, 0);
    ASSERT_FALSE(rules.empty());
    for (const Sample &sample : samples) {
      // As the sum over those of the same variables says.
      std::vector<double> sums(candidates);
      for (const Sample &other : samples)
        for (size_t i = 0; other.at == sample.at && i != candidates; ++i)
          sums[i] += std::log(other.times[i]);
      EXPECT_NEAR(sums[chosen(rules, sample.at)], *std::min_element(sums.begin(), sums.end()),
                  1e-9);
    }
  }
}

} // namespace
