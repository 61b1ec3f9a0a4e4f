#include "support/Forks.h"

#include "gtest/gtest.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <sys/wait.h>
#include <unistd.h>

using namespace gluonc;

namespace {

/// Whether `body` is true in a child, which has ten seconds for it.
bool holdsInChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (!child) {
    alarm(10);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A thread that goes on when it is told to.
class Other {
public:
  explicit Other(const std::function<void(Other &)> &body) : thread([this, body] { body(*this); }) {
    while (!isThere)
      std::this_thread::yield();
  }
  ~Other() { end(); }
  void waitForEnd() {
    isThere = true;
    while (!mayEnd)
      std::this_thread::yield();
  }
  void end() {
    mayEnd = true;
    if (thread.joinable())
      thread.join();
  }

private:
  std::atomic<bool> isThere = false, mayEnd = false;
  std::thread thread;
};

TEST(Forks, AForkWaitsForThreadsAtWork) {
  std::atomic<bool> isDone = false;
  std::atomic<bool> isAtWork = false;
  std::thread worker([&] {
    AtWork working;
    isAtWork = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    isDone = true;
  });
  while (!isAtWork)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] { return isDone && !lostWork(); }));
  worker.join();
}

TEST(Forks, AForkDoesNotWaitForThreadsAtRest) {
  ForkableMutex mutex;
  Other other([&](Other &self) {
    AtWork working;
    std::lock_guard guard(mutex);
    AtRest resting;
    self.waitForEnd();
  });
  // Whoever waits for the mutex is at rest, too.
  std::thread waiting([&] {
    AtWork working;
    std::lock_guard guard(mutex);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(holdsInChild([&] {
    AtWork working;
    std::lock_guard guard(mutex);
    return !lostWork() && mutex.takeAbandoned() && !mutex.takeAbandoned();
  }));
  other.end();
  waiting.join();
  std::lock_guard guard(mutex);
  EXPECT_FALSE(mutex.takeAbandoned());
}

TEST(Forks, WhatTheForkingThreadHoldsItHoldsInTheChild) {
  ForkableMutex mutex;
  AtWork working;
  std::lock_guard guard(mutex);
  std::lock_guard again(mutex);
  EXPECT_TRUE(holdsInChild([&] {
    std::atomic<bool> isLocked = false;
    {
      std::lock_guard third(mutex);
      EXPECT_FALSE(mutex.takeAbandoned());
    }
    std::thread([&] {
      std::thread([&] {
        std::lock_guard guard(mutex);
        isLocked = true;
      }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }).join();
    return !isLocked && !lostWork();
  }));
}

TEST(Forks, AChildIsToldOfWorkThatDidNotEndInTime) {
  setForkPatience(std::chrono::milliseconds(20));
  {
    Other other([](Other &self) {
      AtWork working;
      self.waitForEnd();
    });
    EXPECT_TRUE(holdsInChild([] {
      AtWork working;
      return lostWork();
    }));
  }
  setForkPatience(std::chrono::seconds(10));
  EXPECT_FALSE(lostWork());
  EXPECT_TRUE(holdsInChild([] { return !lostWork(); }));
}

TEST(Forks, ScopesThatAnExceptionTookAwayDoNotCount) {
  {
    AtWork working;
    // Code without exceptions does not end what it began.
    alignas(AtRest) static unsigned char left[sizeof(AtRest)];
    new (left) AtRest;
  }
  {
    AtWork working;
    {
      AtWork nested;
      alignas(AtRest) static unsigned char left[sizeof(AtRest)];
      new (left) AtRest;
    }
    // Again at work.
    std::atomic<bool> isForked = false;
    std::thread forking([&] {
      EXPECT_TRUE(holdsInChild([] { return true; }));
      isForked = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(isForked);
    AtRest resting;
    forking.join();
  }
  EXPECT_TRUE(holdsInChild([] { return !lostWork(); }));
}

} // namespace
