//===- Clusters.h - Which clusters of a launch are to be run ------------------===//
//
// Threads of the host that execute a launch take clusters from here, and tell a fault.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Execute.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

namespace gluonc::ptx {

class Clusters {
public:
  explicit Clusters(const Launch &launch);

  enum class Taken : uint8_t {
    /// Its number is given.
    Cluster,
    /// There are as many as the GPU holds.
    Later,
    /// All have begun.
    None
  };
  Taken take(uint64_t &number);
  /// The last one that has not begun, which never will.
  std::optional<uint64_t> cancel();
  /// One that was taken is at its end.
  void ended();
  bool haveBegun() const;

  /// The first fault counts; everybody stops.
  void stop(const Fault &fault);
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }
  const std::optional<Fault> &fault() const { return first; }

  /// Calls `start` once, when the launch has taken so long that further threads pay.
  void askForHelp();
  std::function<void()> start;

private:
  mutable std::mutex lock;
  llvm::ArrayRef<uint64_t> numbers;
  /// Those from the first to the other are to be run; where there are numbers, of these.
  uint64_t next = 0, end = 0;
  uint64_t resident = 0, most = 1;
  std::atomic<bool> stopped = false;
  std::optional<Fault> first;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

} // namespace gluonc::ptx
