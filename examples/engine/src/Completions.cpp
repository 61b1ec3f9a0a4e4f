#include "Completions.h"

#include "Json.h"
#include "Logprobs.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <random>

namespace engine {

namespace {

/// One request while it is answered. Everything runs on the connection's strand.
class Completion : public std::enable_shared_from_this<Completion> {
public:
  Completion(CompletionRequest request, const ApiContext &context,
             std::shared_ptr<HttpReply> reply);
  void start();

private:
  struct Choice {
    std::string text;
    std::vector<ToolCall> calls;
    std::vector<Told> told;
    int tokens = 0;
    std::optional<Outcome> outcome;
    bool hasBegun = false; // to be streamed
    std::optional<ToolParser> parser;
    size_t callCount = 0;
  };
  /// What is sent of a choice: all of it, or news.
  struct Part {
    std::string text;
    std::vector<ToolCall> calls = {};
    std::vector<Told> told = {};
  };
  std::vector<Request> makeRequests();
  void take(size_t index, Event event);
  /// The event's news, with calls told from text.
  static Part read(Choice &choice, Event &event);
  void sendChunk(size_t index, Part part);
  void fail(const ApiError &error);
  void finish();
  void cancelAll();
  Json describe(size_t index, Part part) const;
  Json describeMessage(size_t index, Part part) const;
  Json describeLogprobs(const std::vector<Told> &told) const;
  Json usage() const;
  Json object(Json choices) const;

  CompletionRequest request;
  const ApiContext &context;
  std::shared_ptr<HttpReply> reply;
  const std::string id;
  const int64_t created;
  std::vector<Choice> choices;
  std::vector<uint64_t> sequences;
  size_t left = 0;
  bool hasBegun = false, hasFailed = false;
};

std::string makeId(bool isChat) {
  static const uint64_t start = std::random_device{}();
  static std::atomic<uint64_t> number = 0;
  char text[48];
  snprintf(text, sizeof text, "%s-%08llx%08llx", isChat ? "chatcmpl" : "cmpl",
           static_cast<unsigned long long>(start), static_cast<unsigned long long>(++number));
  return text;
}

const char *finishReason(Outcome outcome, bool hasCalls) {
  return outcome != Outcome::Stop ? "length" : hasCalls ? "tool_calls" : "stop";
}

std::string makeCallId() {
  thread_local std::mt19937_64 generator(std::random_device{}());
  char text[32];
  snprintf(text, sizeof text, "call_%016llx", static_cast<unsigned long long>(generator()));
  return text;
}

ApiError refused(Refusal refusal) {
  switch (refusal) {
  case Refusal::Full:
    return {429, "Too many requests wait already; try again later", "", "rate_limit_exceeded"};
  case Refusal::Stopping:
    return {503, "The server is stopping", "", "stopping"};
  case Refusal::Lost:
    return {503, "The device is lost", "", "device_lost"};
  }
  return {500, "unknown"};
}

Completion::Completion(CompletionRequest given, const ApiContext &context,
                       std::shared_ptr<HttpReply> reply)
    : request(std::move(given)), context(context), reply(std::move(reply)),
      id(makeId(request.isChat)), created(time(nullptr)),
      choices(request.prompts.size() * size_t(request.choices)), left(choices.size()) {
  for (size_t i = 0; i != choices.size() && !request.echoes.empty(); ++i)
    choices[i].text = request.echoes[i / size_t(request.choices)];
  for (size_t i = 0; i != choices.size() && request.tools.format != ToolFormat::None; ++i)
    choices[i].parser.emplace(request.tools).put(request.tools.begin);
}

std::vector<Request> Completion::makeRequests() {
  std::vector<Request> requests;
  for (size_t i = 0; i != choices.size(); ++i) {
    Request &made = requests.emplace_back();
    made.prompt = request.prompts[i / size_t(request.choices)];
    made.sampling = request.sampling;
    made.sampling.seed += i * 0x9E3779B97F4A7C15;
    made.maxTokens = request.maxTokens;
    made.stops = request.stops;
    made.ignoreEnd = request.ignoreEnd;
    made.deadline = Clock::now() + context.requestTime;
    made.sink = [self = shared_from_this(), i](Event event) {
      self->reply->post(
          [self, i, event = std::move(event)]() mutable { self->take(i, std::move(event)); });
    };
  }
  return requests;
}

void Completion::start() {
  if (!request.maxTokens) {
    for (Choice &choice : choices)
      choice.outcome = Outcome::Length;
    for (size_t i = 0; i != choices.size() && request.stream; ++i)
      sendChunk(i, {choices[i].text});
    return finish();
  }
  std::expected<std::vector<uint64_t>, Refusal> submitted = context.engine.submit(makeRequests());
  if (!submitted)
    return fail(refused(submitted.error()));
  sequences = std::move(*submitted);
  reply->onGone([self = shared_from_this()] { self->cancelAll(); });
}

void Completion::cancelAll() {
  for (size_t i = 0; i != sequences.size(); ++i)
    if (!choices[i].outcome)
      context.engine.cancel(sequences[i]);
}

void Completion::take(size_t index, Event event) {
  Choice &choice = choices[index];
  const bool isFirst = !choice.tokens;
  choice.tokens += event.tokens;
  choice.outcome = event.outcome;
  left -= event.outcome.has_value();
  if (hasFailed)
    return;
  if (event.outcome == Outcome::Error)
    return fail(event.unavailable
                    ? ApiError{503, "Unavailable: " + event.why, "", "unavailable"}
                    : ApiError{500, "The model failed: " + event.why, "", "model_error"});
  if (event.outcome == Outcome::Deadline)
    return fail({504, "The request took too long", "", "timeout"});
  if (event.outcome == Outcome::Cancelled)
    return;
  Part part = read(choice, event);
  choice.callCount += part.calls.size();
  if (!request.stream) {
    choice.text += part.text;
    std::ranges::move(part.calls, std::back_inserter(choice.calls));
    std::ranges::move(part.told, std::back_inserter(choice.told));
  } else {
    if (isFirst)
      part.text.insert(0, choice.text);
    if (!part.text.empty() || !part.calls.empty() || !part.told.empty() || event.outcome)
      sendChunk(index, std::move(part));
  }
  if (!left)
    finish();
}

Completion::Part Completion::read(Choice &choice, Event &event) {
  if (!choice.parser)
    return {std::move(event.text), {}, std::move(event.told)};
  ToolParser::Piece piece = choice.parser->put(event.text);
  if (event.outcome) {
    ToolParser::Piece last = choice.parser->finish();
    piece.text += last.text;
    std::ranges::move(last.calls, std::back_inserter(piece.calls));
  }
  return {std::move(piece.text), std::move(piece.calls), std::move(event.told)};
}

void Completion::sendChunk(size_t index, Part part) {
  if (!std::exchange(hasBegun, true))
    reply->begin("text/event-stream");
  Json chunk = object(Json::array({describe(index, std::move(part))}));
  if (request.isChat && !std::exchange(choices[index].hasBegun, true))
    chunk["choices"][0]["delta"]["role"] = "assistant";
  if (request.includeUsage)
    chunk["usage"] = nullptr;
  reply->write("data: " + dump(chunk) + "\n\n");
}

void Completion::fail(const ApiError &error) {
  hasFailed = true;
  cancelAll();
  if (!hasBegun)
    return reply->send(error.status, "application/json", error.body());
  reply->write("data: " + error.body() + "\n\n");
  reply->end();
}

void Completion::finish() {
  if (!request.stream) {
    Json list = Json::array();
    for (size_t i = 0; i != choices.size(); ++i)
      list.push_back(describe(i, {std::move(choices[i].text), std::move(choices[i].calls),
                                  std::move(choices[i].told)}));
    Json whole = object(std::move(list));
    whole["usage"] = usage();
    return reply->send(200, "application/json", dump(whole));
  }
  if (request.includeUsage) {
    Json last = object(Json::array());
    last["usage"] = usage();
    reply->write("data: " + dump(last) + "\n\n");
  }
  reply->write("data: [DONE]\n\n");
  reply->end();
}

Json Completion::describe(size_t index, Part part) const {
  const std::optional<Outcome> outcome = choices[index].outcome;
  const bool hasCalls = choices[index].callCount != 0;
  Json made = {{"index", index},
               {"logprobs", describeLogprobs(part.told)},
               {"finish_reason", outcome ? Json(finishReason(*outcome, hasCalls)) : Json()}};
  if (!request.isChat)
    made["text"] = std::move(part.text);
  else
    made[request.stream ? "delta" : "message"] = describeMessage(index, std::move(part));
  return made;
}

Json Completion::describeLogprobs(const std::vector<Told> &told) const {
  if (request.sampling.likely < 0 || (request.stream && told.empty()))
    return nullptr;
  return request.isChat ? chatLogprobs(told, context.tokenizer)
                        : textLogprobs(told, context.tokenizer);
}

Json Completion::describeMessage(size_t index, Part part) const {
  Json made = Json::object();
  if (!request.stream)
    made["role"] = "assistant";
  if (!part.text.empty() || part.calls.empty())
    made["content"] = std::move(part.text);
  else if (!request.stream)
    made["content"] = nullptr;
  for (size_t i = 0; i != part.calls.size(); ++i) {
    Json call = {{"id", makeCallId()},
                 {"type", "function"},
                 {"function",
                  {{"name", std::move(part.calls[i].name)},
                   {"arguments", std::move(part.calls[i].arguments)}}}};
    if (request.stream)
      call["index"] = choices[index].callCount - part.calls.size() + i;
    made["tool_calls"].push_back(std::move(call));
  }
  return made;
}

Json Completion::usage() const {
  size_t prompt = 0, answer = 0;
  for (const std::vector<int32_t> &tokens : request.prompts)
    prompt += tokens.size();
  for (const Choice &choice : choices)
    answer += size_t(choice.tokens);
  return {
      {"prompt_tokens", prompt}, {"completion_tokens", answer}, {"total_tokens", prompt + answer}};
}

Json Completion::object(Json list) const {
  return {{"id", id},
          {"object", !request.isChat  ? "text_completion"
                     : request.stream ? "chat.completion.chunk"
                                      : "chat.completion"},
          {"created", created},
          {"model", context.modelName},
          {"choices", std::move(list)}};
}

} // namespace

std::string ApiError::body() const {
  const char *type = status == 429  ? "rate_limit_error"
                     : status < 500 ? "invalid_request_error"
                                    : "server_error";
  return dump({{"error",
                {{"message", message},
                 {"type", type},
                 {"param", parameter.empty() ? Json() : Json(parameter)},
                 {"code", code.empty() ? Json() : Json(code)}}}});
}

void complete(CompletionRequest request, const ApiContext &context,
              std::shared_ptr<HttpReply> reply) {
  std::make_shared<Completion>(std::move(request), context, std::move(reply))->start();
}

} // namespace engine
