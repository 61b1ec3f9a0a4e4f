//===- Barriers.h - What barriers of NVIDIA GPUs count -----------------------===//
#pragma once

#include <cstdint>

namespace gluonc::target::nvidia {

/// Barriers of a CTA that `bar.sync` names by number.
inline constexpr unsigned namedBarriers = 16;

/// mbarrier objects: arrivals that a phase waits for, and bytes that are announced and not there
/// yet (20 bits each; PTX ISA, "Size and alignment of mbarrier object" ff.).
inline constexpr int64_t maxArrivals = (1 << 20) - 1, maxPendingBytes = (1 << 20) - 1;

/// Bytes of the answer to a request for the work of a cluster that has not begun, and how they are
/// aligned (PTX ISA, clusterlaunchcontrol.try_cancel).
inline constexpr int64_t answerBytes = 16;

} // namespace gluonc::target::nvidia
