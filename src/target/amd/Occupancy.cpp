#include "target/amd/Occupancy.h"

#include "target/amd/Chips.h"

#include <algorithm>
#include <utility>

namespace gluonc::target::amd {

namespace {

/// What a family's compute units hold.
struct Unit {
  unsigned simds, wavesOfSimd;
  /// Registers are given out in so many.
  unsigned granule;
  /// Of more than one wave, for which there are barriers.
  unsigned workgroups;
};

/// Of gfx1250 what LLVM 22 assumes.
std::optional<Unit> unitOf(Family family) {
  switch (family) {
  case Family::Cdna3:
  case Family::Cdna4:
    return Unit{4, 8, 8, 16};
  case Family::Cdna5:
    return Unit{4, 16, 16, 32};
  case Family::Rdna3:
  case Family::Rdna4:
    return std::nullopt;
  }
  return std::nullopt;
}

unsigned roundedUp(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

} // namespace

std::optional<Occupancy> occupancyOf(const Target &target, const WorkgroupNeeds &needs) {
  const Chip *chip = target.amdChip();
  std::optional<Unit> unit = chip ? unitOf(chip->family) : std::nullopt;
  if (!unit)
    return std::nullopt;
  const unsigned most = unit->simds * unit->wavesOfSimd, each = std::max(needs.waves, 1u);
  const unsigned ofWave = std::max(roundedUp(needs.registers, unit->granule), unit->granule);
  const unsigned byRegisters = std::min(chip->registers / ofWave, unit->wavesOfSimd) * unit->simds;
  const unsigned places = each > 1 ? unit->workgroups : most;
  const std::pair<unsigned, OccupancyLimit> limits[] = {
      {most / each, OccupancyLimit::Warps},
      {places, OccupancyLimit::Ctas},
      {byRegisters / each, OccupancyLimit::Registers},
      {needs.ldsBytes ? chip->ldsBytes / needs.ldsBytes : places, OccupancyLimit::SharedMemory},
  };
  return occupancyWithin(limits, each, most);
}

} // namespace gluonc::target::amd
