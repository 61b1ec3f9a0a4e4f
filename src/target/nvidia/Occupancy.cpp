#include "target/nvidia/Occupancy.h"

#include "target/nvidia/Chips.h"
#include "target/nvidia/Registers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gluonc::target::nvidia {

namespace {

/// Shared memory that the system takes of each CTA, and the units in which it is given out.
constexpr uint32_t reservedSharedBytes = 1024, sharedUnit = 128;

unsigned roundedUp(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

unsigned ctasByRegisters(const CtaNeeds &needs) {
  if (!needs.registers)
    return ~0u;
  unsigned ofWarp = roundedUp(needs.registers, registerUnit) * warpSize;
  unsigned warpsOfPart = registerFile / registerFileParts / ofWarp;
  return warpsOfPart * registerFileParts / needs.warps;
}

} // namespace

std::optional<Occupancy> occupancyOf(const Target &target, const CtaNeeds &needs) {
  const Chip *chip = findChip(target.computeCapability());
  if (!chip || !chip->residentWarps)
    return std::nullopt;
  const std::pair<unsigned, OccupancyLimit> limits[] = {
      {chip->residentWarps / needs.warps, OccupancyLimit::Warps},
      {chip->residentCtas, OccupancyLimit::Ctas},
      {ctasByRegisters(needs), OccupancyLimit::Registers},
      {chip->residentSharedBytes / roundedUp(needs.sharedBytes + reservedSharedBytes, sharedUnit),
       OccupancyLimit::SharedMemory},
  };
  return occupancyWithin(limits, needs.warps, chip->residentWarps);
}

} // namespace gluonc::target::nvidia
