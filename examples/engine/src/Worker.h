//===- Worker.h - A thread for one thing after the other ------------------------===//
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace engine {

/// A thread that does one thing after the other.
class Worker {
public:
  Worker() : thread([this](const std::stop_token &stop) { run(stop); }) {}

  void start(std::function<void()> work) {
    std::lock_guard guard(lock);
    todo = std::move(work);
    changed.notify_all();
  }
  void finish() {
    std::unique_lock guard(lock);
    changed.wait(guard, [this] { return !todo; });
  }

private:
  void run(const std::stop_token &stop) {
    std::unique_lock guard(lock);
    while (changed.wait(guard, stop, [this] { return bool(todo); })) {
      guard.unlock();
      todo();
      guard.lock();
      todo = nullptr;
      changed.notify_all();
    }
  }

  std::mutex lock;
  std::condition_variable_any changed;
  std::function<void()> todo;
  std::jthread thread;
};

} // namespace engine
