#include "target/nvidia/Speeds.h"

namespace gluonc::target::nvidia {

namespace {

constexpr Speeds h100 = {
    .capability = 90,
    .name = "H100 SXM",
    .areMeasured = true,
    .multiprocessors = 132,
    .megahertz = 1755,
    .productMegahertz = 1410,
    .launchMicroseconds = 2.2,
    .pipes = {{{1, 4}, {2, 4}, {8, 18}, {2, 8}, {2, 16}, {0, 33}}},
    .tensorFlops = 1024,
    .warpProductShare = 0.62,
    .wgmmaLatency = 30,
    .sharedBytesPerCycle = 128,
    .sharedLatency = 29,
    .shuffleLatency = 24,
    .firstLevelLatency = 33,
    .firstLevelBytes = 256 * 1024,
    .secondLevelBytesPerCycle = 64,
    .secondLevelGigabytesPerSecond = 10300,
    .secondLevelLatency = 260,
    .atomicLatency = 350,
    .memoryGigabytesPerSecond = 3020,
    .memoryLatency = 650,
    .boxLatency = 250,
    .boxBytesPerCycle = 64,
    .barrierLatency = 20,
    .mbarrierLatency = 20,
    .branchLatency = 8,
};

} // namespace

const Speeds *speedsOf(const Target &target) {
  for (const Speeds *chip : {&h100})
    if (target.isNvidia() && chip->capability == target.computeCapability())
      return chip;
  return nullptr;
}

} // namespace gluonc::target::nvidia
