#include "Scheduler.h"

#include <algorithm>
#include <deque>

namespace engine {

struct Scheduler::Sequence {
  Sequence(uint64_t id, Request request, PageAllocator &allocator, const Tokenizer &tokenizer)
      : id(id), request(std::move(request)), tokens(this->request.prompt), pages(allocator),
        text(tokenizer, this->request.stops) {}

  int size() const { return int(tokens.size()); }
  int generated() const { return size() - int(request.prompt.size()); }
  int missing() const { return size() - cached; }
  /// Moves what is certain into the event; with `all` what is not stopped, too.
  void tell(Event &event, bool all) {
    for (; !untold.empty() && (untold.front().position < text.certain() || all); untold.pop_front())
      event.told.push_back(std::move(untold.front()));
  }
  /// The next tokens that its pages lack.
  Work next(int count) const {
    return {std::span(tokens).subspan(size_t(cached), size_t(count)), cached, pages.pages(),
            request.sampling};
  }

  const uint64_t id;
  Request request;
  /// Prompt and answer.
  std::vector<int32_t> tokens;
  /// How many of them have keys and values in the pages.
  int cached = 0;
  PageList pages;
  TextStream text;
  /// Tokens to be told of when their text is certain.
  std::deque<Told> untold;
  const Clock::time_point arrival = Clock::now();
};

Scheduler::Scheduler(Model &model, const Tokenizer &tokenizer, std::vector<int32_t> endTokens,
                     Metrics &metrics)
    : model(model), tokenizer(tokenizer), endTokens(std::move(endTokens)), metrics(metrics),
      allocator(model.pageCount()) {
  publish();
}

Scheduler::~Scheduler() = default;

int Scheduler::limit(const Model &model) {
  return int(
      std::min(int64_t(model.maxPositions()), int64_t(model.pageCount()) * model.pageSize()));
}

Expected<void> Scheduler::check(const Model &model, const Request &request) {
  if (request.prompt.empty())
    return fail("the prompt has no tokens");
  for (int32_t token : request.prompt)
    if (token < 0 || token >= model.vocabulary())
      return fail("the prompt has the token " + std::to_string(token) +
                  ", which the model does not have");
  const int64_t total = int64_t(request.prompt.size()) + request.maxTokens;
  if (request.maxTokens < 1 || total > limit(model))
    return fail("the model's context has " + std::to_string(limit(model)) +
                " tokens; the prompt has " + std::to_string(request.prompt.size()) + ", and " +
                std::to_string(request.maxTokens) + " are asked for");
  return {};
}

int Scheduler::pagesFor(int positions) const {
  return (positions + model.pageSize() - 1) / model.pageSize();
}

void Scheduler::add(uint64_t id, Request request) {
  auto made = std::make_unique<Sequence>(id, std::move(request), allocator, tokenizer);
  Sequence &sequence = *made;
  waiting.emplace(id, std::move(made));
  if (Expected<void> checked = check(model, sequence.request); !checked)
    end(sequence, Outcome::Error, {.why = checked.error().text});
  else if (lost)
    end(sequence, Outcome::Error, {.why = "the device is lost", .unavailable = true});
  else
    metrics.promptTokens += sequence.request.prompt.size();
  publish();
}

void Scheduler::cancel(uint64_t id) {
  for (Table *table : {&waiting, &running})
    if (auto found = table->find(id); found != table->end()) {
      end(*found->second, Outcome::Cancelled, {});
      return publish();
    }
}

void Scheduler::failAll(const std::string &why) {
  for (Table *table : {&waiting, &running})
    while (!table->empty())
      end(*table->begin()->second, Outcome::Error, {.why = why, .unavailable = true});
  publish();
}

void Scheduler::expire() {
  const Clock::time_point now = Clock::now();
  for (Table *table : {&waiting, &running})
    for (auto entry = table->begin(); entry != table->end();) {
      Sequence &sequence = *entry++->second;
      if (sequence.request.deadline <= now)
        end(sequence, Outcome::Deadline, {});
    }
}

void Scheduler::step() {
  expire();
  // In turns, so that those that run go on while prompts are read.
  if (lastWasPrefill)
    lastWasPrefill = !decode() && prefill();
  else if (lastWasPrefill = prefill(); !lastWasPrefill)
    decode();
  publish();
}

/// Moves the next sequence from `waiting` to `running`, with pages for its tokens; null where there
/// is none, or no room.
Scheduler::Sequence *Scheduler::admit() {
  if (waiting.empty() || int(running.size()) >= model.maxSequences())
    return nullptr;
  Sequence &first = *waiting.begin()->second;
  // Some pages stay free for those that run, which would soon preempt it otherwise.
  const int reserve = running.empty() ? 0 : allocator.count() / 100;
  if (pagesFor(first.size() + 1) + reserve > allocator.free() ||
      !first.pages.grow(pagesFor(first.size())))
    return nullptr;
  running.insert(waiting.extract(waiting.begin()));
  return &first;
}

void Scheduler::preemptYoungest() {
  auto youngest = std::prev(running.end());
  youngest->second->pages.clear();
  youngest->second->cached = 0;
  waiting.insert(running.extract(youngest));
  ++metrics.preemptions;
}

/// Makes room for one more position of each sequence that lacks its newest token alone; the
/// youngest make room for the others.
std::vector<Scheduler::Sequence *> Scheduler::growAll() {
  std::vector<Sequence *> batch;
  for (auto entry = running.begin(); entry != running.end(); ++entry) {
    Sequence &sequence = *entry->second;
    if (sequence.missing() != 1)
      continue;
    while (!sequence.pages.grow(pagesFor(sequence.cached + 1))) {
      const bool isItself = std::prev(running.end()) == entry;
      preemptYoungest();
      if (isItself)
        return batch;
    }
    batch.push_back(&sequence);
  }
  return batch;
}

/// False where no sequence has tokens to be read, or there is no room for one that waits.
bool Scheduler::prefill() {
  std::vector<Sequence *> batch;
  std::vector<Work> works;
  int left = model.maxPrefillTokens();
  auto put = [&](Sequence &sequence) {
    const int count = std::min(sequence.missing(), left);
    batch.push_back(&sequence);
    works.push_back(sequence.next(count));
    left -= count;
  };
  for (auto &[id, sequence] : running)
    if (sequence->missing() > 1 && left != 0)
      put(*sequence);
  while (left != 0) {
    Sequence *const admitted = admit();
    if (!admitted)
      break;
    put(*admitted);
  }
  if (batch.empty())
    return false;
  const Clock::time_point start = Clock::now();
  Expected<std::vector<Next>> given = model.prefill(works);
  metrics.prefillStep.add(std::chrono::duration<double>(Clock::now() - start).count());
  ++metrics.prefills;
  take(batch, works, std::move(given));
  return true;
}

/// False where no sequence waits for a new token.
bool Scheduler::decode() {
  const std::vector<Sequence *> batch = growAll();
  if (batch.empty())
    return false;
  std::vector<Work> works;
  for (const Sequence *sequence : batch)
    works.push_back(sequence->next(1));
  const Clock::time_point start = Clock::now();
  Expected<std::vector<Next>> given = model.decode(works);
  metrics.decodeStep.add(std::chrono::duration<double>(Clock::now() - start).count());
  ++metrics.decodes;
  take(batch, works, std::move(given));
  return true;
}

void Scheduler::take(std::span<Sequence *const> batch, const std::vector<Work> &works,
                     Expected<std::vector<Next>> given) {
  if (!given)
    return failBatch(batch, given.error());
  if (given->size() != batch.size())
    return failBatch(batch, {"the model gave " + std::to_string(given->size()) + " tokens for " +
                             std::to_string(batch.size()) + " sequences"});
  for (size_t i = 0; i != batch.size(); ++i) {
    batch[i]->cached = works[i].position + int(works[i].tokens.size());
    // Of a part of a prompt the next token is there already.
    if (batch[i]->cached == batch[i]->size())
      takeToken(*batch[i], std::move((*given)[i]));
  }
}

void Scheduler::takeToken(Sequence &sequence, Next next) {
  const int32_t token = next.token;
  if (token < 0 || token >= model.vocabulary())
    return end(sequence, Outcome::Error,
               {.why = "the model gave the token " + std::to_string(token)});
  if (!sequence.generated())
    metrics.firstToken.add(std::chrono::duration<double>(Clock::now() - sequence.arrival).count());
  sequence.tokens.push_back(token);
  ++metrics.generatedTokens;
  const bool isEnd =
      !sequence.request.ignoreEnd && std::ranges::find(endTokens, token) != endTokens.end();
  if (!isEnd && sequence.request.sampling.likely >= 0)
    sequence.untold.push_back({std::move(next), sequence.text.position()});
  Event event = {.text = isEnd ? "" : sequence.text.put(token), .tokens = 1};
  const bool isFull = sequence.generated() == sequence.request.maxTokens;
  if (!isEnd && !isFull && !sequence.text.stopped()) {
    sequence.tell(event, false);
    return sequence.request.sink(std::move(event));
  }
  event.text += sequence.text.finish();
  sequence.tell(event, !sequence.text.stopped());
  end(sequence, isEnd || sequence.text.stopped() ? Outcome::Stop : Outcome::Length,
      std::move(event));
}

void Scheduler::failBatch(std::span<Sequence *const> batch, const Error &error) {
  lost |= error.deviceLost;
  for (Sequence *sequence : batch)
    end(*sequence, Outcome::Error, {.why = error.text, .unavailable = error.deviceLost});
  if (!error.deviceLost)
    return;
  failAll(error.text);
}

void Scheduler::end(Sequence &sequence, Outcome outcome, Event event) {
  ++metrics.outcomes[size_t(outcome)];
  metrics.wholeSequence.add(std::chrono::duration<double>(Clock::now() - sequence.arrival).count());
  event.outcome = outcome;
  sequence.request.sink(std::move(event));
  const uint64_t id = sequence.id;
  if (!running.erase(id))
    waiting.erase(id);
}

void Scheduler::publish() {
  metrics.waiting = int64_t(waiting.size());
  metrics.running = int64_t(running.size());
  metrics.pages = allocator.count();
  metrics.pagesFree = allocator.free();
}

} // namespace engine
