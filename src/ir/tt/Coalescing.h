//===- Coalescing.h - Layouts that suit access to memory ----------------------===//
//
// Neighbouring threads access neighbouring addresses, as far as the analysis of the
// pointers can tell:
//
//   1024 pointers to f32, neighbours, aligned to 16 bytes, 4 warps
//     -> 4 elements a thread, 32 threads, 4 warps; two rounds of registers
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/tt/AxisInfo.h"
#include "layout/named/Layouts.h"

#include <map>

namespace gluonc {

/// The tensor of pointers that an operation accesses memory through; null for others.
mlir::Value pointersOf(mlir::Operation *op);

/// Lanes and warps where `op` runs, and CTAs of the cluster.
struct ThreadCounts {
  int64_t lanes, warps, ctas;
  static ThreadCounts at(mlir::Operation *op);
};

/// `perThread` elements of a thread along the first dim of `order`; lanes, then warps, fill each
/// dim before they go on to the next; the slowest takes the rest. CTAs share the slowest dims.
layout::BlockedLayout spreadBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order,
                                    int64_t perThread, ThreadCounts threads);

/// The dims from the last to the first.
layout::Ints rowMajorOrder(unsigned rank);

/// Layouts for the accesses of one function.
class Coalescing {
public:
  /// What limits the elements that one access of an operation moves, beside its 16 bytes.
  using Limit = int64_t (*)(mlir::Operation *access);

  explicit Coalescing(tt::FuncOp function, Limit limit = nullptr);

  /// Threads along the dim with the longest runs of addresses first, each with as many elements as
  /// one access can move. `access` has pointers.
  layout::BlockedLayout layoutFor(mlir::Operation *access);

private:
  /// Accesses of one shape and order whose values are connected.
  using Group = std::tuple<unsigned, layout::Ints, layout::Ints>;

  layout::Ints orderOf(mlir::Value pointers);
  int64_t runOf(mlir::Operation *access, llvm::ArrayRef<int64_t> order);
  void findGroups(tt::FuncOp function);

  AxisInfos facts;
  Limit limit;
  llvm::DenseMap<mlir::Operation *, Group> groupOf;
  /// The longest run in each group.
  std::map<Group, int64_t> runs;
};

} // namespace gluonc
