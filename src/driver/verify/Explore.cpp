#include "driver/verify/Explore.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

std::optional<std::vector<uint8_t>> ScheduleExplorer::next() {
  while (!waiting.empty() && waiting.begin()->second.empty())
    waiting.erase(waiting.begin());
  if (waiting.empty())
    return std::nullopt;
  interruptions = waiting.begin()->first;
  Choices choices = std::move(waiting.begin()->second.front());
  waiting.begin()->second.pop_front();
  return choices;
}

void ScheduleExplorer::tell(const std::vector<uint8_t> &choices,
                            const std::vector<sim::Schedule::Decision> &decisions) {
  // Earlier alternatives were made known with the choices before.
  Choices taken;
  for (const sim::Schedule::Decision &decision : decisions) {
    if (taken.size() >= choices.size())
      for (unsigned other = 0; other != decision.options; ++other)
        if (other != decision.chosen) {
          Choices changed = taken;
          changed.push_back(static_cast<uint8_t>(other));
          waiting[interruptions + decision.interrupts].push_back(std::move(changed));
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
