//===- Fiber.h - One thread of control of a program --------------------------===//
//
// A program begins as one fiber. `ttg.warp_specialize` makes one more for each
// worker partition; the fiber that executes it goes on as the default partition.
// All fibers of a CTA share its frame (their values never share slots) and its
// shared memory; what threads own in hardware, the queues of asynchronous
// operations, each fiber has for itself.
//
// A program over a cluster begins as one fiber for each CTA. Each CTA has its own
// frame, and its share of the tiles (Share.h); all see the shared memory of all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/async/AsyncOperation.h"
#include "sim/machine/Names.h"

#include <array>
#include <deque>

namespace gluonc::sim {

struct Fiber {
  enum class State : uint8_t {
    Ready,
    WaitsForBarrier,
    WaitsForPartitions,
    WaitsForCtas,
    WaitsForMemory,
    Done
  };

  uint32_t pc = 0;
  /// Among the fibers of its program.
  uint32_t index = 0;
  /// Of the cluster.
  uint32_t cta = 0;
  /// -1 for the default partition.
  int partition = -1;
  /// Of a partition whose function is known, while there are partitions.
  const PartitionName *name = nullptr;
  Steps steps;
  State state = State::Ready;
  /// While waiting: at which instruction, for which phase of which barrier, and how
  /// many events the program had seen when this fiber last looked.
  uint32_t waitPlace = 0;
  uint32_t barrier = 0;
  bool parity = false;
  uint64_t seenEvents = 0;
  /// What it polls for will not come.
  bool givesUp = false;
  /// How often the barrier of the cluster, and an exchange, had completed when it arrived there;
  /// nullopt after it has left.
  std::optional<uint64_t> arrival, exchange;
  /// The instruction of the exchange.
  uint32_t syncPlace = 0;

  /// cp.async: copies not committed yet.
  AsyncGroup openCopies;
  /// Products in tensor memory that may be unfinished, in the order of their issue.
  AsyncGroup products;
  /// Groups that may be unfinished, oldest first.
  std::array<std::deque<AsyncGroup>, kQueues> queues;
  std::deque<AsyncGroup> &queue(Queue which) { return queues[size_t(which)]; }
};

} // namespace gluonc::sim
