//===- MachineWarp.h - What a warp's registers hold, as far as it is known ------===//
#pragma once

#include "explain/MachineFlow.h"
#include "explain/nvidia/MachineOperands.h"
#include "ptx/Observer.h"

#include <map>
#include <optional>

namespace gluonc::explain::machine {

constexpr unsigned lanes = 32;

/// A register of all lanes; `known` has a bit for each lane of which it is known.
struct Value {
  std::array<uint32_t, lanes> of = {};
  uint32_t known = 0;
};

/// A predicate: a bit for each lane. Bits of `value` are 0 where they are not known.
struct Bits {
  uint32_t value = 0, known = 0;
};

/// What warps of a CTA tell each other by words in shared memory, as partitions do of what they are
/// to run (atomic updates) and what they are given for it (stores of one lane): those that are
/// known, by their addresses.
using SharedWords = std::map<uint32_t, uint32_t>;

/// Where a warp is in the launch.
struct Place {
  std::array<uint32_t, 3> cta = {};
  unsigned ctaOfCluster = 0, warp = 0;
};

/// Upper halves of the addresses that reach shared memory without saying so (LD, ST): a number of
/// our own, where nothing else is.
constexpr uint32_t sharedWindow = 0x80000000;

/// The bank of constants where tables of places are that the code jumps to.
constexpr unsigned tablesBank = 2;

/// Loads and stores that may access shared memory.
bool mayBeShared(const Decoded &instruction);

/// What executes instructions of this family.
Handler handlerOf(llvm::StringRef family);

class Warp {
public:
  /// `words` lives longer.
  Warp(const MachineLaunch &launch, const Place &place, SharedWords &words);

  /// Executes what is no branch for the lanes of `mask`.
  void execute(const Decoded &instruction, uint32_t mask);
  /// What an access of shared memory by the lanes of `mask` touches in this CTA's own; nothing
  /// where that is not known, or the instruction is none. A guard that holds for no lane touches
  /// nothing.
  std::optional<llvm::SmallVector<ptx::Touch, 32>> sharedTouches(const Decoded &instruction,
                                                                 uint32_t mask) const;
  Value ofRegister(unsigned index) const { return registers[index % registers.size()]; }
  /// Of a guard or another source.
  Bits predicate(const Operand &operand) const;
  const Place &where() const { return place; }
  const MachineLaunch &ofLaunch() const { return launch; }

private:
  friend struct Step;
  void setPredicates(const Step &step);

  const MachineLaunch &launch;
  Place place;
  SharedWords &words;
  std::vector<Value> registers, uniforms;
  std::array<Bits, 8> predicates, uniformPredicates;
};

} // namespace gluonc::explain::machine
