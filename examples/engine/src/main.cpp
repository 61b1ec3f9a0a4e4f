//===- main.cpp - The engine -----------------------------------------------------===//
#include "Api.h"
#include "Options.h"
#include "Supervise.h"

#include <csignal>
#include <cstdio>
#include <future>
#include <unistd.h>

using namespace engine;

namespace {

/// Whatever a worker needs to answer; members are destroyed from the last to the first.
struct Parts {
  Folder folder;
  Tokenizer tokenizer;
  std::unique_ptr<Model> model;
  std::shared_ptr<const ChatTemplate> chat;
  std::string whyNoChat;
  Metrics metrics;
};

Expected<std::unique_ptr<Parts>> openParts(const Options &options) {
  auto parts = std::make_unique<Parts>();
  Expected<Folder> folder = Folder::open(options.folder);
  if (!folder)
    return std::unexpected(folder.error());
  parts->folder = std::move(*folder);
  Expected<Tokenizer> tokenizer = Tokenizer::open(options.folder);
  if (!tokenizer)
    return std::unexpected(tokenizer.error());
  parts->tokenizer = std::move(*tokenizer);
  if (parts->tokenizer.size() > parts->folder.config().vocabulary)
    return fail(options.folder + ": the tokenizer has " + std::to_string(parts->tokenizer.size()) +
                " tokens, the model only " + std::to_string(parts->folder.config().vocabulary));
  Expected<ChatTemplate> chat = ChatTemplate::open(options.folder);
  if (chat)
    parts->chat = std::make_shared<const ChatTemplate>(std::move(*chat));
  else
    parts->whyNoChat = chat.error().text;
  return parts;
}

int report(const Error &error, int status) {
  fprintf(stderr, "engine: %s\n", error.text.c_str());
  return status;
}

/// One completion to stdout, as its text comes.
int completeOnce(const Options &options, Parts &parts) {
  Expected<std::vector<int32_t>> prompt = parts.tokenizer.encode(*options.prompt, true);
  if (!prompt)
    return report(prompt.error(), exitUsage);
  Request request;
  request.prompt = std::move(*prompt);
  request.maxTokens = options.maxTokens;
  if (Expected<void> checked = Scheduler::check(*parts.model, request); !checked)
    return report(checked.error(), exitUsage);
  std::promise<Event> last;
  request.sink = [&](Event event) {
    fputs(event.text.c_str(), stdout);
    fflush(stdout);
    if (event.outcome)
      last.set_value(std::move(event));
  };
  Engine engine(*parts.model, parts.tokenizer, {1, parts.folder.config().endTokens, {}},
                parts.metrics);
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  if (!engine.submit(std::move(requests)))
    return report({"the request was refused"}, 1);
  const Event event = last.get_future().get();
  putchar('\n');
  return event.outcome == Outcome::Error ? report({event.why}, engine.isLost() ? exitLost : 1)
                                         : exitDone;
}

HttpOptions httpOptions(const Options &options, Metrics &metrics) {
  HttpOptions http;
  http.host = options.host;
  http.port = uint16_t(options.port);
  http.maxConnections = options.maxConnections;
  http.errorBody = [](int status, const std::string &text) {
    return ApiError{status, text}.body();
  };
  http.onResponse = [&metrics](int status) { metrics.countResponse(status); };
  http.onConnections = [&metrics](int count) { metrics.connections = count; };
  return http;
}

std::string modelName(const Options &options) {
  if (!options.name.empty())
    return options.name;
  return std::filesystem::weakly_canonical(options.folder).filename().string();
}

/// Until one of `signals` comes or the device is lost; true for a signal.
bool waitForSignal(const sigset_t &signals, const Engine &engine) {
  const timespec moment = {0, 50'000'000};
  while (!engine.isLost())
    if (sigtimedwait(&signals, nullptr, &moment) > 0)
      return true;
  return false;
}

int serve(const Options &options, Parts &parts, const sigset_t &signals) {
  Engine engine(*parts.model, parts.tokenizer,
                {options.maxWaiting, parts.folder.config().endTokens, {}}, parts.metrics);
  Api api({engine, parts.tokenizer, *parts.model, modelName(options), 128,
           std::chrono::seconds(options.requestTime), parts.chat, parts.whyNoChat},
          parts.metrics);
  auto handler = [&api](HttpRequest request, std::shared_ptr<HttpReply> reply) {
    api.handle(std::move(request), reply);
  };
  Expected<std::unique_ptr<HttpServer>> server =
      HttpServer::start(httpOptions(options, parts.metrics), handler);
  if (!server)
    return report(server.error(), 1);
  printf("http://%s:%d serves %s\n", options.host.c_str(), int((*server)->port()),
         modelName(options).c_str());
  fflush(stdout);

  const bool isAsked = waitForSignal(signals, engine);
  fprintf(stderr, "engine: %s\n", isAsked ? "stopping" : "the device is lost");
  api.setStopping();
  (*server)->stopAccepting();
  const Clock::time_point deadline =
      Clock::now() + std::chrono::seconds(isAsked ? options.stopTime : 0);
  engine.stop(deadline);
  const timespec moment = {0, 20'000'000};
  while (!engine.hasStopped())
    if (sigtimedwait(&signals, nullptr, &moment) > 0)
      engine.stop(Clock::now());
  (*server)->waitForAnswers(Clock::now() + std::chrono::seconds(2));
  return isAsked ? exitDone : exitLost;
}

int work(const Options &options) {
  // Before there are threads, which inherit it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (!options.prompt)
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  Expected<std::unique_ptr<Parts>> parts = openParts(options);
  if (!parts)
    return report(parts.error(), exitUsage);
  Expected<std::unique_ptr<Model>> model = openModel(options.model, (*parts)->folder);
  if (!model)
    return report(model.error(), model.error().deviceLost ? exitLost : 1);
  (*parts)->model = std::move(*model);
  const int status =
      options.prompt ? completeOnce(options, **parts) : serve(options, **parts, signals);
  // What would be released on a lost device might never return.
  if (status == exitLost)
    _exit(status);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<const char *> arguments(argv + 1, argv + argc);
  Expected<Options> options = parseOptions(arguments);
  if (!options) {
    report(options.error(), exitUsage);
    fputs(usageText, stderr);
    return exitUsage;
  }
  if (options->help) {
    fputs(usageText, stdout);
    return exitDone;
  }
  if (!options->supervise)
    return work(*options);
  std::vector<const char *> rest;
  for (const char *argument : arguments)
    if (std::string_view(argument) != "--supervise")
      rest.push_back(argument);
  return supervise(rest);
}
