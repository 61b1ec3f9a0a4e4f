//===- Barriers.h - Where waves wait for each other ----------------------------===//
#pragma once

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

inline constexpr int workgroupBarrier = -1;
inline constexpr int clusterBarrierNumber = -3;
/// Of the cluster's barrier among those of a wave; named ones are at their numbers.
inline constexpr unsigned clusterPlace = 19;

/// Whether a wave runs, or the barrier it waits at is over, so that it runs again.
bool mayGoOn(Machine &machine, Workgroup &workgroup, Wave &wave);
/// Who waits for all of the workgroup or of the cluster may go on, if all have come.
void settle(Workgroup &workgroup);
void settleCluster(Machine &machine);

/// Arrivals at a barrier in LDS (gfx1250), of one that knows so much. The barrier's state before,
/// or anything after a fault.
uint64_t arriveAtBarrier(Step &step, unsigned lane, uint64_t address, uint64_t count,
                         const Knowledge &known);

} // namespace gluonc::amdgcn
