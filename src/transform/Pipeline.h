//===- Pipeline.h - From verified ttg to ttg ready for code generation -------===//
#pragma once

#include "target/Target.h"

#include "mlir/Pass/PassManager.h"

namespace gluonc {

/// Everything between specialization and code generation (or simulation), in order; see
/// Pipeline.cpp for the reasons. Needs verified ttg. Leaves
///   - one public function per kernel, calls only to `noinline` functions,
///   - `allocation.offset` on every operation that owns shared memory, `ttg.shared` on the module,
///   - `tensor_memory_col_offset` and `…_row_offset` on allocations of tensor memory,
///     `ttg.tensor_memory_size` on the module,
///   - a `ttng.fence_async_shared` where asynchronous units access what threads did,
///   - a `ttg.barrier local` where threads exchange data through shared memory.
void addPipeline(mlir::OpPassManager &passes, const target::Target &target);

/// Makes the passes below known to command-line tools: `-gluonc-<pass>`,
/// `-gluonc-pipeline=<target>`.
void registerPasses();

/// Refuses kernels in which a region (`gluon.scope`) has one border only in its block. Numbers the
/// names of regions in a module with `gluon.traced`; drops all borders in others.
std::unique_ptr<mlir::Pass> createScopesPass();

/// Replaces calls by the callee's body unless it is `noinline`, then drops functions that nobody
/// can call. Calls nest, so callees are finished before their callers.
std::unique_ptr<mlir::Pass> createInlinePass();

/// Gives tensors in AutoLayout the layout that their uses ask for, and tensors in CoalescedLayout
/// one that suits their pointers. Reports values that nothing or too much asks for. Needs inlined
/// calls; leaves no `gluon` operations.
std::unique_ptr<mlir::Pass> createResolveLayoutsPass();

/// Constant folding, algebraic rules, dead code, common subexpressions: what needs no new layout.
std::unique_ptr<mlir::Pass> createSimplifyPass();

/// Finds loops that are divided into stages (`amd.warp_pipeline_stage`), makes as many iterations
/// one as their authors ask for, and marks where stages begin.
std::unique_ptr<mlir::Pass> createMarkStagesPass();

/// Refuses kernels that wait for a barrier which expects other bytes than the copies for it bring;
/// warns of such a barrier that nobody waits for. Changes nothing.
std::unique_ptr<mlir::Pass> createCheckBarrierBytesPass();

/// Warns of box copies that begin where a GPU stops them. Changes nothing.
std::unique_ptr<mlir::Pass> createCheckBoxStartsPass();

/// Converts scans to a layout that can be scanned where their own cannot: one whose bases mix
/// dimensions, that repeats elements, or splits the axis among CTAs. So for reductions over CTAs.
std::unique_ptr<mlir::Pass> createLegalizeCombinesPass();

/// Gives descriptors that the kernel makes a place in global memory, and code that fills it in.
std::unique_ptr<mlir::Pass> createLowerDescriptorsPass();

/// Hands what asynchronous dots read of registers to the wait that ends them, through loops where
/// it is in the next iteration. Adds waits where that one is not found. Needs resolved layouts.
std::unique_ptr<mlir::Pass> createKeepOperandsPass();

/// Gives `ttg.global_scratch_alloc` its offset in the global memory of each CTA, and the module the
/// size of that. Reports allocations in functions that were not inlined.
std::unique_ptr<mlir::Pass> createAllocateGlobalScratchPass();

/// Gives the partitions of `ttg.warp_specialize` warps beside the kernel's own, and registers where
/// the program requests numbers of them and `target` can move them.
std::unique_ptr<mlir::Pass> createAllocateWarpGroupsPass(const target::Target &target);

/// Gives every buffer in tensor memory its columns, and the module the number of those that a CTA
/// allocates. Reports an error if there are too few.
std::unique_ptr<mlir::Pass> createAllocateTensorMemoryPass(const target::Target &target);

/// Gives every buffer and every scratch area its place in shared memory, such that those that are
/// alive at one time do not overlap. Reports an error if `target` has too little.
std::unique_ptr<mlir::Pass> createAllocateSharedPass(const target::Target &target);

/// Inserts `ttng.fence_async_shared` before box copies and asynchronous dots that access bytes
/// which threads accessed by themselves. Needs offsets from AllocateShared. Adds nothing where a
/// fence stands already.
std::unique_ptr<mlir::Pass> createInsertProxyFencesPass();

/// Inserts `ttng.cluster_barrier` between accesses of different CTAs to shared bytes that are no
/// buffer of the program's, or not yet or no longer; behind the beginning of barriers that others
/// signal, with a fence; and at the end. Runs before InsertBarriers, whose work it saves.
std::unique_ptr<mlir::Pass> createInsertClusterBarriersPass();

/// Puts a barrier between stages and one half of the warps a stage behind the other, where there
/// are more than four warps; sets their priorities. Needs offsets from AllocateShared.
std::unique_ptr<mlir::Pass> createSeparateStagesPass();

/// Inserts `ttg.barrier local` between accesses of different threads to the same shared bytes, of
/// which one writes. Needs offsets from AllocateShared. Adds nothing where a barrier stands
/// already.
std::unique_ptr<mlir::Pass> createInsertBarriersPass();

/// Warns of stages in which all warps meet, and lets both halves run such loops alike.
std::unique_ptr<mlir::Pass> createCheckStagesPass();

} // namespace gluonc
