//===- Schedule.h - Whose turn it is, as somebody else decides --------------------===//
//
// For who explores the schedules of a program (driver/verify/Explore.h). A fiber may be
// interrupted before each operation whose effect others may see without an order that the
// simulator checks: accesses to global memory, atomics, barriers. Between others nobody has to be:
// races for shared memory are a fault under every schedule (Ordering.h), so results do not depend
// on the order of its accesses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gluonc::sim {

/// One launch on one host thread.
struct Schedule {
  /// What to choose, decision by decision; behind the last, 0.
  std::vector<uint8_t> choices = {};

  /// There were several fibers that could go on: 0 is the one that had the turn, if it can.
  struct Decision {
    uint8_t options = 0, chosen = 0;
    bool interrupts = false;
  };
  std::vector<Decision> decisions = {};

  /// What fibers did that others may see, in the order of the launch.
  struct Step {
    std::string who, operation;
    /// Of Program::places.
    uint32_t place = 0;
    /// "k.py:12:5".
    std::string where = {};
  };
  std::vector<Step> steps = {};
  /// More are not remembered.
  static constexpr size_t mostSteps = 400;
};

} // namespace gluonc::sim
