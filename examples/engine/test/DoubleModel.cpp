#include "DoubleModel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <numbers>
#include <set>
#include <thread>

namespace engine {

DoubleModel::DoubleModel(DoubleOptions options)
    : options(options), cache(size_t(options.pageSize) * size_t(options.pageCount), -1) {}

int32_t DoubleModel::next(std::span<const int32_t> context, const Sampling &sampling,
                          int vocabulary) {
  uint64_t hash = sampling.temperature > 0 ? sampling.seed + 977 * uint64_t(sampling.topK) : 0;
  for (int32_t token : context) {
    hash = (hash ^ uint64_t(token + 1)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return int32_t((hash >> 20) % uint64_t(vocabulary));
}

float DoubleModel::logProbability(int32_t token, int32_t greedy, int vocabulary) {
  const int behind = ((token - greedy) % vocabulary + vocabulary) % vocabulary;
  return float(-(behind + 1) * std::numbers::ln2 - std::log1p(-std::pow(0.5, vocabulary)));
}

std::vector<int32_t> DoubleModel::answer(std::vector<int32_t> context, int count,
                                         const Sampling &sampling,
                                         std::span<const int32_t> ends) const {
  std::vector<int32_t> tokens;
  while (int(tokens.size()) != count) {
    tokens.push_back(next(context, sampling, options.vocabulary));
    context.push_back(tokens.back());
    if (std::ranges::find(ends, tokens.back()) != ends.end())
      break;
  }
  return tokens;
}

Expected<void> DoubleModel::check(std::span<const Work> works) const {
  std::set<int32_t> used;
  if (works.empty() || int(works.size()) > options.maxSequences)
    return fail("double: there are " + std::to_string(works.size()) + " sequences");
  for (const Work &work : works) {
    const auto end = size_t(work.position) + work.tokens.size();
    if (work.tokens.empty() || work.position < 0 || end > size_t(options.maxPositions))
      return fail("double: tokens at positions that there are not");
    if (work.pages.size() * size_t(options.pageSize) < end)
      return fail("double: too few pages");
    for (int32_t page : work.pages)
      if (page < 0 || page >= options.pageCount || !used.insert(page).second)
        return fail("double: page " + std::to_string(page) + " is none, or has two owners");
    for (int32_t token : work.tokens)
      if (token < 0 || token >= options.vocabulary)
        return fail("double: token " + std::to_string(token));
  }
  return {};
}

Expected<std::vector<Next>> DoubleModel::run(std::span<const Work> works) {
  ++steps;
  if (beforeStep)
    beforeStep();
  if (options.stepMicroseconds)
    std::this_thread::sleep_for(std::chrono::microseconds(options.stepMicroseconds));
  if (Expected<void> checked = check(works); !checked)
    return std::unexpected(checked.error());
  std::vector<Next> made;
  for (const Work &work : works) {
    auto at = [&](size_t position) -> int32_t & {
      const auto page = size_t(work.pages[position / size_t(options.pageSize)]);
      return cache[page * size_t(options.pageSize) + position % size_t(options.pageSize)];
    };
    const int32_t first = work.position ? -2 : work.tokens[0];
    isLost |= first == options.lostToken;
    if (first == options.deathToken)
      raise(SIGKILL);
    if (first == options.failToken || isLost)
      return std::unexpected(
          Error{isLost ? "the double's device is lost" : "the double failed", isLost});
    const size_t end = size_t(work.position) + work.tokens.size();
    for (size_t i = 0; i != work.tokens.size(); ++i)
      at(size_t(work.position) + i) = work.tokens[i];
    std::vector<int32_t> context(end);
    for (size_t i = 0; i != end; ++i)
      context[i] = at(i);
    made.push_back(describe(context, work.sampling));
  }
  return made;
}

int32_t DoubleModel::greedy(std::span<const int32_t> context) const {
  const auto cue = std::ranges::find_end(context, options.cue);
  if (!options.cue.empty() && !cue.empty()) {
    const auto done = size_t(context.end() - cue.end());
    if (done < options.script.size())
      return options.script[done];
  }
  return next(context, {}, options.vocabulary);
}

Next DoubleModel::describe(std::span<const int32_t> context, const Sampling &sampling) const {
  const int count = options.vocabulary;
  const int32_t best = greedy(context);
  Next made = {sampling.temperature > 0 ? next(context, sampling, count) : best};
  if (sampling.likely >= 0)
    made.logProbability = logProbability(made.token, best, count);
  for (int i = 0; i < sampling.likely; ++i)
    made.likely.push_back({(best + i) % count, logProbability(best + i, best, count)});
  return made;
}

Expected<std::vector<Next>> DoubleModel::prefill(std::span<const Work> works) {
  size_t total = 0;
  for (const Work &work : works)
    total += work.tokens.size();
  if (total > size_t(options.maxPrefillTokens))
    return fail("double: a prefill of " + std::to_string(total) + " tokens");
  return run(works);
}

Expected<std::vector<Next>> DoubleModel::decode(std::span<const Work> works) {
  for (const Work &work : works)
    if (work.tokens.size() != 1)
      return fail("double: a decode of " + std::to_string(work.tokens.size()) + " tokens");
  return run(works);
}

} // namespace engine
