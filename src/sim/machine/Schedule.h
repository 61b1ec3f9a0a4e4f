//===- Schedule.h - Whose turn it is, as somebody else decides --------------------===//
//
// For who explores the schedules of a program (driver/verify/Explore.h). A fiber may be
// interrupted before each operation whose effect others may see without an order that the
// simulator checks: accesses to global memory, atomics, barriers. Between others nobody has to be:
// races for shared memory are a fault under every schedule (Ordering.h), so results do not depend
// on the order of its accesses.
//
// What a turn did that others may depend on is its footprint. Turns of two fibers whose footprints
// do not meet give the same in either order. A fiber sleeps (Godefroid's sleep sets) while its next
// turn has been explored from an earlier place and nothing has been done since that it depends on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::sim {

/// What a turn accesses; that of one which may do anything depends on all others.
struct Footprint {
  /// Global memory by address; barriers by their places; ends of fibers, and all atomics together,
  /// which put partitions in an order (Ordering.h).
  enum class Space : uint8_t { Global, Barrier, End, Atomics };
  struct Part {
    Space space = Space::Global;
    bool writes = false;
    uint64_t begin = 0, end = 0;
  };
  std::vector<Part> parts = {};
  bool isAnything = false;

  void touch(Space space, uint64_t begin, uint64_t end, bool writes);
  bool meets(const Footprint &other) const;
};

/// One launch on one host thread.
struct Schedule {
  /// What to choose, decision by decision; behind the last, 0, or the first that does not sleep.
  std::vector<uint8_t> choices = {};

  /// There were several fibers that could go on: 0 is the one that had the turn, if it can.
  struct Decision {
    uint8_t options = 0, chosen = 0;
    bool interrupts = false;
    /// The fibers, and the number of the turn that was decided on.
    std::vector<uint32_t> fibers = {};
    size_t turn = 0;
  };
  std::vector<Decision> decisions = {};

  struct Turn {
    uint32_t fiber = 0;
    Footprint footprint = {};
  };
  /// In the order of the launch.
  std::vector<Turn> turns = {};

  /// Who sleeps where the last of `choices` is made, with what their turns would do there; at the
  /// beginning if there are none.
  std::vector<Turn> sleeping = {};
  /// All that could go on slept: what comes has been explored elsewhere. The launch ends there.
  bool isRedundant = false;

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

  // -- For who runs the program -----------------------------------------------------

  /// Which of the fibers that can go on has the next turn: an index; nullopt where all sleep.
  /// `interrupts`: the first had the turn.
  std::optional<size_t> choose(const std::vector<uint32_t> &ready, bool interrupts);
  void touch(Footprint::Space space, uint64_t begin, uint64_t end, bool writes);
  void touchAnything();
  /// A fiber goes on although none could: its poll ends.
  void force(uint32_t fiber);

  /// Those of `sleepers` that still sleep behind a turn.
  static std::vector<Turn> behind(const std::vector<Turn> &sleepers, const Turn &turn);

private:
  bool sleeps(uint32_t fiber) const;
  /// Who sleeps at the turn in hand.
  std::vector<Turn> now = {};
  bool hasBegun = false;
};

} // namespace gluonc::sim
