//===- Lifetimes.h - How long memory on the chip is in use --------------------===//
//
// Operations are numbered in program order; an owner is alive from its number to
// that of its last use. A use inside a loop counts until the loop's end if the
// owner is outside, since the next iteration comes again; an owner that a loop
// carries around is alive throughout it. What partitions see lives as long as all
// of them run, what a loop in stages owns as long as the loop does. An mbarrier that
// nobody invalidates is there until the end: its bytes may hold nothing else.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "transform/analysis/SharedUse.h"

namespace gluonc {

/// Of memory: an allocation, or an operation with scratch.
struct MemoryOwner {
  mlir::Operation *op;
  /// Numbers of the first and last operation during which it is alive.
  unsigned first = 0, last = 0;
  /// The region of a warp_specialize that holds it: its default region or a partition.
  mlir::Region *partition = nullptr;

  /// Whether both may be in use at one time.
  bool isAliveWith(const MemoryOwner &other) const;
};

/// The lifetimes of owners in one function.
class Lifetimes {
public:
  /// `owners`: operations of `function`, of which the allocations' uses are followed.
  Lifetimes(tt::FuncOp function, llvm::ArrayRef<mlir::Operation *> owners);

  llvm::ArrayRef<MemoryOwner> owners() const { return all; }
  const BufferAliases &aliases() const { return known; }
  /// The operation with a number, which is one of a lifetime.
  mlir::Operation *at(unsigned index) const { return numbered[index]; }
  /// An allocation that would have to live twice; null if there is none.
  mlir::Operation *secondLife() const { return twice; }

private:
  void numberRegion(mlir::Region &region);
  void followUses();
  void noteSecondLife(mlir::Operation *alloc, mlir::Value alias);
  unsigned completionOf(mlir::Operation *user);
  unsigned firstWait(mlir::Operation *user, Completion completion);
  void extend(MemoryOwner &owner, mlir::Operation *user);
  void coverBackEdges();
  void coverStages();
  void coverBarriers();

  tt::FuncOp function;
  BufferAliases known;
  llvm::SmallVector<MemoryOwner> all;
  llvm::DenseMap<mlir::Operation *, unsigned> number;
  llvm::SmallVector<mlir::Operation *> numbered;
  /// Number of the last operation inside.
  llvm::DenseMap<mlir::Operation *, unsigned> endOf;
  /// Operations that wait for what others started.
  llvm::SmallVector<std::pair<mlir::Operation *, Completion>> waits;
  mlir::Operation *twice = nullptr;
};

} // namespace gluonc
