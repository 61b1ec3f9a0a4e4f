//===- Workers.h - Warps beyond the kernel's own -----------------------------------===//
//
// Warps beyond the kernel's own wait, from the start of the kernel, to be told
// what to run:
//
//     default warps                     workers
//     ─────────────                     ───────
//                                       loop: sync
//     write captures, number of op
//     sync   ─────────────────────────▶ read number, jump to the partition of
//     run the default region            this warp, run it
//     sync   ◀───────────────────────── sync, back to loop
//     …
//     write 0, sync ──────────────────▶ exit
//
// The number is written and read by atomics, though the barriers order its accesses:
// compute-sanitizer's racecheck does not follow a barrier that threads come to from
// several places. (Nor does its synccheck like `barrier.red` there, which would need
// no memory.)
//
// To synchronize with the other CTAs of a cluster, all threads of each must come: the default
// warps announce that, too, and workers that have met them go back to the loop.
//
// "Sync" is hardware barrier 1 with all threads. Default warps use barrier 0
// among themselves, partition i barrier 2 + i.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

/// That of all threads, and that of the first partition.
constexpr unsigned allThreadsBarrier = 1, firstPartitionBarrier = 2;

/// Brings together the default warps and the workers.
void synchronizeAll(Emitter &emitter);

/// The loop of the workers, and the branch at the kernel's start that leads there.
void startWorkers(Emitter &emitter, mlir::Operation *op);

/// Sends the workers of a kernel home; before every return.
void releaseWorkers(Emitter &emitter, mlir::Operation *op);
/// Tells the workers what to do next. By one thread; they know it once they have met it.
void announce(Emitter &emitter, mlir::Operation *op, unsigned what);

/// At the kernel's start, by all threads: begins what partitions will synchronize with their peers
/// at.
void beginClusterState(Emitter &emitter, mlir::Operation *op);

/// All CTAs of the cluster synchronize, on behalf of `op`. In a partition: the same partition of
/// all CTAs.
mlir::LogicalResult clusterBarrier(Emitter &emitter, mlir::Operation *op, bool relaxed = false);
/// The place in shared memory at so many bytes.
llvm::Value *sharedByte(Emitter &emitter, int64_t offset);

/// Emits what `store` does for the first thread of the default warps only.
template <typename Store> void inFirstThread(Emitter &emitter, Store store) {
  llvm::BasicBlock *only = emitter.blocks.create("first"), *then = emitter.blocks.create("then");
  Builder &builder = emitter.builder;
  llvm::Value *isFirst = builder.CreateICmpEQ(emitter.threads.id(), builder.getInt32(0));
  builder.CreateCondBr(isFirst, only, then);
  emitter.blocks.start(only);
  store();
  builder.CreateBr(then);
  emitter.blocks.start(then);
}

} // namespace gluonc::codegen
