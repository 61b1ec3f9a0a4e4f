//===- Engine.h - The thread that runs the model --------------------------------===//
#pragma once

#include "Scheduler.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace engine {

/// Why a request is not taken.
enum class Refusal { Full, Stopping, Lost };

/// Owns the scheduler and its thread. All functions can be called by several threads.
class Engine {
public:
  struct Options {
    /// Sequences that may wait for their turn.
    int maxWaiting = 512;
    std::vector<int32_t> endTokens;
    /// Called once by the engine's thread when the device is lost.
    std::function<void()> onLost;
  };
  Engine(Model &model, const Tokenizer &tokenizer, Options options, Metrics &metrics);
  /// Stops at once.
  ~Engine();

  /// Takes all of the requests or none, and gives their numbers. Each request's sink gets its last
  /// event, with an outcome, exactly once.
  std::expected<std::vector<uint64_t>, Refusal> submit(std::vector<Request> requests);
  void cancel(uint64_t id);

  /// Takes no more requests. Those that are there may end until then; the others fail.
  void stop(Clock::time_point deadline);
  /// stop() was called and everything has ended.
  bool hasStopped() const;
  /// No request is there.
  bool isIdle() const;
  bool isLost() const { return lost; }

private:
  struct Command {
    uint64_t id = 0;
    /// Nullopt: cancel it.
    std::optional<Request> request;
  };
  void run();
  /// Waits until there is something to do; false to end.
  bool collect(std::vector<Command> &commands);

  const Options options;
  Scheduler scheduler;
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::vector<Command> inbox;
  uint64_t nextId = 1;
  size_t waiting = 0;
  bool idle = true, ended = false;
  std::optional<Clock::time_point> stopAt;
  std::atomic<bool> lost = false;
  std::thread thread;
};

} // namespace engine
