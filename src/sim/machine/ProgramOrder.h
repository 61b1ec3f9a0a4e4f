//===- ProgramOrder.h - What atomics order between the programs of a grid ----===//
//
// A program that acquires an address knows what programs did before they released it, and what
// those knew. Programs run one after the other where they can learn of each other (Program.h), so
// whom a program may know of has come to its end.
//
// What a program knows is, for each program before it, how many of its releases. Locks and
// counters tell of nearly all programs: those from the first one on of which all releases are
// known are one number.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/AccessHistory.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace gluonc::sim {

class ProgramOrder {
public:
  void beginProgram(uint64_t program);
  void acquire(uint64_t address);
  void release(uint64_t address);
  /// When an access takes place that what is released from now on tells of.
  uint32_t now();
  /// Whether the program in hand comes behind an access of another.
  bool knows(const AccessHistory::Mark &mark) const;

private:
  using Mark = AccessHistory::Mark;
  struct View {
    /// All releases of those before this one are known.
    uint32_t all = 0;
    /// Of others, how many.
    llvm::DenseMap<uint32_t, uint32_t> some;
  };
  void join(View &view, const View &other) const;

  View view;
  uint32_t program = 0, released = 0;
  bool hasNewRelease = false;
  /// How often each program released, of those that have ended.
  std::vector<uint32_t> releases;
  llvm::DenseMap<uint64_t, std::shared_ptr<const View>> addresses;
  /// What `view` contains already.
  std::shared_ptr<const View> acquired;
};

} // namespace gluonc::sim
