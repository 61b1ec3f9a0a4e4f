//===- StageOrder.h - What halves of the warps do in two stages at one time --------===//
//
// In a warp pipeline of AMD's the late half of the warps is a stage behind the early half. So
// what the early half accesses in one stage is at the same time as what the late half accessed in
// the stage before, and no barrier can order the two. Each byte of shared memory remembers the
// last stages in which the late half read and wrote it.
//
// Copies that are under way may write in every stage from their start to the wait for them; both
// are told as writes of both halves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gluonc::sim {

/// Halves of the warps, a bit each.
enum Half : uint8_t { Early = 1, Late = 2 };

class StageOrder {
public:
  struct Conflict {
    uint64_t offset;
    uint32_t place;
    bool otherWrites;
  };

  /// From here on the late half is behind, until `end`. `bytes` is what there is of shared memory.
  void begin(uint32_t bytes) {
    cells.resize(bytes);
    isOn = true;
    step();
  }
  void end() {
    isOn = false;
    // Nothing of it matters for the next loop.
    stage += 2;
  }
  void step() { ++stage; }
  bool isShifted() const { return isOn; }

  /// Notes an access by `halves`, or gives what it conflicts with, if anything.
  std::optional<Conflict> access(uint64_t offset, uint32_t bytes, uint8_t halves, bool writes,
                                 uint32_t place);

private:
  struct Last {
    uint32_t stage = 0, place = 0;
    /// Also in the stage before that.
    bool before = false;
    bool isIn(uint32_t wanted) const { return stage == wanted || (before && stage == wanted + 1); }
    void note(uint32_t now, uint32_t where) {
      before = stage == now ? before : stage + 1 == now;
      stage = now;
      place = where;
    }
  };
  struct Cell {
    Last read, write;
  };

  std::vector<Cell> cells;
  /// Stages are counted through all loops.
  uint32_t stage = 2;
  bool isOn = false;
};

} // namespace gluonc::sim
