#include "Engine.h"

namespace engine {

Engine::Engine(Model &model, const Tokenizer &tokenizer, Options given, Metrics &metrics)
    : options(std::move(given)), scheduler(model, tokenizer, options.endTokens, metrics),
      thread([this] { run(); }) {}

Engine::~Engine() {
  stop(Clock::now());
  thread.join();
}

std::expected<std::vector<uint64_t>, Refusal> Engine::submit(std::vector<Request> requests) {
  std::lock_guard guard(mutex);
  if (lost)
    return std::unexpected(Refusal::Lost);
  if (stopAt)
    return std::unexpected(Refusal::Stopping);
  if (waiting + requests.size() > size_t(options.maxWaiting))
    return std::unexpected(Refusal::Full);
  std::vector<uint64_t> ids;
  for (Request &request : requests) {
    ids.push_back(nextId);
    inbox.push_back({nextId++, std::move(request)});
  }
  waiting += ids.size();
  idle = false;
  wake.notify_one();
  return ids;
}

void Engine::cancel(uint64_t id) {
  std::lock_guard guard(mutex);
  inbox.push_back({id, std::nullopt});
  wake.notify_one();
}

void Engine::stop(Clock::time_point deadline) {
  std::lock_guard guard(mutex);
  stopAt = stopAt ? std::min(*stopAt, deadline) : deadline;
  wake.notify_one();
}

bool Engine::hasStopped() const {
  std::lock_guard guard(mutex);
  return ended;
}

bool Engine::isIdle() const {
  std::lock_guard guard(mutex);
  return idle;
}

bool Engine::collect(std::vector<Command> &commands) {
  std::unique_lock lock(mutex);
  waiting = scheduler.waitingCount();
  idle = scheduler.isIdle() && inbox.empty();
  wake.wait(lock, [&] { return !scheduler.isIdle() || !inbox.empty() || stopAt; });
  std::swap(commands, inbox);
  for (const Command &command : commands)
    waiting += command.request.has_value();
  const bool isLate =
      stopAt && (*stopAt <= Clock::now() || (scheduler.isIdle() && commands.empty()));
  return !isLate;
}

void Engine::run() {
  bool goesOn = true;
  while (goesOn) {
    std::vector<Command> commands;
    goesOn = collect(commands);
    for (Command &command : commands)
      if (command.request)
        scheduler.add(command.id, std::move(*command.request));
      else
        scheduler.cancel(command.id);
    if (!goesOn)
      scheduler.failAll("the server is stopping");
    else
      scheduler.step();
    if (scheduler.isLost() && !lost.exchange(true) && options.onLost)
      options.onLost();
  }
  std::lock_guard guard(mutex);
  idle = ended = true;
}

} // namespace engine
