//===- WaveTiming.h - The least time that a launch on an AMD chip takes ------------===//
#pragma once

#include "explain/Profile.h"
#include "target/amd/Speeds.h"

namespace gluonc::explain {

/// What each unit needs for its work if nothing holds it up: the busiest compute unit's, and
/// memory's for each cache line once. The time is that of the unit that needs most, so a launch
/// takes at least as long. `workgroups` of `waves` each.
Timing leastTimeOf(const Counts &counts, const target::amd::Speeds &speeds, uint64_t workgroups,
                   unsigned waves);

} // namespace gluonc::explain
