//===- Clusters.h - What workgroups of a cluster do together ---------------------===//
//
// Some loads have a mask of workgroups: all of them ask for the same, and memory is
// read once for them. Each gets what it has asked for itself; who is meant and never
// asks would be waited for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/MapVector.h"

#include <array>
#include <cstdint>

namespace gluonc::amdgcn {

struct Instruction;
struct Step;
class Machine;

/// What a load of several workgroups is for, and how often each has asked.
struct SharedRequest {
  uint32_t ranks = 0;
  std::array<uint32_t, 16> asked = {};
  /// Who asked first.
  const Instruction *instruction = nullptr;
  unsigned rank = 0, wave = 0;
};
using SharedRequests = llvm::MapVector<uint64_t, SharedRequest>;

/// The wave loads together with the workgroups of a mask; `what` is the same for the same places.
/// A mask of zero is for the wave's own workgroup only.
void requestTogether(Step &step, uint32_t ranks, uint64_t what);

/// A fault if a workgroup was meant that did not ask.
void checkRequests(Machine &machine);

} // namespace gluonc::amdgcn
