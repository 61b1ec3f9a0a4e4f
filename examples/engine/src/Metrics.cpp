#include "Metrics.h"

#include <algorithm>
#include <cstdio>

namespace engine {

static std::string formatSeconds(double seconds) {
  char text[32];
  snprintf(text, sizeof text, "%.9g", seconds);
  return text;
}

static void head(const char *name, const char *type, const char *help, std::string &text) {
  text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void Histogram::add(double seconds) {
  const size_t place = size_t(std::ranges::lower_bound(bounds, seconds) - bounds.begin());
  counts[place].fetch_add(1, std::memory_order_relaxed);
  sum.fetch_add(seconds, std::memory_order_relaxed);
}

void Histogram::render(const char *name, const char *help, std::string &text) const {
  head(name, "histogram", help, text);
  uint64_t total = 0;
  for (size_t i = 0; i != counts.size(); ++i) {
    total += counts[i].load(std::memory_order_relaxed);
    text += std::string(name) + "_bucket{le=\"" +
            (i == bounds.size() ? "+Inf" : formatSeconds(bounds[i])) + "\"} " +
            std::to_string(total) + "\n";
  }
  text += std::string(name) + "_sum " + formatSeconds(sum.load()) + "\n";
  text += std::string(name) + "_count " + std::to_string(total) + "\n";
}

void Metrics::countResponse(int status) {
  std::lock_guard guard(mutex);
  ++responses[status];
}

std::string Metrics::render() const {
  std::string text;
  auto single = [&](const char *name, const char *type, const char *help, auto value) {
    head(name, type, help, text);
    text += std::string(name) + " " + std::to_string(value) + "\n";
  };
  single("engine_sequences_running", "gauge", "Sequences that have pages.", running.load());
  single("engine_sequences_waiting", "gauge", "Sequences that wait for pages.", waiting.load());
  single("engine_pages", "gauge", "Pages of the KV cache.", pages.load());
  single("engine_pages_free", "gauge", "Pages that no sequence has.", pagesFree.load());
  single("engine_connections", "gauge", "Open HTTP connections.", connections.load());
  single("engine_prompt_tokens_total", "counter", "Tokens of prompts.", promptTokens.load());
  single("engine_generated_tokens_total", "counter", "Tokens of answers.", generatedTokens.load());
  single("engine_preemptions_total", "counter", "Sequences that lost their pages to older ones.",
         preemptions.load());
  single("engine_prefills_total", "counter", "Calls of prefill.", prefills.load());
  single("engine_decodes_total", "counter", "Calls of decode.", decodes.load());
  head("engine_sequences_total", "counter", "Sequences that ended, by how.", text);
  const std::array<const char *, size_t(Outcome::Count)> names = {"stop", "length", "cancelled",
                                                                  "deadline", "error"};
  for (size_t i = 0; i != names.size(); ++i)
    text += std::string("engine_sequences_total{outcome=\"") + names[i] + "\"} " +
            std::to_string(outcomes[i].load()) + "\n";
  head("engine_http_responses_total", "counter", "Responses, by status.", text);
  {
    std::lock_guard guard(mutex);
    for (auto [status, count] : responses)
      text += "engine_http_responses_total{code=\"" + std::to_string(status) + "\"} " +
              std::to_string(count) + "\n";
  }
  firstToken.render("engine_time_to_first_token_seconds",
                    "From a sequence's arrival to its first token.", text);
  wholeSequence.render("engine_sequence_seconds", "From a sequence's arrival to its end.", text);
  prefillStep.render("engine_prefill_seconds", "Time of a call of prefill.", text);
  decodeStep.render("engine_decode_seconds", "Time of a call of decode.", text);
  return text;
}

} // namespace engine
