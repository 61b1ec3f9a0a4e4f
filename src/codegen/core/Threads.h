//===- Threads.h - Who runs the code that is being emitted -------------------===//
//
// Whatever depends on the thread is computed once per function (in partitions,
// once per partition) in a prologue block that dominates everything, and what
// differs between the registers of a thread is a constant; so the addresses of
// a thread are one base plus immediates. See Indices.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Indices.h"
#include "codegen/core/ModuleState.h"
#include "layout/linear/LinearLayout.h"

namespace gluonc::codegen {

/// The warps that run a piece of code together: all of the kernel, or those of a partition.
struct WarpGroup {
  unsigned first = 0, count = 0;
  /// Hardware barrier at which they synchronize, where others exist beside them.
  unsigned barrier = 0;
};

/// Among whom one thread is to act for all with the same element.
enum class Among { Cta, Cluster };

class Threads {
public:
  Threads(const ModuleState &state, Builder &builder, WarpGroup group)
      : group(group), state(state), builder(builder), prologue(builder.getContext()) {}

  /// Makes a prologue of the end of the current block; the code goes on in `body`.
  void startPrologue(llvm::BasicBlock *body);

  WarpGroup group;
  unsigned count() const { return group.count * state.target.warpSize(); }
  llvm::Value *id();
  /// Number of the warp within its group, the same value in all lanes.
  llvm::Value *warpId();
  /// Number of the CTA in its cluster; only where the cluster has several.
  llvm::Value *clusterRank();
  unsigned clusterSize() const { return state.kernel.numCtas; }
  /// XOR over the set bits of the thread id of `images` (lane bits first, then
  /// warp bits, then bits of the CTA's number); computed once in the prologue.
  llvm::Value *part(llvm::ArrayRef<uint32_t> images);
  /// The images of lane, warp and block bits under one output dim of `map`.
  static llvm::SmallVector<uint32_t> images(const layout::LinearLayout &map, layout::Dim out);
  /// True in the threads that own their elements; null when all do.
  llvm::Value *ownerMask(const layout::LinearLayout &layout, Among among);
  llvm::Value *isFirst(Among among);
  /// True in the threads of the group, which is the first of the CTA.
  llvm::Value *isInGroup();
  /// The warps of the group arrive at its barrier from now on.
  void joinGroup();
  /// All threads of the group arrive, and see each other's accesses to shared memory; with
  /// `global`, to global memory, too.
  void barrier(bool global = false);

  /// Emits for other warps for its own lifetime, beginning at the current place.
  class GroupScope {
  public:
    GroupScope(Threads &threads, WarpGroup group);
    ~GroupScope();

  private:
    Threads &threads;
    WarpGroup savedGroup;
    Builder::InsertPoint savedPrologue;
    llvm::Value *savedThread, *savedUnbounded, *savedWarp, *savedRank;
    ThreadParts savedParts;
  };

private:
  llvm::Value *idInGroup(unsigned limit);

  const ModuleState &state;
  Builder &builder;
  /// Inserts at the end of the prologue.
  Builder prologue;
  llvm::Value *thread = nullptr, *unboundedThread = nullptr, *warp = nullptr, *rank = nullptr;
  ThreadParts parts;
};

} // namespace gluonc::codegen
