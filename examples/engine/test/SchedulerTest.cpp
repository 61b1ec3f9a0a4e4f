#include "Scheduler.h"
#include "DoubleModel.h"
#include "TestTokenizer.h"

#include "gtest/gtest.h"

#include <random>

using namespace engine;

namespace {

/// What came of one request.
struct Result {
  std::string text;
  int tokens = 0, ends = 0;
  std::vector<Told> told;
  Outcome outcome = Outcome::Count;
  std::string why;
};

/// A scheduler over the double, and all results.
struct Rig {
  explicit Rig(DoubleOptions options = {}, std::vector<int32_t> ends = {})
      : tokenizer(*Tokenizer::parse(tokenizerJson())), ends(ends), model(options),
        scheduler(model, tokenizer, ends, metrics) {}

  uint64_t add(std::vector<int32_t> prompt, int maxTokens, Request request = {}) {
    const uint64_t id = ++last;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    requests[id] = request;
    request.sink = [this, id](Event event) {
      Result &result = results[id];
      result.text += event.text;
      result.tokens += event.tokens;
      result.told.insert(result.told.end(), event.told.begin(), event.told.end());
      if (event.outcome) {
        ++result.ends;
        result.outcome = *event.outcome;
        result.why = event.why;
      }
    };
    scheduler.add(id, std::move(request));
    return id;
  }

  void finish() {
    for (int i = 0; i != 100000 && !scheduler.isIdle(); ++i)
      scheduler.step();
    EXPECT_TRUE(scheduler.isIdle());
    EXPECT_EQ(metrics.pagesFree, metrics.pages);
    EXPECT_EQ(metrics.running, 0);
    EXPECT_EQ(metrics.waiting, 0);
    for (auto &[id, request] : requests)
      EXPECT_EQ(results[id].ends, 1) << id;
  }

  /// The answer is what the model makes of this prompt alone.
  void expectAnswer(uint64_t id) {
    const Request &request = requests[id];
    std::vector<int32_t> tokens =
        model.answer(request.prompt, request.maxTokens, request.sampling, ends);
    const bool stops = std::ranges::find(ends, tokens.back()) != ends.end();
    EXPECT_EQ(results[id].outcome, stops ? Outcome::Stop : Outcome::Length)
        << id << ": " << results[id].why;
    EXPECT_EQ(results[id].tokens, int(tokens.size())) << id;
    if (stops)
      tokens.pop_back();
    EXPECT_EQ(results[id].text, tokenizer.decode(tokens, true)) << id;
  }

  Tokenizer tokenizer;
  std::vector<int32_t> ends;
  DoubleModel model;
  Metrics metrics;
  Scheduler scheduler;
  uint64_t last = 0;
  std::map<uint64_t, Request> requests;
  std::map<uint64_t, Result> results;
};

std::vector<int32_t> randomPrompt(std::mt19937 &random, size_t length) {
  std::vector<int32_t> prompt(length);
  for (int32_t &token : prompt)
    token = int32_t(random() % 256);
  return prompt;
}

TEST(Scheduler, AnswersAreThoseOfTheModelAlone) {
  Rig rig;
  std::mt19937 random(1);
  for (int i = 0; i != 60; ++i)
    rig.add(randomPrompt(random, 1 + random() % 100), 1 + int(random() % 40));
  rig.finish();
  for (auto &[id, request] : rig.requests)
    rig.expectAnswer(id);
  EXPECT_GT(rig.metrics.decodes, 0u);
  EXPECT_LT(rig.metrics.decodes + rig.metrics.prefills, 60u * 20u) << "nothing was done together";
}

TEST(Scheduler, PreemptedSequencesGetTheSameAnswers) {
  DoubleOptions options;
  options.pageSize = 4;
  options.pageCount = 20;
  options.maxPrefillTokens = 24; // less than a whole sequence
  Rig rig(options);
  std::mt19937 random(2);
  for (int i = 0; i != 40; ++i) {
    Request request;
    request.sampling = {float(i % 2), 1, i % 5, uint64_t(i)};
    rig.add(randomPrompt(random, 1 + random() % 40), 1 + int(random() % 40), request);
  }
  rig.finish();
  EXPECT_GT(rig.metrics.preemptions, 10u);
  for (auto &[id, request] : rig.requests)
    rig.expectAnswer(id);
}

TEST(Scheduler, OldSequencesAreNotPreemptedForYoungOnes) {
  DoubleOptions options;
  options.pageSize = 4;
  options.pageCount = 16;
  Rig rig(options);
  const uint64_t oldest = rig.add({1, 2, 3}, 61);
  for (int i = 0; i != 10; ++i)
    rig.add({4, 5, int32_t(i)}, 61);
  // Of one sequence alone: 61 tokens by a prefill and 60 decodes; others have their turns between.
  while (!rig.results[oldest].ends)
    rig.scheduler.step();
  EXPECT_LE(rig.model.steps, 2 * 61);
  EXPECT_GT(rig.metrics.preemptions, 0u);
  rig.finish();
  rig.expectAnswer(oldest);
}

TEST(Scheduler, RandomArrivalsCancellationsAndDeadlines) {
  for (unsigned seed = 0; seed != 20; ++seed) {
    std::mt19937 random(seed);
    DoubleOptions options;
    options.pageSize = 1 + int(random() % 8);
    options.pageCount = 8 + int(random() % 60);
    options.maxSequences = 1 + int(random() % 8);
    options.maxPrefillTokens = 8 + int(random() % 100);
    options.vocabulary = 300;
    Rig rig(options, {7, 99});
    const int limit = Scheduler::limit(rig.model);
    std::set<uint64_t> disturbed;
    for (int i = 0; i != 400; ++i) {
      if (random() % 3 == 0) {
        const int length = 1 + int(random()) % (limit - 1);
        const int prompt = std::max(1, std::abs(length));
        Request request;
        request.sampling = {float(random() % 2), 1, 0, random()};
        if (random() % 8 == 0)
          request.deadline = Clock::now();
        const uint64_t id = rig.add(randomPrompt(random, size_t(prompt)),
                                    1 + int(random() % unsigned(limit - prompt)), request);
        if (request.deadline != Clock::time_point::max())
          disturbed.insert(id);
      }
      if (random() % 16 == 0 && rig.last) {
        const uint64_t id = 1 + random() % rig.last;
        if (!rig.results[id].ends)
          disturbed.insert(id);
        rig.scheduler.cancel(id);
      }
      rig.scheduler.step();
    }
    rig.finish();
    for (auto &[id, request] : rig.requests)
      if (!disturbed.contains(id))
        rig.expectAnswer(id);
      else
        EXPECT_TRUE(rig.results[id].outcome == Outcome::Cancelled ||
                    rig.results[id].outcome == Outcome::Deadline);
  }
}

TEST(Scheduler, RunningSequencesGoOnWhileOthersArrive) {
  DoubleOptions options;
  options.maxSequences = 64;
  options.pageCount = 1000;
  Rig rig(options);
  const uint64_t first = rig.add({1}, 20);
  rig.scheduler.step();
  for (int i = 0; i != 19; ++i) {
    rig.add({2, int32_t(i)}, 5);
    rig.scheduler.step();
    rig.add({3, int32_t(i)}, 5);
    rig.scheduler.step();
  }
  EXPECT_EQ(rig.results[first].tokens, 20);
  rig.finish();
}

TEST(Scheduler, LongPromptsGoInPartsBetweenNewTokensOfOthers) {
  DoubleOptions options;
  options.maxPrefillTokens = 20;
  Rig rig(options);
  std::mt19937 random(3);
  const uint64_t running = rig.add({1}, 60), other = rig.add({2}, 60);
  rig.scheduler.step();
  const uint64_t longest = rig.add(randomPrompt(random, 410), 5);
  const uint64_t behind = rig.add(randomPrompt(random, 15), 5);
  int steps = 0;
  for (int before = 1; !rig.results[longest].tokens;
       ++steps, before = rig.results[running].tokens) {
    rig.scheduler.step();
    rig.scheduler.step();
    EXPECT_EQ(rig.results[running].tokens, before + 1);
    EXPECT_EQ(rig.results[other].tokens, before + 1);
  }
  EXPECT_EQ(steps, 21);
  EXPECT_EQ(rig.metrics.prefills, 22u);
  EXPECT_FALSE(rig.results[behind].tokens) << "its last tokens wait for the next step";
  rig.finish();
  for (uint64_t id : {running, other, longest, behind})
    rig.expectAnswer(id);
  EXPECT_EQ(rig.metrics.prefills, 23u);
}

TEST(Scheduler, AFailureEndsThoseOfTheStepAlone) {
  DoubleOptions options;
  options.failToken = 200;
  Rig rig(options);
  const std::vector<int32_t> good = {1, 2, 3};
  const uint64_t before = rig.add(good, 12);
  rig.scheduler.step();
  const uint64_t bad = rig.add({200}, 4);
  rig.finish();
  const uint64_t after = rig.add(good, 12);
  rig.finish();
  rig.expectAnswer(before);
  rig.expectAnswer(after);
  EXPECT_EQ(rig.results[bad].outcome, Outcome::Error);
  EXPECT_EQ(rig.results[bad].why, "the double failed");
  EXPECT_FALSE(rig.scheduler.isLost());
}

TEST(Scheduler, ALostDeviceEndsAll) {
  DoubleOptions options;
  options.lostToken = 200;
  options.maxSequences = 2;
  Rig rig(options);
  for (int i = 0; i != 3; ++i)
    rig.add({1, int32_t(i)}, 500);
  rig.scheduler.step();
  rig.scheduler.cancel(1);
  rig.add({200}, 4);
  rig.scheduler.cancel(3);
  rig.finish();
  EXPECT_TRUE(rig.scheduler.isLost());
  EXPECT_EQ(rig.results[2].outcome, Outcome::Error);
  rig.add({1}, 1);
  EXPECT_EQ(rig.results[5].outcome, Outcome::Error);
  EXPECT_EQ(rig.results[5].why, "the device is lost");
}

TEST(Scheduler, EndTokensEndUnlessIgnored) {
  Rig plain;
  const std::vector<int32_t> answer = plain.model.answer({5, 6}, 30);
  Rig rig({}, {answer[9]});
  const uint64_t stopped = rig.add({5, 6}, 30);
  Request ignoring;
  ignoring.ignoreEnd = true;
  const uint64_t whole = rig.add({5, 6}, 30, ignoring);
  rig.finish();
  rig.expectAnswer(stopped);
  EXPECT_EQ(rig.results[stopped].outcome, Outcome::Stop);
  EXPECT_EQ(rig.results[whole].outcome, Outcome::Length);
  EXPECT_EQ(rig.results[whole].tokens, 30);
}

TEST(Scheduler, StopStringsEndAcrossTokens) {
  Rig rig;
  const std::string text = rig.tokenizer.decode(rig.model.answer({5, 6}, 60), true);
  // Three characters somewhere: most tokens are one byte.
  size_t at = 10;
  while (static_cast<signed char>(text[at]) < 0)
    ++at;
  const std::string stop = text.substr(at, 3);
  Request request;
  request.stops = {"never there", stop};
  const uint64_t id = rig.add({5, 6}, 60, request);
  rig.finish();
  EXPECT_EQ(rig.results[id].outcome, Outcome::Stop);
  EXPECT_EQ(rig.results[id].text, text.substr(0, text.find(stop)));
  EXPECT_LT(rig.results[id].tokens, 60);
}

TEST(Scheduler, TellsProbabilitiesOfTheTokensInTheText) {
  const std::vector<int32_t> ends = {Rig().model.answer({5, 6}, 30)[25]};
  std::string whole;
  for (const bool isStopped : {false, true}) {
    Rig rig({}, ends);
    Request request;
    request.sampling.likely = 2;
    std::string stop = "never there";
    if (isStopped)
      for (size_t at = whole.size() / 3; at != whole.size() && stop.size() != 1; ++at)
        if (static_cast<signed char>(whole[at]) >= 0 && whole.find(whole[at]) == at)
          stop = whole.substr(at, 1);
    ASSERT_EQ(isStopped, stop.size() == 1);
    request.stops = {stop};
    const uint64_t id = rig.add({5, 6}, 30, request), other = rig.add({5, 6}, 30);
    rig.finish();
    const Result &result = rig.results[id];
    if (!isStopped)
      whole = result.text;
    EXPECT_EQ(result.outcome, Outcome::Stop);
    EXPECT_TRUE(rig.results[other].told.empty()) << "it did not ask";
    std::vector<int32_t> context = {5, 6};
    size_t characters = 0;
    for (const Told &told : result.told) {
      EXPECT_EQ(told.next.token, DoubleModel::next(context, {}, 512));
      ASSERT_EQ(told.next.likely.size(), 2u);
      EXPECT_EQ(told.next.likely[0].token, told.next.token);
      EXPECT_EQ(told.next.likely[0].logProbability, told.next.logProbability);
      context.push_back(told.next.token);
      EXPECT_LE(characters, told.position);
      characters = told.position;
    }
    const size_t length =
        size_t(std::ranges::count_if(result.text, [](char byte) { return (byte & 0xC0) != 0x80; }));
    EXPECT_LT(characters, length);
    if (!isStopped)
      EXPECT_EQ(result.told.size(), 25u) << "the token that ends is not told";
    else
      EXPECT_LT(result.told.size(), 25u);
    // The next token's text would begin behind the end.
    context.erase(context.begin(), context.begin() + 2);
    EXPECT_GE(rig.tokenizer.decode(context, true).size(), result.text.size());
  }
}

TEST(Scheduler, PreemptedSequencesTellEachTokenOnce) {
  DoubleOptions options;
  options.pageSize = 4;
  options.pageCount = 20;
  Rig rig(options);
  std::mt19937 random(2);
  for (int i = 0; i != 20; ++i) {
    Request request;
    request.sampling.likely = 0;
    request.ignoreEnd = true;
    rig.add(randomPrompt(random, 1 + random() % 20), 1 + int(random() % 40), request);
  }
  rig.finish();
  EXPECT_GT(rig.metrics.preemptions, 5u);
  for (auto &[id, request] : rig.requests)
    EXPECT_EQ(int(rig.results[id].told.size()), request.maxTokens);
}

TEST(Scheduler, RefusesWhatDoesNotFit) {
  DoubleOptions options;
  options.pageSize = 4;
  options.pageCount = 10;
  Rig rig(options);
  EXPECT_EQ(Scheduler::limit(rig.model), 40);
  const uint64_t fits = rig.add(std::vector<int32_t>(30, 1), 10);
  const uint64_t tooLong = rig.add(std::vector<int32_t>(30, 1), 11), none = rig.add({1}, 0),
                 empty = rig.add({}, 1), unknown = rig.add({512}, 1);
  rig.finish();
  rig.expectAnswer(fits);
  for (uint64_t id : {tooLong, none, empty, unknown})
    EXPECT_EQ(rig.results[id].outcome, Outcome::Error) << id;
}

TEST(Pages, AreNeverGivenTwice) {
  PageAllocator allocator(3);
  const int32_t first = *allocator.take(), second = *allocator.take(), third = *allocator.take();
  EXPECT_EQ((std::set{first, second, third}), (std::set{0, 1, 2}));
  EXPECT_FALSE(allocator.take());
  EXPECT_TRUE(allocator.release(second));
  EXPECT_FALSE(allocator.release(second));
  EXPECT_FALSE(allocator.release(-1));
  EXPECT_FALSE(allocator.release(3));
  EXPECT_EQ(allocator.free(), 1);
  EXPECT_EQ(allocator.take(), second);
}

TEST(Pages, AListTakesAllOrNothing) {
  PageAllocator allocator(4);
  PageList first(allocator);
  EXPECT_TRUE(first.grow(3));
  {
    PageList second(allocator);
    EXPECT_FALSE(second.grow(2));
    EXPECT_EQ(allocator.free(), 1);
    EXPECT_TRUE(second.grow(1));
    EXPECT_TRUE(first.grow(2)) << "it has three";
  }
  EXPECT_EQ(allocator.free(), 1);
  EXPECT_TRUE(first.grow(4));
  first.clear();
  EXPECT_EQ(allocator.free(), 4);
}

} // namespace
