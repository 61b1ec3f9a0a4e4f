//===- Work.h - What an instruction of PTX asks of the units ---------------------===//
//
// By names and types, once for each instruction of a kernel: which unit it takes for how
// long, which registers it needs and gives, and which of the model's rules it follows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Uses.h"
#include "target/nvidia/Speeds.h"

namespace gluonc::model {

using target::nvidia::Pipe;
using target::nvidia::Speeds;

enum class Rule : uint8_t {
  /// No machine code, as a rule: moves, parameters, conversions of addresses.
  Free,
  /// One pipe for some cycles, a result behind a latency.
  Math,
  /// Loads, stores and atomic updates by threads, of whichever memory.
  Access,
  Shuffle,
  /// A product of a warp, whose result others wait for.
  Product,
  /// One of a warpgroup, which goes on meanwhile.
  AsyncProduct,
  /// One whose sum is in tensor memory; a copy into tensor memory, which waits its turn with them;
  /// an
  /// arrival that waits for both.
  TensorProduct,
  TensorCopy,
  TensorCommit,
  /// Between tensor memory and registers, and a wait for all of these.
  TensorMove,
  TensorWait,
  /// `cp.async`.
  AsyncCopy,
  /// A box between shared and global memory.
  BoxLoad,
  BoxStore,
  /// Of a queue.
  Commit,
  Wait,
  /// Barriers, by the signals that they send.
  Signal,
  /// An arrival that waits for the asynchronous copies before it.
  SignalAfterCopies,
  ClusterArrive,
  ClusterWait,
  /// Nothing moves across it.
  Branch,
  /// A border of a region that the kernel names: takes no time.
  Scope,
};

/// What a warp has under way in groups.
enum class Queue : uint8_t { Copies, Products, Boxes };
inline constexpr unsigned queueCount = 3;

struct Work {
  Rule rule = Rule::Free;
  Pipe pipe = Pipe::Integer;
  double cycles = 0, latency = 0;
  /// Of AsyncProduct: in which shared memory gives the operands of four warps.
  double sharedCycles = 0;
  Queue queue = Queue::Copies;
  /// Of Wait: how many groups may still be under way. Of Scope: the region's number, doubled, and 1
  /// more where it ends.
  unsigned left = 0;
  /// Of BoxStore's Wait: until shared memory has been read.
  bool untilRead = false;
  /// Of Access: writes memory; past the first-level cache; an atomic update.
  bool stores = false, bypassesFirstLevel = false, isAtomic = false;
  /// Of Access: is a group of its queue.
  bool joinsQueue = false;
  /// Begins only when all before it have, and waits for its operands there.
  bool inOrder = false;
  llvm::SmallVector<int32_t, 8> written, read;
};

Work workOf(const ptx::Instruction &instruction, const Speeds &chip);

} // namespace gluonc::model
