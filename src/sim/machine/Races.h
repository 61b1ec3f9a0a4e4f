//===- Races.h - Accesses of several programs to the same global memory ------===//
//
// Programs of a grid run at the same time, in any order. Two of them that access the same bytes,
// one of which stores there, need something that puts one behind the other: atomics by which one
// releases and the other acquires (ProgramOrder.h); or both have to be atomic. Whether there is
// such a thing does not depend on the order in which they ran here. Programs that store what is
// there already are in no one's way.
//
// What it costs: ranges that a kernel only reads, and those that it only updates by atomics, are
// not watched. Which these are, is known from its accesses before it runs. Others have an
// AccessHistory.
//
// A kernel that learns nothing from atomics orders nothing. Then programs may run in parallel,
// races are collected in the history, and reported at the end; else programs run one after the
// other, and races are reported as they occur. They end no program.
//
// Not seen: partitions and CTAs of one program among each other, and its threads, but for elements
// of one store. WarpStores.h looks at warps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/Simulator.h"
#include "sim/machine/AccessHistory.h"
#include "sim/machine/Faults.h"
#include "sim/machine/ProgramOrder.h"

#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace gluonc::sim {

struct AccessData;
struct Program;

class Races {
public:
  /// Who accesses, where in the code, and how wide elements are.
  struct Access {
    uint64_t program;
    uint32_t place;
    uint32_t elementBytes;
  };

  Races(const Program &program, const Memory &memory, const Launch &launch, bool parallel);

  void beginProgram(uint64_t program) {
    if (order)
      order->beginProgram(program);
  }

  /// Null for a range that needs none.
  AccessHistory *historyOf(const Range &range) const {
    for (const std::unique_ptr<AccessHistory> &history : histories)
      if (&history->range == &range)
        return history.get();
    return nullptr;
  }

  /// Enters an access, which is about to take place; all but plain stores.
  void note(AccessHistory &history, const AccessData &data, uint64_t address, uint64_t length,
            const Access &access);
  /// What atomics order, of elements of this size in a row.
  void acquire(const AccessData &data, uint64_t address, uint64_t length);
  void release(const AccessData &data, uint64_t address, uint64_t length);
  /// Stores, and enters the access.
  void store(AccessHistory &history, uint64_t address, const uint8_t *bytes, uint64_t length,
             const Access &access);
  /// The same of one element, over and over.
  void fill(AccessHistory &history, uint64_t address, const uint8_t *element, uint64_t length,
            const Access &access);

  bool ordersPrograms() const { return order != nullptr; }
  diag::Severity severity() const { return reportedAs; }
  /// After all programs.
  void report(FaultLog &all);

private:
  using How = AccessHistory::How;
  using Mark = AccessHistory::Mark;
  using Part = AccessHistory::Part;

  Mark markOf(const Access &access);
  bool isUnordered(const Mark &other, const Mark &mine) const {
    return other.program && other.program != mine.program && !(order && order->knows(other));
  }
  /// A mark of such accesses that is not ordered with `mine`; null if all are.
  const Mark *unordered(const Part &part, How how, const Mark &mine) const;
  void found(const AccessHistory &history, Part &part, uint64_t address, How how, const Mark &mine,
             How otherHow, const Mark &other);
  void reportPair(const AccessHistory &history, const Part &part, uint64_t address, unsigned pair);
  void report(const AccessHistory &history, uint64_t address, How how, const Mark &mine,
              How otherHow, const Mark &other);
  void watch(const Program &program, const Memory &memory, const Launch &launch, bool parallel);

  std::array<uint32_t, 3> grid;
  diag::Severity reportedAs;
  std::vector<std::unique_ptr<AccessHistory>> histories;
  std::unique_ptr<ProgramOrder> order;
  FaultLog faults;
  /// Pairs of places of which a race was reported.
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> reported;
};

} // namespace gluonc::sim
