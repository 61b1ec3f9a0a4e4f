//===- Scheduler.h - Which sequences take part in the next step -----------------===//
//
// Continuous batching: a sequence begins as soon as there are pages for it, and leaves when it
// ends. Sequences wait in the order of their arrival. When pages run out, the youngest of those
// that run gives its pages up and waits again; its tokens are computed again later. One thread at a
// time calls; Engine.h has the thread.
//
// Steps of prompts and of new tokens take turns. A step of prompts has maxPrefillTokens() tokens at
// most, the oldest sequence's first; what is longer goes on in the next one. So a sequence that
// generates waits for so many tokens at a time, however long the prompts of others are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Metrics.h"
#include "Model.h"
#include "Pages.h"
#include "TextStream.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>

namespace engine {

using Clock = std::chrono::steady_clock;

/// A token of an answer whose probability was asked for.
struct Told {
  Next next;
  /// Code points of the answer before its text.
  size_t position = 0;
};

/// News of one sequence. The last one has an outcome.
struct Event {
  std::string text = {};
  /// Tokens that were generated since the last event.
  int tokens = 0;
  /// Where Request::sampling.likely asks for it: of the tokens whose text begins in the text that
  /// is known now. A token that ends the sequence is not among them, nor one behind a stop string.
  std::vector<Told> told = {};
  std::optional<Outcome> outcome = {};
  /// Why, where the outcome is Error.
  std::string why = {};
  /// The server stops, or its device is lost: another server may take the request.
  bool unavailable = false;
};

struct Request {
  /// At least one.
  std::vector<int32_t> prompt;
  Sampling sampling;
  /// At least one. Scheduler::limit() is the most of prompt and answer together.
  int maxTokens = 16;
  std::vector<std::string> stops;
  /// Go on after tokens that end a sequence.
  bool ignoreEnd = false;
  Clock::time_point deadline = Clock::time_point::max();
  /// Called by the thread that calls the scheduler; must not block or throw.
  std::function<void(Event)> sink;
};

class Scheduler {
public:
  Scheduler(Model &model, const Tokenizer &tokenizer, std::vector<int32_t> endTokens,
            Metrics &metrics);
  ~Scheduler();

  /// The most tokens of prompt and answer: what positions and pages allow.
  static int limit(const Model &model);
  /// Why a request can't be served, if so.
  static Expected<void> check(const Model &model, const Request &request);

  /// `id` is larger than those of all requests before. A request that check() refuses ends with an
  /// error.
  void add(uint64_t id, Request request);
  /// Ends a sequence; without effect where it has ended.
  void cancel(uint64_t id);
  /// Ends all with an error, as unavailable.
  void failAll(const std::string &why);

  /// One call of the model, or none where no sequence is there.
  void step();

  bool isIdle() const { return waiting.empty() && running.empty(); }
  size_t waitingCount() const { return waiting.size(); }
  /// The model reported that its device is gone: all sequences fail.
  bool isLost() const { return lost; }

private:
  struct Sequence;
  using Table = std::map<uint64_t, std::unique_ptr<Sequence>>;

  int pagesFor(int positions) const;
  void expire();
  Sequence *admit();
  std::vector<Sequence *> growAll();
  void preemptYoungest();
  bool prefill();
  bool decode();
  void take(std::span<Sequence *const> batch, const std::vector<Work> &works,
            Expected<std::vector<Next>> given);
  void takeToken(Sequence &sequence, Next next);
  void failBatch(std::span<Sequence *const> batch, const Error &error);
  void end(Sequence &sequence, Outcome outcome, Event event);
  void publish();

  Model &model;
  const Tokenizer &tokenizer;
  const std::vector<int32_t> endTokens;
  Metrics &metrics;
  PageAllocator allocator;
  /// By arrival. All that run arrived before all that wait.
  Table waiting, running;
  bool lastWasPrefill = false;
  bool lost = false;
};

} // namespace engine
