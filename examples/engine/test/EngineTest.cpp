#include "Engine.h"
#include "DoubleModel.h"
#include "TestTokenizer.h"

#include "gtest/gtest.h"

#include <future>
#include <random>

using namespace engine;

namespace {

struct Rig {
  explicit Rig(DoubleOptions options = {}, int maxWaiting = 512)
      : tokenizer(*Tokenizer::parse(tokenizerJson())), model(options),
        engine(model, tokenizer, {maxWaiting, {}, [this] { ++losses; }}, metrics) {}

  /// A request of which the end is told to `ends`.
  Request request(std::vector<int32_t> prompt, int maxTokens) {
    Request made;
    made.prompt = std::move(prompt);
    made.maxTokens = maxTokens;
    made.sink = [this](Event event) {
      if (event.outcome)
        ++ends[size_t(*event.outcome)];
    };
    return made;
  }
  std::vector<Request> requests(int count, int maxTokens) {
    std::vector<Request> made;
    for (int i = 0; i != count; ++i)
      made.push_back(request({1, i}, maxTokens));
    return made;
  }
  int ended(Outcome outcome) const { return ends[size_t(outcome)]; }
  void waitUntilIdle() const {
    while (!engine.isIdle())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  Tokenizer tokenizer;
  DoubleModel model;
  Metrics metrics;
  std::array<std::atomic<int>, size_t(Outcome::Count)> ends = {};
  std::atomic<int> losses = 0;
  Engine engine;
};

TEST(Engine, ServesSeveralThreads) {
  Rig rig({}, 2000);
  std::atomic<int> sent = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != 4; ++i)
    threads.emplace_back([&, i] {
      std::mt19937 random(i);
      for (int round = 0; round != 100; ++round) {
        auto ids = rig.engine.submit(rig.requests(1 + int(random() % 3), 1 + int(random() % 20)));
        ASSERT_TRUE(ids);
        sent += int(ids->size());
        if (random() % 4 == 0)
          rig.engine.cancel(ids->front());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  rig.waitUntilIdle();
  EXPECT_EQ(rig.ended(Outcome::Length) + rig.ended(Outcome::Cancelled), sent);
  EXPECT_EQ(rig.metrics.pagesFree, rig.metrics.pages);
}

TEST(Engine, RefusesWhenTooManyWait) {
  DoubleOptions options;
  options.maxSequences = 1;
  options.stepMicroseconds = 1000;
  Rig rig(options, 10);
  ASSERT_TRUE(rig.engine.submit(rig.requests(10, 100)));
  auto refused = rig.engine.submit(rig.requests(10, 100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Refusal::Full);
}

TEST(Engine, StopsAtTheDeadline) {
  DoubleOptions options;
  options.stepMicroseconds = 1000;
  Rig rig(options);
  ASSERT_TRUE(rig.engine.submit(rig.requests(1, 5)));
  ASSERT_TRUE(rig.engine.submit(rig.requests(3, 500)));
  rig.engine.stop(Clock::now() + std::chrono::milliseconds(200));
  auto refused = rig.engine.submit(rig.requests(1, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Refusal::Stopping);
  while (!rig.engine.hasStopped())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(rig.ended(Outcome::Length), 1);
  EXPECT_EQ(rig.ended(Outcome::Error), 3);
}

TEST(Engine, StopsAtOnceWhenNothingIsThere) {
  Rig rig;
  const Clock::time_point start = Clock::now();
  rig.engine.stop(start + std::chrono::hours(1));
  while (!rig.engine.hasStopped())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(Engine, TellsOnceThatTheDeviceIsLost) {
  DoubleOptions options;
  options.lostToken = 9;
  Rig rig(options);
  std::vector<Request> bad;
  bad.push_back(rig.request({9}, 3));
  ASSERT_TRUE(rig.engine.submit(std::move(bad)));
  rig.waitUntilIdle();
  while (!rig.engine.isLost())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  auto refused = rig.engine.submit(rig.requests(1, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Refusal::Lost);
  EXPECT_EQ(rig.ended(Outcome::Error), 1);
  while (!rig.losses)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(rig.losses, 1);
}

} // namespace
