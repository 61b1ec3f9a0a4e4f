#include "RequestBody.h"

#include <algorithm>
#include <random>

namespace engine {

namespace {

constexpr size_t mostStops = 16, longestStop = 1024;

const Names fieldsOfBoth = {"model",
                            "n",
                            "max_tokens",
                            "temperature",
                            "top_p",
                            "top_k",
                            "stop",
                            "seed",
                            "stream",
                            "presence_penalty",
                            "frequency_penalty",
                            "logit_bias",
                            "user",
                            "logprobs",
                            "stream_options",
                            "ignore_eos"};

void refuseUnsupported(Fields &fields) {
  for (const char *key : {"presence_penalty", "frequency_penalty"})
    if (fields.number(key, -2, 2, 0) != 0)
      fields.refuse(key, "is not supported");
  if (const Json *bias = fields.find("logit_bias"); bias && !(bias->is_object() && bias->empty()))
    fields.refuse("logit_bias", "is not supported");
}

void readStops(Fields &fields, std::vector<std::string> &stops) {
  const Json *found = fields.find("stop");
  if (!found)
    return;
  const Json list = found->is_array() ? *found : Json::array({*found});
  const bool isGood = list.size() <= mostStops && std::ranges::all_of(list, [](const Json &stop) {
                        return stop.is_string() && !stop.get_ref<const std::string &>().empty() &&
                               stop.get_ref<const std::string &>().size() <= longestStop;
                      });
  if (!isGood)
    return fields.refuse("stop", "must be a string or a list of at most " +
                                     std::to_string(mostStops) +
                                     " strings, none of them empty or longer than " +
                                     std::to_string(longestStop) + " bytes");
  for (const Json &stop : list)
    stops.push_back(stop.get<std::string>());
}

void readStream(Fields &fields, CompletionRequest &request) {
  request.stream = fields.boolean("stream", false);
  const Json *options = fields.find("stream_options");
  if (!options)
    return;
  if (!request.stream)
    return fields.refuse("stream_options", "is for requests with stream");
  if (!options->is_object())
    return fields.refuse("stream_options", "must be an object");
  Fields inner(*options);
  request.includeUsage = inner.boolean("include_usage", false);
  if (inner.failed())
    fields.refuse("stream_options", inner.message());
}

uint64_t randomSeed() {
  thread_local std::mt19937_64 generator(std::random_device{}());
  return generator();
}

void readNumbers(Fields &fields, CompletionRequest &request) {
  request.choices = int(fields.integer("n", 1, 128, 1));
  request.maxTokens = int(fields.integer("max_tokens", 0, INT32_MAX, 16));
  request.sampling.temperature = float(fields.number("temperature", 0, 2, 1));
  request.sampling.topP = float(fields.number("top_p", 0, 1, 1));
  if (request.sampling.topP <= 0)
    fields.refuse("top_p", "must be more than 0");
  // -1 is what some clients say for all.
  request.sampling.topK = int(std::max<int64_t>(0, fields.integer("top_k", -1, INT32_MAX, 0)));
  request.sampling.seed =
      fields.find("seed") ? uint64_t(fields.integer("seed", INT64_MIN, INT64_MAX)) : randomSeed();
  request.ignoreEnd = fields.boolean("ignore_eos", false);
}

} // namespace

std::expected<Json, ApiError> parseBody(const std::string &body, const Names &more) {
  Expected<Json> json = parseJson(body);
  if (!json)
    return std::unexpected(ApiError{400, "The body is not JSON: " + json.error().text});
  if (!json->is_object())
    return std::unexpected(ApiError{400, "The body is not a JSON object"});
  for (const auto &[key, value] : json->items())
    if (!fieldsOfBoth.contains(key) && !more.contains(key))
      return std::unexpected(ApiError{400, "Unrecognized request argument supplied: " + key, key});
  return std::move(*json);
}

std::optional<ApiError> checkModel(Fields &fields, const ApiContext &context) {
  const std::string name = fields.string("model");
  if (fields.failed() || name == context.modelName)
    return std::nullopt;
  return ApiError{404,
                  "The model `" + name + "` does not exist; this is `" + context.modelName + "`",
                  "model", "model_not_found"};
}

void readBoth(Fields &fields, CompletionRequest &request) {
  readNumbers(fields, request);
  refuseUnsupported(fields);
  readStops(fields, request.stops);
  readStream(fields, request);
  fields.string("user", "");
}

std::optional<ApiError> checkLength(size_t prompt, int maxTokens, const Model &model) {
  const int64_t limit = Scheduler::limit(model);
  if (int64_t(prompt) + maxTokens <= limit)
    return std::nullopt;
  return ApiError{400,
                  "This model's maximum context length is " + std::to_string(limit) +
                      " tokens. However, you requested " +
                      std::to_string(int64_t(prompt) + maxTokens) + " tokens (" +
                      std::to_string(prompt) + " in the prompt, " + std::to_string(maxTokens) +
                      " in the completion).",
                  "prompt", "context_length_exceeded"};
}

} // namespace engine
