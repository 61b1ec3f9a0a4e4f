//===- Barriers.h - Where waves wait for each other ----------------------------===//
#pragma once

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

inline constexpr int workgroupBarrier = -1;
inline constexpr int clusterBarrierNumber = -3;

/// Whether a wave runs, or the barrier it waits at is over, so that it runs again.
bool mayGoOn(Machine &machine, Workgroup &workgroup, Wave &wave);
/// Ends the wave's transfers but the last `limit` of a counter.
void waitFor(Step &step, Counter counter, unsigned limit);
void signalBarrier(Step &step, int barrier);
void waitBarrier(Step &step, int barrier);

} // namespace gluonc::amdgcn
