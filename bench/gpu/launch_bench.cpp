//===- launch_bench.cpp - What a prepared launch costs over the driver's -----===//
//
// One process, one kernel (an empty program with five parameters), two ways to launch it:
// a bare loop over cuLaunchKernelEx, and gluonc's Launcher, which also writes the
// parameter slots. Rounds alternate between the two; medians of nanoseconds per
// launch go to the standard output as one JSON object. Exit status 4: no GPU.
//
//===----------------------------------------------------------------------===//
#include "Nothing.h"
#include "runtime/cuda/Launcher.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace gluonc::cuda;

namespace {

constexpr unsigned launchesPerRound = 500;
constexpr unsigned rounds = 200;

/// Median nanoseconds of one launch in rounds that queue `launchesPerRound` and then wait.
struct Series {
  std::vector<double> nanoseconds;

  template <typename Fn> void round(const Device &device, Fn &&launch) {
    auto start = std::chrono::steady_clock::now();
    for (unsigned i = 0; i != launchesPerRound; ++i)
      launch(i);
    auto queued = std::chrono::steady_clock::now();
    llvm::cantFail(device.synchronize());
    nanoseconds.push_back(std::chrono::duration<double, std::nano>(queued - start).count() /
                          launchesPerRound);
  }
  double at(double quantile) {
    std::sort(nanoseconds.begin(), nanoseconds.end());
    return nanoseconds[static_cast<size_t>(quantile * static_cast<double>(nanoseconds.size() - 1))];
  }
};

} // namespace

int main() {
  std::shared_ptr<const Driver> driver = need(Driver::open());
  std::shared_ptr<const Device> device = need(Device::open(driver, 0));
  std::shared_ptr<const Module> module = need(Module::load(device, kernelText));
  Launcher launcher = need(Launcher::create(module, "nothing", {}, 5));

  // What a hand-written loop does: everything set up once, one call per launch.
  uint64_t slots[5] = {0, 0, 1, 2, 3};
  uint64_t scratch = 0;
  void *pointers[] = {&slots[0], &slots[1], &slots[2], &slots[3], &slots[4], &scratch, &scratch};
  LaunchConfig config;
  config.blockX = 128;
  CUfunction function = launcher.function().handle;
  CUresult (*enter)(const LaunchConfig *, CUfunction, void **, void **) =
      driver->api().cuLaunchKernelEx;

  Series bare, prepared;
  int failures = 0;
  // The first rounds warm the driver and do not count.
  for (unsigned round = 0; round != rounds + 10; ++round) {
    if (round == 10) {
      bare.nanoseconds.clear();
      prepared.nanoseconds.clear();
    }
    bare.round(*device, [&](unsigned i) {
      slots[2] = i;
      failures += enter(&config, function, pointers, nullptr) != success;
    });
    prepared.round(*device, [&](unsigned i) {
      uint64_t values[5] = {0, 0, i, 2, 3};
      failures += launcher.launch({1, 1, 1}, nullptr, values) != success;
    });
  }
  std::printf("{\"device\": \"%s\", \"driver\": %d, \"launches_per_round\": %u, \"rounds\": %u, "
              "\"bare_ns\": %.1f, \"prepared_ns\": %.1f, \"difference_ns\": %.1f, "
              "\"bare_p10_ns\": %.1f, \"prepared_p10_ns\": %.1f, \"failures\": %d}\n",
              device->name().c_str(), driver->version(), launchesPerRound, rounds, bare.at(0.5),
              prepared.at(0.5), prepared.at(0.5) - bare.at(0.5), bare.at(0.1), prepared.at(0.1),
              failures);
  return failures != 0;
}
