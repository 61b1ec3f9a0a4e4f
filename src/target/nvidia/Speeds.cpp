#include "target/nvidia/Speeds.h"

namespace gluonc::target::nvidia {

namespace {

/// Measured: bench/results/2026-11-24-h100-model.json. But the clock while tensor cores are at work
/// is that of long products of cuBLAS, the rate of memory that of copies of 0.8 GB, that of CTAs
/// one of copies by small CTAs, and what half a line of memory takes of `strided 32` there
/// (…-h100-spread.json), a launch's time that of tutorial 05's products
/// of one tile. Guessed, near what others publish: the latencies of the first-level cache and of
/// branches.
constexpr Speeds h100 = {
    .capability = 90,
    .name = "H100 SXM",
    .areMeasured = true,
    .multiprocessors = 132,
    .megahertz = 1965,
    .productMegahertz = 1335,
    .launchMicroseconds = 1.7,
    .ctaCycles = 155,
    .pipes = {{{1, 4}, {2, 4}, {8, 17}, {2, 4}, {2, 8}, {0, 24}}},
    .tensorFlops = 1024,
    .warpProductShare = 0.653,
    .wgmmaLatency = 60,
    .sharedBytesPerCycle = 128,
    .sharedLatency = 23,
    .shuffleLatency = 23,
    .firstLevelLatency = 33,
    .firstLevelBytes = 256 * 1024,
    .secondLevelBytesPerCycle = 107,
    .distinctBytesPerCycle = 31,
    .commonBytesPerCycle = 60,
    .secondLevelLatency = 277,
    .atomicLatency = 471,
    .secondLevelBytes = 50e6,
    .memoryGigabytesPerSecond = 3020,
    .memoryLatency = 690,
    .memoryGranule = 64,
    .loneGranule = 90,
    .boxLatency = 0,
    .barrierLatency = 12,
    .barrierCycles = 2,
    .mbarrierLatency = 24,
    .branchLatency = 8,
};

/// Published: NVIDIA's white paper of the A100 (units, clock, 5120 bytes of the second-level cache
/// a cycle, 1555 GB/s, of which a tenth is taken off, as an H100 does not reach its own) and the
/// latencies of microbenchmarks, roughly (arXiv 2402.13499). What launches and barriers take is as
/// on the H100.
constexpr Speeds a100 = {
    .capability = 80,
    .name = "A100 SXM (40 GB)",
    .areMeasured = false,
    .multiprocessors = 108,
    .megahertz = 1410,
    .productMegahertz = 1410,
    .launchMicroseconds = h100.launchMicroseconds,
    .ctaCycles = h100.ctaCycles,
    .pipes = {{{2, 4}, {2, 4}, {8, 18}, {2, 4}, {4, 8}, {0, 25}}},
    .tensorFlops = 512,
    .warpProductShare = 1,
    .wgmmaLatency = 0,
    .sharedBytesPerCycle = 128,
    .sharedLatency = 29,
    .shuffleLatency = 23,
    .firstLevelLatency = 38,
    .firstLevelBytes = 192 * 1024,
    .secondLevelBytesPerCycle = 64,
    .distinctBytesPerCycle = 47,
    .commonBytesPerCycle = 47,
    .secondLevelLatency = 260,
    .atomicLatency = 400,
    .secondLevelBytes = 40e6,
    .memoryGigabytesPerSecond = 1400,
    .memoryLatency = 466,
    .memoryGranule = 64,
    .loneGranule = h100.loneGranule,
    .boxLatency = 0,
    .barrierLatency = h100.barrierLatency,
    .barrierCycles = h100.barrierCycles,
    .mbarrierLatency = h100.mbarrierLatency,
    .branchLatency = h100.branchLatency,
};

/// Published: NVIDIA's data sheet of the HGX B200 (a GPU: 2.25e15 dense operations on 16 bits a
/// second, 8 TB/s, of which a tenth is taken off), the CUDA programming guide's tables (units,
/// shared memory), 148 multiprocessors and 126 MB of second-level cache as programs are told. With
/// 4096 products a multiprocessor and cycle those operations are a clock of 1.85 GHz. Not
/// published, and taken: 64 bytes of the second-level cache a cycle for each multiprocessor,
/// whoever asks for what; the latencies of the H100; what launches and barriers take there.
constexpr Speeds b200 = {
    .capability = 100,
    .name = "B200",
    .areMeasured = false,
    .multiprocessors = 148,
    .megahertz = 1850,
    .productMegahertz = 1850,
    .launchMicroseconds = h100.launchMicroseconds,
    .ctaCycles = h100.ctaCycles,
    .pipes = h100.pipes,
    .tensorFlops = 2048,
    // mma.sync is not what these tensor cores are for: the rate of an H100's wgmma.
    .warpProductShare = 0.25,
    .wgmmaLatency = h100.wgmmaLatency,
    .tensorMemoryLatency = h100.sharedLatency,
    .sharedBytesPerCycle = 128,
    .sharedLatency = h100.sharedLatency,
    .shuffleLatency = h100.shuffleLatency,
    .firstLevelLatency = h100.firstLevelLatency,
    .firstLevelBytes = 256 * 1024,
    .secondLevelBytesPerCycle = 64,
    .distinctBytesPerCycle = 64,
    .commonBytesPerCycle = 64,
    .secondLevelLatency = h100.secondLevelLatency,
    .atomicLatency = h100.atomicLatency,
    .secondLevelBytes = 126e6,
    .memoryGigabytesPerSecond = 7200,
    .memoryLatency = h100.memoryLatency,
    .memoryGranule = 64,
    .loneGranule = h100.loneGranule,
    .boxLatency = 0,
    .barrierLatency = h100.barrierLatency,
    .barrierCycles = h100.barrierCycles,
    .mbarrierLatency = h100.mbarrierLatency,
    .branchLatency = h100.branchLatency,
};

} // namespace

const Speeds *speedsOf(const Target &target) {
  for (const Speeds *chip : {&a100, &h100, &b200})
    if (target.isNvidia() && chip->capability == target.computeCapability())
      return chip;
  return nullptr;
}

} // namespace gluonc::target::nvidia
