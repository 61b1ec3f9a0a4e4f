//===- AsyncOperation.h - Operations in flight -------------------------------===//
//
// An asynchronous operation is data: what it reads and writes, through which proxy, and
// what completes it, which is one of
//  - a queue of the fiber that issued it, whose groups are complete oldest first at a
//    wait (cp.async groups, bulk groups, wgmma groups, copies of AMD's tensor mover);
//  - the barriers of a BarrierEvent.
//
// Until it is complete nobody may write the shared memory that it reads, touch what it
// writes, or use its results. It moves its bytes when it completes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/async/BoxTransfer.h"
#include "sim/machine/Names.h"
#include "sim/machine/Ordering.h"

#include <memory>
#include <optional>
#include <variant>

namespace gluonc::sim {

struct AsyncOperation {
  /// Elements that were read when the operation was issued, row-major, for shared memory.
  struct ElementsToShared {
    Region target;
    std::vector<uint8_t> bytes;
    /// The CTA whose share of the target this writes; all of it, if none.
    std::optional<uint32_t> receiver;
    /// One flag for each element that stays as it is; empty if there is none.
    std::vector<uint8_t> kept = {};
  };
  /// Elements of shared memory that were read when the operation was issued, and where they go.
  struct ElementsToGlobal {
    struct Run {
      uint64_t address;
      uint32_t first, count;
    };
    std::vector<Run> runs;
    std::vector<uint8_t> bytes;
    uint32_t elementBytes = 0;
  };
  /// A product in tensor memory or a copy to it, computed when it was issued. What it wrote counts
  /// as written by its issuer then, and is there for others when it completes.
  struct Sum {
    Region target;
    Ordering::Epoch epoch = 0;
    /// Products follow each other in one sum if these are equal; 0 of a copy, which all follow.
    uint32_t kind = 0;
    /// A copy of what was never written.
    bool holdsNothing = false;
  };
  struct BoxToShared {
    BoxTransfer transfer;
  };
  struct BoxToGlobal {
    BoxTransfer transfer;
    Reduction reduction = Reduction::None;
    ElementKind kind = ElementKind::I8;
    bool isUnsigned = false;
    std::vector<uint8_t> bytes;
  };

  /// As notes of faults call it.
  const char *name = "copy";
  Proxy proxy = Proxy::Generic;
  uint32_t place = 0;
  /// Of the loops around it, when it was started.
  LoopValues counts;
  /// What it reads of shared memory, which it does until `isReading` ends.
  llvm::SmallVector<Region, 2> reads;
  bool isReading = false;
  /// The frame slots of its results.
  llvm::SmallVector<uint32_t, 2> results;
  /// What it moves; nothing where the values have been computed when it was issued.
  std::variant<std::monostate, ElementsToShared, ElementsToGlobal, Sum, BoxToShared, BoxToGlobal>
      movement;
  bool isComplete = false;
  /// AMD's tensor mover: the waves whose work it is, a bit for each. Those of one wave are done in
  /// their order.
  uint64_t waves = 0;

  bool writesGlobal() const {
    return std::holds_alternative<ElementsToGlobal>(movement) ||
           std::holds_alternative<BoxToGlobal>(movement);
  }

  /// What it writes of shared memory.
  const Region *target() const {
    if (auto *elements = std::get_if<ElementsToShared>(&movement))
      return &elements->target;
    if (auto *sum = std::get_if<Sum>(&movement))
      return &sum->target;
    auto *box = std::get_if<BoxToShared>(&movement);
    return box ? &box->transfer.shared : nullptr;
  }
};

/// What a wait for a queue completes together.
using AsyncGroup = llvm::SmallVector<std::shared_ptr<AsyncOperation>, 1>;

enum class Queue : uint8_t { Copies, BulkStores, Dots, TensorMoves };
constexpr size_t kQueues = 4;

/// What will happen to barriers without any fiber doing more: operations complete, with so many
/// bytes, and threads arrive.
struct BarrierEvent {
  llvm::SmallVector<uint32_t, 2> barriers;
  uint32_t arrivals = 0;
  int64_t bytes = 0;
  AsyncGroup operations;
  /// The CTA that issued it.
  uint32_t cta = 0;
  uint32_t place = 0;
  /// Of commits: the fiber that issued it. They arrive in the order in which they were issued.
  std::optional<uint32_t> committer;
  /// The pending fault (Cta.h) of what a load was told to fetch: a fault once somebody waits for
  /// it. The last prefetch of a pipeline may be of anything.
  uint8_t taint = 0;
};

} // namespace gluonc::sim
