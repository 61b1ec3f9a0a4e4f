//===- Logprobs.h - Probabilities of tokens as OpenAI's API reports them --------===//
#pragma once

#include "Json.h"
#include "Scheduler.h"

namespace engine {

/// `logprobs` of a choice of /v1/completions: tokens, token_logprobs, top_logprobs, text_offset. A
/// token that is no UTF-8 is "bytes:\xe6\x97".
Json textLogprobs(const std::vector<Told> &told, const Tokenizer &tokenizer);

/// `logprobs` of a choice of /v1/chat/completions: content with token, logprob, bytes and
/// top_logprobs of each.
Json chatLogprobs(const std::vector<Told> &told, const Tokenizer &tokenizer);

} // namespace engine
