#include "driver/verify/Explore.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

namespace gluonc::driver {
namespace {

using sim::Footprint;
using sim::Schedule;

/// What a fiber does in one turn: adds to a variable, or keeps what it holds.
struct Operation {
  unsigned variable = 0;
  bool writes = false;
};
using Program = std::vector<std::vector<Operation>>;

/// Runs fibers as the simulator does. What came of it as a text: what each read, and what the
/// variables hold; "" where the schedule leaves it.
std::string run(const Program &program, Schedule &schedule, std::string *order = nullptr) {
  std::vector<size_t> at(program.size());
  std::vector<int> variables(4);
  std::vector<std::string> read(program.size());
  uint32_t last = 0;
  while (true) {
    std::vector<uint32_t> ready;
    for (uint32_t step = 0; step != program.size(); ++step)
      if (uint32_t fiber = (last + step) % program.size(); at[fiber] != program[fiber].size())
        ready.push_back(fiber);
    if (ready.empty())
      break;
    std::optional<size_t> chosen = schedule.choose(ready, ready.front() == last);
    if (!chosen)
      return "";
    last = ready[*chosen];
    const Operation &operation = program[last][at[last]++];
    schedule.touch(Footprint::Space::Global, operation.variable, operation.variable + 1,
                   operation.writes);
    int &variable = variables[operation.variable];
    if (operation.writes)
      variable = variable * 3 + int(last) + 1;
    else
      read[last] += std::to_string(variable) + " ";
    if (order)
      *order += char('a' + last);
  }
  std::string text;
  for (const std::string &each : read)
    text += each + "|";
  for (int variable : variables)
    text += " " + std::to_string(variable);
  return text;
}

struct Explored {
  std::set<std::string> outcomes;
  unsigned complete = 0, cut = 0;
};
Explored explore(const Program &program, bool reduces) {
  Explored explored;
  ScheduleExplorer explorer(reduces);
  while (std::optional<Schedule> next = explorer.next()) {
    std::string outcome = run(program, *next);
    ++(next->isRedundant ? explored.cut : explored.complete);
    if (!next->isRedundant)
      explored.outcomes.insert(outcome);
    explorer.tell(*next);
  }
  return explored;
}

/// Fibers that write `length` times to a variable of their own, or to one.
Program writers(unsigned fibers, unsigned length, bool together) {
  Program program;
  for (unsigned fiber = 0; fiber != fibers; ++fiber)
    program.emplace_back(length, Operation{together ? 0 : fiber, true});
  return program;
}

TEST(ScheduleExplorer, WithoutReductionEveryOrderIsVisitedOnce) {
  for (bool together : {false, true}) {
    ScheduleExplorer explorer(/*reduces=*/false);
    std::set<std::string> orders;
    unsigned runs = 0;
    while (std::optional<Schedule> next = explorer.next()) {
      std::string order;
      run(writers(2, 3, together), *next, &order);
      orders.insert(order);
      explorer.tell(*next);
      ++runs;
    }
    // 6! / (3! 3!)
    EXPECT_EQ(orders.size(), 20u);
    EXPECT_EQ(runs, 20u);
  }
}

TEST(ScheduleExplorer, IndependentTurnsComeInOneOrder) {
  Explored apart = explore(writers(2, 3, /*together=*/false), /*reduces=*/true);
  EXPECT_EQ(apart.complete, 1u);
  EXPECT_EQ(explore(writers(3, 3, /*together=*/false), true).complete, 1u);
  Explored together = explore(writers(2, 3, /*together=*/true), true);
  EXPECT_EQ(together.complete, 20u);
  EXPECT_EQ(together.cut, 0u);
}

TEST(ScheduleExplorer, WhateverCanComeOutDoesSoWithReductionToo) {
  std::mt19937 random(7);
  unsigned all = 0, reduced = 0;
  for (unsigned round = 0; round != 200; ++round) {
    Program program(2 + random() % 2);
    for (std::vector<Operation> &fiber : program) {
      fiber.resize(2 + random() % 2);
      for (Operation &operation : fiber)
        operation = {unsigned(random() % 3), random() % 2 == 0};
    }
    Explored one = explore(program, false), other = explore(program, true);
    EXPECT_EQ(one.outcomes, other.outcomes) << "round " << round;
    EXPECT_LE(other.complete, one.complete);
    all += one.complete;
    reduced += other.complete + other.cut;
  }
  EXPECT_LT(reduced * 4, all) << reduced << " of " << all;
}

TEST(ScheduleExplorer, FewestInterruptionsComeFirst) {
  ScheduleExplorer explorer(/*reduces=*/false);
  ptrdiff_t before = 0;
  while (std::optional<Schedule> next = explorer.next()) {
    run(writers(2, 3, true), *next);
    ptrdiff_t interruptions =
        std::count_if(next->decisions.begin(), next->decisions.end(),
                      [](const auto &each) { return each.chosen && each.interrupts; });
    EXPECT_GE(interruptions, before);
    before = interruptions;
    explorer.tell(*next);
  }
}

TEST(ScheduleExplorer, ATurnThatMayDoAnythingIsIndependentOfNone) {
  Footprint anything, other;
  anything.isAnything = true;
  EXPECT_TRUE(anything.meets(other));
  EXPECT_TRUE(other.meets(anything));
  other.touch(Footprint::Space::Global, 0, 8, true);
  Footprint reads, barrier;
  reads.touch(Footprint::Space::Global, 7, 9, false);
  barrier.touch(Footprint::Space::Barrier, 0, 8, true);
  EXPECT_TRUE(reads.meets(other));
  EXPECT_FALSE(reads.meets(reads));
  EXPECT_FALSE(barrier.meets(other));
}

TEST(ScheduleExplorer, ChoicesAreReadAsTheyAreWritten) {
  EXPECT_EQ(parseChoices(choicesText({0, 2, 1})), (std::vector<uint8_t>{0, 2, 1}));
  EXPECT_EQ(shortened({0, 1, 0, 0}), (std::vector<uint8_t>{0, 1}));
  EXPECT_FALSE(parseChoices("0,x"));
}

} // namespace
} // namespace gluonc::driver
