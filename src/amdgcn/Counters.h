//===- Counters.h - What a wave has asked for and not waited for --------------===//
//
// Loads bring their values at once, but the registers count as in flight until a
// wait lets their counter sink far enough. Some counters sink in order of issue;
// scalar loads end in any order, so that only a wait for zero is sure of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <deque>
#include <vector>

namespace gluonc::amdgcn {

/// Lds is lgkmcnt where scalar loads count there, too.
enum class Counter : uint8_t { Load, Store, Lds, Scalar, Async, Tensor };
inline constexpr unsigned counterKinds = 6;

/// Registers in a row, of one bank.
struct RegisterRun {
  Bank bank = Bank::None;
  uint16_t reg = 0, count = 0;
};

struct InFlight {
  llvm::SmallVector<RegisterRun, 2> registers = {};
  bool isOrdered = true;
  /// Which of the wave's accesses to LDS in the counter's queue this is; 0 for none.
  uint32_t sharedAccess = 0;
};

class Counters {
public:
  Counters() : pending(registerPlaces, 0), waitedBy(registerPlaces, 0) {}
  void issue(Counter counter, InFlight entry);
  /// The transfers that are over when the counter is at most `limit`.
  std::vector<InFlight> wait(Counter counter, unsigned limit);
  bool isIdle() const { return registersInFlight == 0; }
  /// The counter of a register in flight, if any of these is.
  bool isPending(const Operand &operand) const;
  /// All of the operand's registers in flight are written by counter `counter`, in order.
  bool isPendingOnlyIn(const Operand &operand, Counter counter) const;
  Counter counterOf(const Operand &operand) const;
  size_t outstanding(Counter counter) const { return queue(counter).size(); }

private:
  static constexpr unsigned registerPlaces = 1024 + scalarSlots;
  static unsigned place(Bank bank, unsigned reg) { return bank == Bank::Scalar ? 1024 + reg : reg; }
  const std::deque<InFlight> &queue(Counter counter) const {
    return queues[static_cast<unsigned>(counter)];
  }
  void release(const InFlight &entry, Counter counter);

  std::array<std::deque<InFlight>, counterKinds> queues;
  std::vector<uint8_t> pending;
  /// A bit for each counter that a register in flight waits for.
  std::vector<uint8_t> waitedBy;
  unsigned registersInFlight = 0;
};

/// "vmcnt", "dscnt": what the chip's assembler calls it.
llvm::StringRef nameOf(Counter counter, unsigned generation);

} // namespace gluonc::amdgcn
