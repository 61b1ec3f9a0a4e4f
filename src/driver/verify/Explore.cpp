#include "driver/verify/Explore.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <utility>

namespace gluonc::driver {

std::optional<sim::Schedule> ScheduleExplorer::next() {
  while (!waiting.empty() && waiting.begin()->second.empty())
    waiting.erase(waiting.begin());
  if (waiting.empty())
    return std::nullopt;
  interruptions = waiting.begin()->first;
  Alternative next = std::move(waiting.begin()->second.front());
  waiting.begin()->second.pop_front();
  parent = std::move(next.node);
  sim::Schedule schedule;
  schedule.choices = std::move(next.choices);
  schedule.sleeping = std::move(next.sleeping);
  return schedule;
}

/// Makes the next alternative of a decision known.
void ScheduleExplorer::open(std::shared_ptr<Node> node) {
  if (node->rest.empty())
    return;
  Alternative next;
  next.choices = node->prefix;
  next.choices.push_back(node->rest.front());
  node->rest.pop_front();
  if (reduces)
    next.sleeping = node->sleeping;
  next.node = node;
  const unsigned place = node->interruptions;
  waiting[place].push_back(std::move(next));
}

/// The turn that the schedule in hand was for is known now: who has it sleeps in the others.
void ScheduleExplorer::finish(const sim::Schedule &run) {
  if (!parent)
    return;
  const size_t index = parent->prefix.size();
  if (index < run.decisions.size() && run.decisions[index].turn < run.turns.size())
    parent->sleeping.push_back(run.turns[run.decisions[index].turn]);
  open(std::exchange(parent, nullptr));
}

void ScheduleExplorer::tell(const sim::Schedule &run) {
  finish(run);
  Turns sleeping = run.sleeping;
  size_t turn = 0;
  unsigned done = interruptions;
  std::vector<uint8_t> taken;
  for (const sim::Schedule::Decision &decision : run.decisions) {
    const bool isLater = taken.size() >= run.choices.size();
    // Sleepers of `run` are those where its last choice is made.
    const bool knowsSleepers = taken.size() + 1 >= run.choices.size();
    if (isLater) {
      for (; turn < decision.turn; ++turn)
        sleeping = sim::Schedule::behind(sleeping, run.turns[turn]);
      auto node = std::make_shared<Node>();
      node->prefix = taken;
      node->interruptions = done + decision.interrupts;
      node->sleeping = sleeping;
      node->sleeping.push_back(run.turns[decision.turn]);
      for (unsigned other = 0; other != decision.options; ++other) {
        auto isAsleep = [&](const sim::Schedule::Turn &sleeper) {
          return sleeper.fiber == decision.fibers[other];
        };
        if (other != decision.chosen &&
            (!reduces || std::none_of(sleeping.begin(), sleeping.end(), isAsleep)))
          node->rest.push_back(static_cast<uint8_t>(other));
      }
      open(std::move(node));
      done += decision.chosen && decision.interrupts;
    } else if (knowsSleepers) {
      turn = decision.turn;
    }
    taken.push_back(decision.chosen);
  }
}

std::string choicesText(const std::vector<uint8_t> &choices) {
  std::string text;
  for (uint8_t choice : choices)
    text += (text.empty() ? "" : ",") + std::to_string(choice);
  return text.empty() ? "0" : text;
}

std::optional<std::vector<uint8_t>> parseChoices(const std::string &text) {
  std::vector<uint8_t> choices;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  for (llvm::StringRef part : parts) {
    uint8_t choice = 0;
    if (part.trim().getAsInteger(10, choice))
      return std::nullopt;
    choices.push_back(choice);
  }
  return choices;
}

std::vector<uint8_t> shortened(std::vector<uint8_t> choices) {
  while (!choices.empty() && !choices.back())
    choices.pop_back();
  return choices;
}

} // namespace gluonc::driver
