//===- CompletionRequest.cpp - What a body of /v1/completions asks for ----------===//
#include "Completions.h"

#include "Json.h"

#include <algorithm>
#include <random>
#include <set>

namespace engine {

namespace {

constexpr size_t mostStops = 16, longestStop = 1024;

using Names = std::set<std::string, std::less<>>;

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
const Names fieldsOfText = {"prompt", "best_of", "echo", "suffix"};
const Names fieldsOfChat = {"messages",    "max_completion_tokens", "top_logprobs",        "tools",
                            "tool_choice", "response_format",       "chat_template_kwargs"};

void refuseUnsupported(Fields &fields, int choices) {
  // Of a chat it is a boolean.
  if (const Json *wanted = fields.find("logprobs"); wanted && *wanted != false)
    fields.refuse("logprobs", "is not supported");
  for (const char *key : {"suffix", "top_logprobs", "tools", "tool_choice"})
    if (fields.find(key))
      fields.refuse(key, "is not supported");
  if (const Json *format = fields.find("response_format");
      format && *format != Json{{"type", "text"}})
    fields.refuse("response_format", "must be {\"type\": \"text\"}");
  for (const char *key : {"presence_penalty", "frequency_penalty"})
    if (fields.number(key, -2, 2, 0) != 0)
      fields.refuse(key, "is not supported");
  if (const Json *bias = fields.find("logit_bias"); bias && !(bias->is_object() && bias->empty()))
    fields.refuse("logit_bias", "is not supported");
  if (fields.integer("best_of", 1, 1 << 20, choices) != choices)
    fields.refuse("best_of", "must be n");
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

std::optional<ApiError> checkModel(Fields &fields, const ApiContext &context) {
  const std::string name = fields.string("model");
  if (fields.failed() || name == context.modelName)
    return std::nullopt;
  return ApiError{404,
                  "The model `" + name + "` does not exist; this is `" + context.modelName + "`",
                  "model", "model_not_found"};
}

/// The body as an object of known fields.
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

void readBoth(Fields &fields, CompletionRequest &request) {
  readNumbers(fields, request);
  refuseUnsupported(fields, request.choices);
  readStops(fields, request.stops);
  readStream(fields, request);
  fields.string("user", "");
}

/// A string, or a list of parts that are texts.
std::string contentOf(const Json &message, Fields &fields) {
  const Json content = message.value("content", Json());
  if (content.is_string())
    return content.get<std::string>();
  std::string made;
  bool isGood = content.is_array() && !content.empty();
  for (const Json &part : isGood ? content : Json::array()) {
    isGood &= part.is_object() && part.size() == 2 && part.value("type", Json()) == "text" &&
              part.value("text", Json()).is_string();
    if (isGood)
      made += (made.empty() ? "" : "\n") + part["text"].get<std::string>();
  }
  if (!isGood)
    fields.refuse("messages", "must have strings, or lists of texts, as content");
  return made;
}

std::vector<ChatMessage> readMessages(Fields &fields) {
  const Json *found = fields.find("messages");
  std::vector<ChatMessage> made;
  if (!found || !found->is_array() || found->empty())
    fields.refuse("messages", "must be a list of messages");
  else
    for (const Json &message : *found) {
      if (!message.is_object() || !message.value("role", Json()).is_string() ||
          !message.value("name", Json("")).is_string()) {
        fields.refuse("messages", "must be objects with role and content");
        return made;
      }
      for (const auto &[key, value] : message.items())
        if (key != "role" && key != "content" && key != "name" && !value.is_null())
          fields.refuse("messages", "have the field " + key + ", which is not supported");
      made.push_back({message["role"].get<std::string>(), contentOf(message, fields),
                      message.value("name", "")});
    }
  return made;
}

/// Objects in it are variables of the chat template.
Json readVariables(Fields &fields) {
  const Json *found = fields.find("chat_template_kwargs");
  if (!found)
    return Json::object();
  if (!found->is_object())
    fields.refuse("chat_template_kwargs", "must be an object");
  return *found;
}

std::expected<std::vector<int32_t>, ApiError> encodeChat(const std::vector<ChatMessage> &messages,
                                                         const Json &variables,
                                                         const ApiContext &context) {
  auto refuse = [](const std::string &why) {
    return std::unexpected(ApiError{400, "messages: " + why, "messages"});
  };
  const Expected<std::string> text = context.chat->render(messages, variables);
  if (!text)
    return refuse(text.error().text);
  Expected<std::vector<int32_t>> tokens = context.tokenizer.encode(*text, false);
  if (!tokens)
    return refuse(tokens.error().text);
  if (tokens->empty())
    return refuse("the chat template makes no text of them");
  return std::move(*tokens);
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
  const bool isEcho = fields.boolean("echo", false);
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

std::expected<CompletionRequest, ApiError> CompletionRequest::parseChat(const std::string &body,
                                                                        const ApiContext &context) {
  std::expected<Json, ApiError> json = parseBody(body, fieldsOfChat);
  if (!json)
    return std::unexpected(json.error());
  Fields fields(*json);
  CompletionRequest request;
  request.isChat = true;
  if (std::optional<ApiError> error = checkModel(fields, context))
    return std::unexpected(*error);
  readBoth(fields, request);
  const char *const most =
      fields.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  const bool isLimited = fields.find(most) != nullptr;
  if (isLimited)
    request.maxTokens = int(fields.integer(most, 1, INT32_MAX));
  const std::vector<ChatMessage> messages = readMessages(fields);
  const Json variables = readVariables(fields);
  if (fields.failed())
    return std::unexpected(ApiError{400, fields.message(), fields.wrongKey()});
  if (!context.chat)
    return std::unexpected(
        ApiError{400, "This model has no chat: " + context.whyNoChat, "model", "no_chat_template"});
  std::expected<std::vector<int32_t>, ApiError> tokens = encodeChat(messages, variables, context);
  if (!tokens)
    return std::unexpected(tokens.error());
  // Else to the end of the context.
  if (!isLimited)
    request.maxTokens =
        int(std::max<int64_t>(1, Scheduler::limit(context.model) - int64_t(tokens->size())));
  if (std::optional<ApiError> error = checkLength(tokens->size(), request.maxTokens, context.model))
    return std::unexpected(*error);
  request.prompts.push_back(std::move(*tokens));
  return request;
}

} // namespace engine
