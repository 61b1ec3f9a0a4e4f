//===- MachineWarp.h - What a warp's registers hold, as far as it is known ------===//
#pragma once

#include "explain/MachineFlow.h"
#include "explain/nvidia/MachineOperands.h"

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

/// Where a warp is in the launch.
struct Place {
  std::array<uint32_t, 3> cta = {};
  unsigned ctaOfCluster = 0, warp = 0;
};

/// What executes instructions of this family.
Handler handlerOf(llvm::StringRef family);

class Warp {
public:
  Warp(const MachineLaunch &launch, const Place &place);

  /// Executes what is no branch for the lanes of `mask`.
  void execute(const Decoded &instruction, uint32_t mask);
  /// Of a guard or another source.
  Bits predicate(const Operand &operand) const;
  const Place &where() const { return place; }
  const MachineLaunch &ofLaunch() const { return launch; }

private:
  friend struct Step;
  void setPredicates(const Step &step);

  const MachineLaunch &launch;
  Place place;
  std::vector<Value> registers, uniforms;
  std::array<Bits, 8> predicates, uniformPredicates;
};

} // namespace gluonc::explain::machine
