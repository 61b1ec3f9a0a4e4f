//===- Likelihood.h - From logits to probabilities of tokens --------------------===//
#pragma once

#include "Model.h"

namespace engine {

/// What the kernel `likely_of_part` (kernels/sample.py) says of one part of a sequence's logits.
struct LikelyRecord {
  float largest, sum; // of exp(logit - largest)
  float chosen;       // logit of the token chosen; -inf where another part has it
  /// The largest, the largest first; as many as were wanted, -inf where the part has fewer.
  float logits[mostLikely];
  int32_t tokens[mostLikely];
};
static_assert(sizeof(LikelyRecord) == (3 + 2 * size_t(mostLikely)) * 4);

/// Sets `next.logProbability` and the `wanted` likeliest tokens, from the records of all parts of
/// the sequence's logits: one list for each GPU.
void setLikely(Next &next, int wanted, std::span<const std::span<const LikelyRecord>> lists);

} // namespace engine
