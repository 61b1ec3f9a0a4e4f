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

unsigned ctasByRegisters(const CtaNeeds &needs, unsigned most) {
  if (!needs.registers)
    return most;
  unsigned ofWarp = roundedUp(needs.registers, registerUnit) * warpSize;
  unsigned warpsOfPart = registerFile / registerFileParts / ofWarp;
  return warpsOfPart * registerFileParts / needs.warps;
}

} // namespace

std::optional<Occupancy> occupancyOf(const Target &target, const CtaNeeds &needs) {
  const Chip *chip = findChip(target.computeCapability());
  if (!chip || !chip->residentWarps)
    return std::nullopt;
  // Of equals the first one counts.
  std::pair<unsigned, OccupancyLimit> limits[] = {
      {chip->residentWarps / needs.warps, OccupancyLimit::Warps},
      {chip->residentCtas, OccupancyLimit::Ctas},
      {ctasByRegisters(needs, chip->residentCtas), OccupancyLimit::Registers},
      {chip->residentSharedBytes / roundedUp(needs.sharedBytes + reservedSharedBytes, sharedUnit),
       OccupancyLimit::SharedMemory},
  };
  auto [ctas, limit] =
      *std::min_element(std::begin(limits), std::end(limits),
                        [](const auto &a, const auto &b) { return a.first < b.first; });
  return Occupancy{ctas, ctas * needs.warps, chip->residentWarps, limit};
}

} // namespace gluonc::target::nvidia
