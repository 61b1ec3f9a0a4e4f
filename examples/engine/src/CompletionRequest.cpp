//===- CompletionRequest.cpp - What a body of /v1/completions asks for ----------===//
#include "RequestBody.h"

#include <algorithm>

namespace engine {

namespace {

const Names fieldsOfText = {"prompt", "best_of", "echo", "suffix"};

bool isToken(const Json &json) { return json.is_number_integer(); }

/// The prompts, each as a string or a list of tokens.
std::vector<Json> listPrompts(Fields &fields) {
  const Json *found = fields.find("prompt");
  const bool isOne = found && (found->is_string() || (found->is_array() && !found->empty() &&
                                                      std::ranges::all_of(*found, isToken)));
  const std::vector<Json> list = isOne                        ? std::vector<Json>{*found}
                                 : found && found->is_array() ? found->get<std::vector<Json>>()
                                                              : std::vector<Json>();
  const bool isGood = std::ranges::all_of(list, [](const Json &prompt) {
    return prompt.is_string() || (prompt.is_array() && std::ranges::all_of(prompt, isToken));
  });
  if (list.empty() || !isGood)
    fields.refuse("prompt",
                  "must be a string, a list of strings, a list of tokens or a list of these");
  return list;
}

std::expected<std::vector<int32_t>, ApiError> encodePrompt(const Json &prompt,
                                                           const ApiContext &context) {
  std::vector<int32_t> tokens;
  if (prompt.is_string()) {
    Expected<std::vector<int32_t>> encoded =
        context.tokenizer.encode(prompt.get_ref<const std::string &>(), true);
    if (!encoded)
      return std::unexpected(ApiError{400, "prompt: " + encoded.error().text, "prompt"});
    tokens = std::move(*encoded);
  } else {
    for (const Json &token : prompt) {
      const bool isHuge = token.is_number_unsigned() && token.get<uint64_t>() > uint64_t(INT32_MAX);
      if (isHuge || token.get<int64_t>() < 0 || token.get<int64_t>() >= context.model.vocabulary())
        return std::unexpected(
            ApiError{400, "prompt has the token " + dump(token) + ", which the model does not have",
                     "prompt"});
      tokens.push_back(token.get<int32_t>());
    }
  }
  if (tokens.empty())
    return std::unexpected(ApiError{400, "prompt is empty", "prompt"});
  return tokens;
}

} // namespace

std::expected<CompletionRequest, ApiError> CompletionRequest::parse(const std::string &body,
                                                                    const ApiContext &context) {
  std::expected<Json, ApiError> json = parseBody(body, fieldsOfText);
  if (!json)
    return std::unexpected(json.error());
  Fields fields(*json);
  CompletionRequest request;
  if (std::optional<ApiError> error = checkModel(fields, context))
    return std::unexpected(*error);
  readBoth(fields, request);
  if (fields.find("suffix"))
    fields.refuse("suffix", "is not supported");
  if (fields.integer("best_of", 1, 1 << 20, request.choices) != request.choices)
    fields.refuse("best_of", "must be n");
  request.sampling.likely = int(fields.integer("logprobs", 0, mostLikely, -1));
  const bool isEcho = fields.boolean("echo", false);
  if (isEcho && request.sampling.likely >= 0)
    fields.refuse("logprobs", "together with echo is not supported");
  const std::vector<Json> prompts = listPrompts(fields);
  if (prompts.size() * size_t(request.choices) > size_t(context.maxChoices))
    fields.refuse("n", "times the prompts must be at most " + std::to_string(context.maxChoices));
  if (fields.failed())
    return std::unexpected(ApiError{400, fields.message(), fields.wrongKey()});
  for (const Json &prompt : prompts) {
    std::expected<std::vector<int32_t>, ApiError> tokens = encodePrompt(prompt, context);
    if (!tokens)
      return std::unexpected(tokens.error());
    if (std::optional<ApiError> error =
            checkLength(tokens->size(), request.maxTokens, context.model))
      return std::unexpected(*error);
    if (isEcho)
      request.echoes.push_back(prompt.is_string() ? prompt.get<std::string>()
                                                  : context.tokenizer.decode(*tokens, true));
    request.prompts.push_back(std::move(*tokens));
  }
  return request;
}

} // namespace engine
