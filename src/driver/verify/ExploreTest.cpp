#include "driver/verify/Explore.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

namespace gluonc::driver {
namespace {

using Decision = sim::Schedule::Decision;

/// Two fibers of `length` steps each: what a simulator would do with the choices, as a text.
std::string run(const std::vector<uint8_t> &choices, unsigned length,
                std::vector<Decision> &decisions) {
  unsigned left[2] = {length, length}, current = 0;
  std::string order;
  while (left[0] || left[1]) {
    if (left[0] && left[1]) {
      uint8_t chosen = decisions.size() < choices.size() ? choices[decisions.size()] : 0;
      decisions.push_back({2, chosen, !order.empty()});
      current = chosen ? 1 - current : current;
    } else {
      current = left[0] ? 0 : 1;
    }
    --left[current];
    order += current ? 'b' : 'a';
  }
  return order;
}

TEST(ScheduleExplorer, VisitsEveryOrderOnce) {
  ScheduleExplorer explorer;
  std::set<std::string> seen;
  unsigned runs = 0;
  while (std::optional<std::vector<uint8_t>> choices = explorer.next()) {
    std::vector<Decision> decisions;
    seen.insert(run(*choices, 3, decisions));
    explorer.tell(*choices, decisions);
    ++runs;
  }
  // 6! / (3! 3!)
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_EQ(runs, 20u);
}

TEST(ScheduleExplorer, FewestInterruptionsComeFirst) {
  ScheduleExplorer explorer;
  size_t before = 0;
  while (std::optional<std::vector<uint8_t>> choices = explorer.next()) {
    std::vector<Decision> decisions;
    run(*choices, 3, decisions);
    size_t interruptions = std::count_if(decisions.begin(), decisions.end(), [](Decision each) {
      return each.chosen && each.interrupts;
    });
    EXPECT_GE(interruptions, before);
    before = interruptions;
    explorer.tell(*choices, decisions);
  }
}

TEST(ScheduleExplorer, ChoicesAreReadAsTheyAreWritten) {
  EXPECT_EQ(parseChoices(choicesText({0, 2, 1})), (std::vector<uint8_t>{0, 2, 1}));
  EXPECT_EQ(shortened({0, 1, 0, 0}), (std::vector<uint8_t>{0, 1}));
  EXPECT_FALSE(parseChoices("0,x"));
}

} // namespace
} // namespace gluonc::driver
