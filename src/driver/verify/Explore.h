//===- Explore.h - The schedules of a program, one after the other ---------------===//
//
// A schedule is the list of its choices (sim/machine/Schedule.h). All of them are tried up to
// a bound, those with the fewest interruptions first (iterative context bounding): the first that
// fails is one of the simplest.
//
// With reduction, schedules that differ only in the order of turns that do not depend on each other
// are tried once, by sleep sets (Godefroid, "Partial-Order Methods for the Verification of
// Concurrent Systems", 1996). At a place of the program the alternatives come one after the other,
// and who has been let go on before sleeps in those behind, until somebody does what it depends
// on. Without a bound every order of turns that depend on each other is tried.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Schedule.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace gluonc::driver {

class ScheduleExplorer {
public:
  explicit ScheduleExplorer(bool reduces = true) : reduces(reduces) {}

  /// The schedule to try next; nullopt when all were.
  std::optional<sim::Schedule> next();
  /// What came of the last one: makes those known that differ in one later choice.
  void tell(const sim::Schedule &run);

private:
  using Turns = std::vector<sim::Schedule::Turn>;
  /// A decision, with the alternatives that have not been tried.
  struct Node {
    std::vector<uint8_t> prefix;
    std::deque<uint8_t> rest;
    /// Who sleeps, and who has been let go on from here.
    Turns sleeping;
    unsigned interruptions = 0;
  };
  struct Alternative {
    std::vector<uint8_t> choices;
    Turns sleeping;
    /// Null for the first schedule.
    std::shared_ptr<Node> node;
  };

  void open(std::shared_ptr<Node> node);
  void finish(const sim::Schedule &run);

  bool reduces;
  /// By the number of interruptions.
  std::map<unsigned, std::deque<Alternative>> waiting = {{0, {Alternative()}}};
  /// Of the one in hand.
  unsigned interruptions = 0;
  std::shared_ptr<Node> parent;
};

/// "0,1,2" and back; nullopt for other texts.
std::string choicesText(const std::vector<uint8_t> &choices);
std::optional<std::vector<uint8_t>> parseChoices(const std::string &text);

/// The choices up to the last that is not 0.
std::vector<uint8_t> shortened(std::vector<uint8_t> choices);

} // namespace gluonc::driver
