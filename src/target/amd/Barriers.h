//===- Barriers.h - What barriers of AMD GPUs count -----------------------------===//
#pragma once

#include <cstdint>

namespace gluonc::target::amd {

/// Arrivals that a phase of a barrier in LDS waits for. The hardware has 29 bits for them; no
/// workgroup of 1,024 threads asks for so many.
inline constexpr int64_t maxArrivals = (1 << 20) - 1;

/// Barriers of some waves that gfx1250 has for each workgroup.
inline constexpr unsigned namedBarriers = 16;

/// What `s_barrier_wait` names: the barrier that the wave joined, or that of the cluster.
inline constexpr int joinedBarrier = 1, clusterBarrier = -3;

} // namespace gluonc::target::amd
