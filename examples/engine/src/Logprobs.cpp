#include "Logprobs.h"

#include "Utf8.h"

namespace engine {

namespace {

/// JSON has no infinity; OpenAI's API has this number for what is hardly possible.
constexpr float least = -9999;

float finite(float logProbability) { return logProbability >= least ? logProbability : least; }

std::string nameOf(std::string_view bytes, const char *mark) {
  if (isUtf8(bytes))
    return std::string(bytes);
  std::string made = mark;
  for (const char byte : bytes) {
    char text[8];
    snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(byte));
    made += text;
  }
  return made;
}

Json describe(int32_t token, float logProbability, const Tokenizer &tokenizer) {
  const std::string_view bytes = tokenizer.bytes(token);
  Json list = Json::array();
  for (const char byte : bytes)
    list.push_back(static_cast<unsigned char>(byte));
  return {{"token", nameOf(bytes, "")},
          {"logprob", finite(logProbability)},
          {"bytes", std::move(list)}};
}

} // namespace

Json textLogprobs(const std::vector<Told> &told, const Tokenizer &tokenizer) {
  Json tokens = Json::array(), own = Json::array(), top = Json::array(), offsets = Json::array();
  auto name = [&](int32_t token) { return nameOf(tokenizer.bytes(token), "bytes:"); };
  for (const Told &each : told) {
    tokens.push_back(name(each.next.token));
    own.push_back(finite(each.next.logProbability));
    offsets.push_back(each.position);
    Json likely = {{name(each.next.token), finite(each.next.logProbability)}};
    for (const Likely &other : each.next.likely)
      likely.emplace(name(other.token), finite(other.logProbability));
    top.push_back(std::move(likely));
  }
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(own)},
          {"top_logprobs", std::move(top)},
          {"text_offset", std::move(offsets)}};
}

Json chatLogprobs(const std::vector<Told> &told, const Tokenizer &tokenizer) {
  Json content = Json::array();
  for (const Told &each : told) {
    Json entry = describe(each.next.token, each.next.logProbability, tokenizer);
    Json top = Json::array();
    for (const Likely &other : each.next.likely)
      top.push_back(describe(other.token, other.logProbability, tokenizer));
    entry["top_logprobs"] = std::move(top);
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

} // namespace engine
