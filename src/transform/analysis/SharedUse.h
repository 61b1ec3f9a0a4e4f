//===- SharedUse.h - Who uses which memory on the chip -----------------------===//
//
// Shared memory is owned by operations: a `ttg.local_alloc` owns a buffer until
// its last use, an operation that exchanges data between threads owns scratch
// while it runs. `ttng.tmem_alloc` owns tensor memory. AllocateShared and
// AllocateTensorMemory give owners places; InsertBarriers asks who touches which.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace gluonc {

/// What `op` accesses in memories on the chip, scratch apart.
llvm::SmallVector<MemoryAccess, 4> accessesOf(mlir::Operation *op);
/// Whether `op` allocates a buffer in shared or tensor memory.
bool isAllocation(mlir::Operation *op);
/// The memory of an allocation's buffer.
MemorySpace memorySpaceOf(mlir::Operation *allocation);
/// Bytes and alignment of the buffer of an allocation in shared memory.
int64_t bufferBytesOf(ttg::LocalAllocOp op);
int64_t bufferAlignmentOf(ttg::LocalAllocOp op);

/// Which allocations a memory descriptor may be a view of: followed through views, loops,
/// branches, selects and block arguments of one function.
class BufferAliases {
public:
  explicit BufferAliases(tt::FuncOp function);

  llvm::ArrayRef<mlir::Operation *> allocations() const { return allocs; }
  /// Bits are indices into allocations(). Null for values that are no known view.
  const llvm::BitVector *of(mlir::Value buffer) const;
  /// Every value that has aliases, in the order of discovery.
  llvm::ArrayRef<mlir::Value> values() const { return known; }

private:
  bool flow(mlir::Value from, mlir::Value to);
  bool flowThrough(mlir::Operation *op);

  llvm::SmallVector<mlir::Operation *> allocs;
  llvm::DenseMap<mlir::Value, llvm::BitVector> aliases;
  llvm::SmallVector<mlir::Value> known;
};

} // namespace gluonc
