//===- Phases.h - Which phases of a barrier are waited for ------------------------===//
#pragma once

#include "ir/Dialects.h"

#include <vector>

namespace gluonc::driver {

/// The parities that a wait for a barrier asks for in the first `rounds` rounds of the loop around
/// it, the first round of loops further out; one outside of loops, or where all are the same. Empty
/// where they depend on what is only known in a launch.
std::vector<unsigned> paritiesOf(ttng::WaitBarrierOp wait, unsigned rounds);

} // namespace gluonc::driver
