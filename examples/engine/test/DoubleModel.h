//===- DoubleModel.h - A model whose tokens show every mistake of its caller -----===//
//
// It keeps the tokens themselves in the pages, where a model has keys and values, and computes the
// next token from what it reads there: a page that is wrong, shared or too early given to another
// changes the answer. It refuses calls that break the contract of Model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Model.h"

#include <functional>

namespace engine {

struct DoubleOptions {
  int pageSize = 16, pageCount = 64, maxPositions = 512, maxSequences = 8, maxPrefillTokens = 256,
      vocabulary = 512;
  int stepMicroseconds = 0;
  /// First tokens of a prompt at which a step fails, the device is lost, and the process dies; -1:
  /// none.
  int failToken = -1, lostToken = -1, deathToken = -1;
  /// What is answered behind the last place in a context that has `cue`, as far as `script` goes.
  std::vector<int32_t> cue = {}, script = {};
};

class DoubleModel : public Model {
public:
  explicit DoubleModel(DoubleOptions options);
  int pageSize() const override { return options.pageSize; }
  int pageCount() const override { return options.pageCount; }
  int maxPositions() const override { return options.maxPositions; }
  int maxSequences() const override { return options.maxSequences; }
  int maxPrefillTokens() const override { return options.maxPrefillTokens; }
  int vocabulary() const override { return options.vocabulary; }
  Expected<std::vector<Next>> prefill(std::span<const Work> works) override;
  Expected<std::vector<Next>> decode(std::span<const Work> works) override;

  /// Its probabilities halve from each token to the next one, from the greedy one on.
  static float logProbability(int32_t token, int32_t greedy, int vocabulary);
  /// The token after a context.
  static int32_t next(std::span<const int32_t> context, const Sampling &sampling, int vocabulary);
  /// What a sequence gets: as many tokens, or until one of `ends`.
  std::vector<int32_t> answer(std::vector<int32_t> prompt, int count, const Sampling &sampling = {},
                              std::span<const int32_t> ends = {}) const;

  /// Called before each step.
  std::function<void()> beforeStep;
  int steps = 0;

private:
  Expected<std::vector<Next>> run(std::span<const Work> works);
  Expected<void> check(std::span<const Work> works) const;
  /// The greedy token, or that of the script.
  int32_t greedy(std::span<const int32_t> context) const;
  Next describe(std::span<const int32_t> context, const Sampling &sampling) const;

  const DoubleOptions options;
  /// By page and position.
  std::vector<int32_t> cache;
  bool isLost = false;
};

} // namespace engine
