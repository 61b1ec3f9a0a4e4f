//===- generate.cpp - A batch of prompts, without a server ----------------------===//
//
//   engine-generate MODEL_FOLDER [BUNDLE] <requests.json >results.json
//
// Requests: {"prompts": [[token, ...], ...], "new_tokens": N}, and, where wanted, "temperature",
// "top_p", "top_k", "seed" (of all; each prompt adds its number), "logprobs" (with so many of the
// likeliest tokens), "max_sequences", "prefill_tokens" (of one step: 8192), "weights" ("fp8" or
// "auto"), "devices", "rounds" (all again, for times). Results: {"tokens": [[N tokens] ...],
// "logprobs" (where wanted): [[{"logprob": of the token, "top": [[token, logprob] ...]} ...] ...],
// "open_seconds", "prefill_seconds": [one a round], "decode_seconds": [of all steps of a round]}.
// All prompts decode together. Tests compare its tokens with a reference's, benchmarks its times
// with other servers'. Exit status 1: an error, on stderr.
//
//===----------------------------------------------------------------------===//
#include "OpenModel.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>

using namespace engine;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Sequence {
  std::vector<int32_t> tokens, pages;
  size_t prompt = 0;
  /// Of the new tokens.
  std::vector<Next> given = {};

  void take(const Next &next) {
    tokens.push_back(next.token);
    given.push_back(next);
  }
};

struct Times {
  double prefill = 0, decode = 0;
};

Work workOf(const Sequence &sequence, size_t first, const Sampling &sampling, size_t number) {
  Work work;
  work.tokens = std::span(sequence.tokens).subspan(first);
  work.position = static_cast<int>(first);
  work.pages = sequence.pages;
  work.sampling = sampling;
  work.sampling.seed += number;
  return work;
}

/// Prompts in as few steps as their tokens allow.
Expected<void> prefill(Model &model, std::vector<Sequence> &sequences, const Sampling &sampling) {
  const auto most = static_cast<size_t>(model.maxPrefillTokens());
  for (size_t first = 0, done = 0; first != sequences.size();) {
    std::vector<Work> works;
    size_t left = most, next = first;
    for (; next != sequences.size() && left != 0 &&
           works.size() != static_cast<size_t>(model.maxSequences());
         ++next) {
      works.push_back(workOf(sequences[next], next == first ? done : 0, sampling, next));
      if (works.back().tokens.size() > left)
        works.back().tokens = works.back().tokens.first(left);
      left -= works.back().tokens.size();
    }
    Expected<std::vector<Next>> given = model.prefill(works);
    if (!given)
      return std::unexpected(given.error());
    // The last one may have been cut.
    done = static_cast<size_t>(works.back().position) + works.back().tokens.size();
    const size_t begun = next - 1;
    const bool isWhole = done == sequences[begun].tokens.size();
    for (size_t i = first; i != begun + (isWhole ? 1 : 0); ++i)
      sequences[i].take((*given)[i - first]);
    first = begun + (isWhole ? 1 : 0);
    done = isWhole ? 0 : done;
  }
  return {};
}

Expected<Times> runAll(Model &model, std::vector<Sequence> &sequences, int count,
                       const Sampling &sampling) {
  Times times;
  Clock::time_point start = Clock::now();
  if (Expected<void> done = prefill(model, sequences, sampling); !done)
    return std::unexpected(done.error());
  times.prefill = secondsSince(start);
  start = Clock::now();
  for (int i = 1; i < count; ++i) {
    std::vector<Work> works;
    for (size_t j = 0; j != sequences.size(); ++j)
      works.push_back(workOf(sequences[j], sequences[j].tokens.size() - 1, sampling, j));
    Expected<std::vector<Next>> given = model.decode(works);
    if (!given)
      return std::unexpected(given.error());
    for (size_t j = 0; j != sequences.size(); ++j)
      sequences[j].take((*given)[j]);
  }
  times.decode = secondsSince(start);
  return times;
}

json describe(const std::vector<Sequence> &sequences) {
  json made = json::array();
  for (const Sequence &sequence : sequences) {
    json &list = made.emplace_back(json::array());
    for (const Next &next : sequence.given) {
      json likely = json::array();
      for (const Likely &each : next.likely)
        likely.push_back({each.token, each.logProbability});
      list.push_back({{"logprob", next.logProbability}, {"top", std::move(likely)}});
    }
  }
  return made;
}

Expected<json> answer(const json &request, Model &model) {
  json result;
  Sampling sampling;
  sampling.temperature = request.value("temperature", 0.0F);
  sampling.topP = request.value("top_p", 1.0F);
  sampling.topK = request.value("top_k", 0);
  sampling.seed = request.value("seed", uint64_t(0));
  sampling.likely = request.value("logprobs", -1);
  const int count = request.at("new_tokens");
  for (int round = 0; round != request.value("rounds", 1); ++round) {
    std::vector<Sequence> sequences;
    int page = 0;
    for (const json &prompt : request.at("prompts")) {
      Sequence &sequence = sequences.emplace_back();
      sequence.tokens = prompt.get<std::vector<int32_t>>();
      sequence.prompt = sequence.tokens.size();
      const int positions = static_cast<int>(sequence.prompt) + count;
      for (int i = 0; i < positions; i += model.pageSize())
        sequence.pages.push_back(page++);
    }
    Expected<Times> times = runAll(model, sequences, count, sampling);
    if (!times)
      return std::unexpected(times.error());
    result["prefill_seconds"].push_back(times->prefill);
    result["decode_seconds"].push_back(times->decode);
    result["tokens"] = json::array();
    for (const Sequence &sequence : sequences)
      result["tokens"].push_back(std::vector(
          sequence.tokens.begin() + static_cast<long>(sequence.prompt), sequence.tokens.end()));
    if (sampling.likely >= 0)
      result["logprobs"] = describe(sequences);
  }
  return result;
}

Expected<json> answerAll(const json &input, const Folder &folder, const std::string &bundle) {
  const json requests = input.is_array() ? input : json::array({input});
  ModelOptions options;
  options.bundle = bundle;
  options.devices = requests.at(0).value("devices", options.devices);
  options.maxSequences = requests.at(0).value("max_sequences", options.maxSequences);
  options.prefillTokens = requests.at(0).value("prefill_tokens", 8192);
  options.fp8Weights = requests.at(0).value("weights", "auto") == std::string("fp8");
  Clock::time_point start = Clock::now();
  Expected<std::unique_ptr<Model>> model = openModel(options, folder);
  if (!model)
    return std::unexpected(model.error());
  const double seconds = secondsSince(start);
  json results = json::array();
  for (const json &request : requests) {
    Expected<json> result = answer(request, **model);
    if (!result)
      return std::unexpected(result.error());
    result->emplace("open_seconds", seconds);
    results.push_back(std::move(*result));
  }
  return input.is_array() ? results : results.at(0);
}

int report(const std::string &text) {
  std::fprintf(stderr, "engine-generate: %s\n", text.c_str());
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: engine-generate MODEL_FOLDER [BUNDLE] <requests.json\n");
    return 2;
  }
  Expected<Folder> folder = Folder::open(argv[1]);
  if (!folder)
    return report(folder.error().text);
  try {
    Expected<json> result = answerAll(json::parse(std::cin), *folder, argc == 3 ? argv[2] : "");
    if (!result)
      return report(result.error().text);
    std::cout << result->dump() << '\n';
  } catch (const json::exception &error) {
    return report(error.what());
  }
  return 0;
}
