#include "Completions.h"

#include "Json.h"

#include <atomic>
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
    int tokens = 0;
    std::optional<Outcome> outcome;
    bool hasBegun = false; // to be streamed
  };
  std::vector<Request> makeRequests();
  void take(size_t index, Event event);
  void sendChunk(size_t index, const std::string &text);
  void fail(const ApiError &error);
  void finish();
  void cancelAll();
  Json describe(size_t index, std::string text) const;
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

const char *finishReason(Outcome outcome) { return outcome == Outcome::Stop ? "stop" : "length"; }

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
      sendChunk(i, choices[i].text);
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
  if (!request.stream)
    choice.text += event.text;
  else if (const std::string text = (isFirst ? choice.text : "") + event.text;
           !text.empty() || event.outcome)
    sendChunk(index, text);
  if (!left)
    finish();
}

void Completion::sendChunk(size_t index, const std::string &text) {
  if (!std::exchange(hasBegun, true))
    reply->begin("text/event-stream");
  Json chunk = object(Json::array({describe(index, text)}));
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
      list.push_back(describe(i, std::move(choices[i].text)));
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

Json Completion::describe(size_t index, std::string text) const {
  const std::optional<Outcome> outcome = choices[index].outcome;
  Json made = {{"index", index},
               {"logprobs", nullptr},
               {"finish_reason", outcome ? Json(finishReason(*outcome)) : Json()}};
  if (!request.isChat)
    made["text"] = std::move(text);
  else if (request.stream)
    made["delta"] = {{"content", std::move(text)}};
  else
    made["message"] = {{"role", "assistant"}, {"content", std::move(text)}};
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
