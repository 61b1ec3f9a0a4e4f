//===- Model.h - What the scheduler wants of a model on a GPU -------------------===//
//
// Keys and values are in a cache of pages. Who calls owns the pages: it gives a page to one
// sequence at a time, and the model writes the keys and values of a step's tokens into the pages of
// that step's sequence. All calls come from one thread. After an Error the contents of the pages
// that the call named are not known; `Error::deviceLost` says that further calls are in vain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Expected.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

/// How the next token is chosen. The draw depends on `seed`, the position of the token drawn and
/// the logits alone, so that a sequence that is computed again, or in other company, gets the same
/// tokens.
struct Sampling {
  float temperature = 0; // 0: the largest logit
  float topP = 1;
  int topK = 0; // 0: all
  uint64_t seed = 0;
  /// How many of the likeliest tokens are wanted with their probabilities beside that of the token
  /// chosen, at most `mostLikely`; -1: not even that.
  int likely = -1;
};

constexpr int mostLikely = 20;

/// Logarithms are natural, of the softmax of the logits as they are: temperature, top-k and top-p
/// change nothing.
struct Likely {
  int32_t token = 0;
  float logProbability = 0;
};

/// What a step gives for one sequence.
struct Next {
  int32_t token = 0;
  /// Of `token`, and the likeliest tokens, the likeliest first; 0 and empty unless wanted.
  float logProbability = 0;
  std::vector<Likely> likely = {};
};

/// What one sequence wants of a step: `tokens` follow the `position` tokens that its pages have
/// already; the pages have room for all. Position p is in pages[p / pageSize], at p % pageSize.
/// There may be more pages than that takes.
struct Work {
  std::span<const int32_t> tokens;
  int position = 0;
  std::span<const int32_t> pages;
  Sampling sampling;
};

class Model {
public:
  virtual ~Model() = default;
  virtual int pageSize() const = 0;         // positions of a page
  virtual int pageCount() const = 0;        // of the KV cache
  virtual int maxPositions() const = 0;     // of one sequence
  virtual int maxSequences() const = 0;     // of one decode()
  virtual int maxPrefillTokens() const = 0; // all tokens of one prefill() together
  virtual int vocabulary() const = 0;
  /// Prompts, whole or the next part of each; gives the token after each.
  virtual Expected<std::vector<Next>> prefill(std::span<const Work> works) = 0;
  /// One new token of each sequence; gives the token after each.
  virtual Expected<std::vector<Next>> decode(std::span<const Work> works) = 0;
};

} // namespace engine
