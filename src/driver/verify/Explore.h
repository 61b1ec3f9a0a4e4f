//===- Explore.h - The schedules of a program, one after the other ---------------===//
//
// A schedule is the list of its choices (sim/machine/Schedule.h). All of them are tried up to
// a bound, each once, those with the fewest interruptions first (iterative context bounding): the
// first that fails is one of the simplest.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Schedule.h"

#include <deque>
#include <map>
#include <optional>

namespace gluonc::driver {

class ScheduleExplorer {
public:
  /// The choices to try next; nullopt when all were.
  std::optional<std::vector<uint8_t>> next();
  /// What came of them: makes those known that differ in one later choice.
  void tell(const std::vector<uint8_t> &choices,
            const std::vector<sim::Schedule::Decision> &decisions);

private:
  using Choices = std::vector<uint8_t>;
  /// By the number of interruptions.
  std::map<unsigned, std::deque<Choices>> waiting = {{0, {Choices()}}};
  unsigned interruptions = 0;
};

/// "0,1,2" and back; nullopt for other texts.
std::string choicesText(const std::vector<uint8_t> &choices);
std::optional<std::vector<uint8_t>> parseChoices(const std::string &text);

/// The choices up to the last that is not 0.
std::vector<uint8_t> shortened(std::vector<uint8_t> choices);

} // namespace gluonc::driver
