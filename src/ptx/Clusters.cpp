#include "ptx/Clusters.h"

#include "ptx/Machine.h"

#include <thread>

namespace gluonc::ptx {

uint64_t clustersOf(const Launch &launch) {
  return uint64_t(launch.grid[0] / launch.ctasPerCluster) * launch.grid[1] * launch.grid[2];
}

Clusters::Clusters(const Launch &launch)
    : numbers(launch.clusters), end(numbers.empty() ? clustersOf(launch) : numbers.size()),
      most(std::max<uint64_t>(launch.residentClusters, 1)) {}

Clusters::Taken Clusters::take(uint64_t &number) {
  std::lock_guard guard(lock);
  if (next >= end)
    return Taken::None;
  if (resident == most)
    return Taken::Later;
  ++resident;
  number = numbers.empty() ? next : numbers[next];
  ++next;
  return Taken::Cluster;
}

std::optional<uint64_t> Clusters::cancel() {
  std::lock_guard guard(lock);
  // Who names clusters wants these.
  if (next >= end || !numbers.empty())
    return std::nullopt;
  return --end;
}

void Clusters::ended() {
  std::lock_guard guard(lock);
  --resident;
}

bool Clusters::haveBegun() const {
  std::lock_guard guard(lock);
  return next >= end;
}

void Clusters::stop(const Fault &fault) {
  std::lock_guard guard(lock);
  if (!first)
    first = fault;
  stopped = true;
}

void Clusters::askForHelp() {
  // A thread begins in some tens of microseconds.
  constexpr std::chrono::microseconds worthIt(200);
  if (start && std::chrono::steady_clock::now() - begun > worthIt && !haveBegun())
    std::exchange(start, nullptr)();
}

std::optional<Fault> execute(const Function &kernel, const Module &module, const Launch &launch) {
  Clusters clusters(launch);
  std::vector<std::thread> helpers;
  bool isAlone =
      launch.hostThreads < 2 || launch.observer || launch.state || !launch.clusters.empty();
  if (!isAlone)
    clusters.start = [&] {
      uint64_t useful = std::min<uint64_t>(launch.hostThreads, clustersOf(launch));
      while (helpers.size() + 1 < useful)
        helpers.emplace_back([&] { Machine(kernel, module, launch, clusters).run(); });
    };
  Machine machine(kernel, module, launch, clusters);
  if (std::optional<Fault> unknown = machine.findUnknown())
    return unknown;
  if (launch.observer)
    launch.observer->begin(kernel, module);
  machine.run();
  for (std::thread &helper : helpers)
    helper.join();
  return clusters.fault();
}

} // namespace gluonc::ptx
