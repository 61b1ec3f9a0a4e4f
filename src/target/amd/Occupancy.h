//===- Occupancy.h - How many workgroups a compute unit holds ---------------------===//
//
// A workgroup is resident as a whole: its waves on the SIMDs of the unit, each with the
// registers of a wave, its LDS. Sources: LLVM's AMDGPU subtargets (waves of a SIMD by
// registers, granules, SIMDs of a unit), "AMD Instinct MI300" and "MI350" ISA documents.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Occupancy.h"
#include "target/Target.h"

#include <optional>

namespace gluonc::target::amd {

struct WorkgroupNeeds {
  unsigned waves = 4;
  /// Vector registers of a lane, those for accumulation among them; 0 where nobody knows.
  unsigned registers = 0;
  uint32_t ldsBytes = 0;
};

/// Nullopt for a chip of which nothing is published.
std::optional<Occupancy> occupancyOf(const Target &target, const WorkgroupNeeds &needs);

} // namespace gluonc::target::amd
