//===- MachineStep.h - One instruction of a warp ----------------------------------===//
#pragma once

#include "explain/nvidia/MachineWarp.h"

#include "llvm/ADT/bit.h"

namespace gluonc::explain::machine {

constexpr uint32_t allLanes = ~0u;

inline Value same(uint32_t number) {
  Value value;
  value.of.fill(number);
  value.known = allLanes;
  return value;
}

/// Of each lane, from what is in that lane of the operands.
template <typename Compute, typename... Values>
Value eachLane(Compute compute, const Values &...values) {
  Value result;
  for (unsigned i = 0; i != lanes; ++i)
    result.of[i] = static_cast<uint32_t>(compute(values.of[i]...));
  result.known = (allLanes & ... & values.known);
  return result;
}

/// Those bits of which `test` is true.
template <typename Test> uint32_t bitsOf(Test test) {
  uint32_t bits = 0;
  for (unsigned i = 0; i != lanes; ++i)
    bits |= uint32_t(test(i)) << i;
  return bits;
}

inline bool bit(uint32_t bits, unsigned i) { return bits >> i & 1; }

/// One instruction: reads its sources, writes its results for the lanes that execute it.
struct Step {
  Warp &warp;
  const Decoded &instruction;
  /// Lanes whose guard holds, and those of which nobody knows that.
  uint32_t mask, perhaps;

  /// One of the kind Other where there are fewer.
  const Operand &source(unsigned i) const;
  bool has(llvm::StringRef modifier) const { return instruction.has(modifier); }
  /// What stands in the operand or `ahead` words behind it, before `-` or `~`.
  Value word(const Operand &operand, unsigned ahead = 0) const;
  /// Bytes of the bank of constants, `ahead` bytes behind the operand.
  Value constant(const Operand &operand, unsigned ahead, unsigned bytes) const;
  Value value(unsigned i) const;
  Bits predicate(unsigned i) const { return warp.predicate(source(i)); }
  /// The first predicate among the sources from `i` on; false where there is none.
  Bits carry(unsigned i) const;

  /// Where a register is kept.
  Value &storage(Operand::Kind kind, unsigned index) const;
  /// To the register of the result, or `ahead` behind it.
  void write(const Value &value, unsigned ahead = 0);
  void write(Bits bits, unsigned number = 0);
  void writeUnknown();
  /// ATOMS: what one lane finds and leaves in a word.
  void updateShared();
  /// STS and LDS of words: what one lane leaves for others.
  void storeShared();
  void loadShared();
  /// What source 0 says, in the window of the cluster.
  Value sharedAddress() const;
  void writePair(llvm::ArrayRef<uint64_t> numbers, uint32_t known);
};

// Families of instructions: MachineNumbers.cpp has those that compute.

void addIntegers(Step &step);
void addShifted(Step &step);
void multiply(Step &step);
void logic(Step &step);
void predicateLogic(Step &step);
void shift(Step &step);
void permute(Step &step);
void extend(Step &step);
void makeMask(Step &step);
void countBits(Step &step);
void findFirst(Step &step);
void select(Step &step);
void extreme(Step &step);
void compareIntegers(Step &step);
void absolute(Step &step);
void roundUp(Step &step);
void reciprocal(Step &step);
void truncate(Step &step);
void halves(Step &step);

// MachineShared.cpp

void updateShared(Step &step);
void storeShared(Step &step);
void loadShared(Step &step);

} // namespace gluonc::explain::machine
