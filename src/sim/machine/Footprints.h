//===- Footprints.h - Global memory as footprints name it ---------------------===//
#pragma once

#include "sim/machine/Cta.h"

namespace gluonc::sim {

/// Tells who explores schedules of an access to a buffer. Launches may have the buffer at different
/// addresses, so it is named by its name and what is accessed by the place in it; buffers of one
/// name are taken for one.
void noteGlobalAccess(Cta &cta, const Range &range, uint64_t address, uint64_t bytes, bool writes);

} // namespace gluonc::sim
