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

#include "sim/BoxTransfer.h"

#include <deque>
#include <memory>
#include <optional>

namespace gluonc::sim {

/// A cp.async: the bytes were read when it was issued and are written when waited for.
struct PendingCopy {
  Region target;
  std::vector<uint8_t> bytes;
  /// The CTA whose part of the target this writes; all of it, if none.
  std::optional<uint32_t> receiver;
  uint32_t place = 0;
  /// Written already: for its group, or for a barrier that tracks it.
  bool done = false;
};
using CopyGroup = std::vector<std::shared_ptr<PendingCopy>>;

/// A bulk store or reduction; each is a group of its own. It counts as reading shared
/// memory until a wait for reads, and reaches global memory when a wait demands that.
struct PendingStore {
  BoxTransfer transfer;
  Reduction reduction = Reduction::None;
  ElementKind kind = ElementKind::I8;
  bool isUnsigned = false;
  std::vector<uint8_t> bytes;
  bool reading = true;
  uint32_t place = 0;
};

/// An asynchronous warpgroup_mma: until a wait it counts as reading its operands, and
/// the slots that hold its result may not be used.
struct PendingProduct {
  llvm::SmallVector<Region, 2> operands;
  llvm::SmallVector<uint32_t, 2> results;
  uint32_t place = 0;
};

/// What will happen to barriers without any fiber doing more: a bulk load, or the
/// arrival of threads whose copies are done.
struct BarrierEvent {
  llvm::SmallVector<uint32_t, 2> barriers;
  uint32_t arrivals = 0;
  int64_t bytes = 0;
  /// Either a bulk load, or copies.
  std::unique_ptr<BoxTransfer> load;
  CopyGroup copies;
  /// The CTA that issued it.
  uint32_t cta = 0;
  uint32_t place = 0;
  /// The pending fault (Cta.h) of what a load was told to fetch: a fault once somebody waits for
  /// it. The last prefetch of a pipeline may be of anything.
  uint8_t taint = 0;
};

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
  State state = State::Ready;
  /// While waiting: at which instruction, for which phase of which barrier, and how
  /// many events the program had seen when this fiber last looked.
  uint32_t waitPlace = 0;
  uint32_t barrier = 0;
  bool parity = false;
  uint64_t seenEvents = 0;
  /// What it polls for will not come.
  bool givesUp = false;
  /// The meetings at the barrier of the cluster, and at an exchange, that it has arrived at and
  /// not left.
  std::optional<uint64_t> arrival, exchange;
  /// The instruction of the exchange.
  uint32_t meetingPlace = 0;

  /// cp.async: copies not committed yet, then committed groups, oldest first.
  CopyGroup openCopies;
  std::deque<CopyGroup> copyGroups;
  std::deque<PendingStore> stores;
  std::deque<PendingProduct> products;
};

} // namespace gluonc::sim
