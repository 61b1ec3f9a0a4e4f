//===- Interfaces.h - What operations answer about themselves -----------------===//
//
// Facts that every pass may ask of an operation; what a pass makes of them is its
// own business. Operations answer beside their code, in OnChip.cpp, ElementFlow.cpp,
// LayoutFlow.cpp and TTNGOps.cpp, and say in their .td line which questions they
// answer.
//
// On-chip memory as data. One operation, `ttng.async_tma_copy_global_to_local`:
//
//   buffer    kind        proxy     completion
//   barrier   UseBarrier  Generic   ProgramOrder
//   result    Write       Async     Mbarrier
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "layout/plan/Conversion.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace gluonc {

namespace layout {
struct Inferred;
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

/// Memories on the chip that views (`!ttg.memdesc`) are of.
enum class MemorySpace : uint8_t { Shared, Tensor };

/// The path by which memory is accessed: that of threads, or that of asynchronous units. A
/// fence orders the two.
enum class Proxy : uint8_t { Generic, Async };

/// By what an access is known to be over.
enum class Completion : uint8_t {
  /// Before the thread's next operation.
  ProgramOrder,
  /// `ttg.async_wait`
  AsyncGroup,
  /// The phase of a barrier in memory.
  Mbarrier,
  /// `ttng.warp_group_dot_wait`
  DotWait,
  /// `ttng.async_tma_store_wait`
  BulkStoreWait,
};

struct MemoryAccess {
  enum Kind : uint8_t {
    Read,
    /// May read, too.
    Write,
    /// Of a barrier object: its begin, its uses (by any threads at the same time), its end.
    InitBarrier,
    UseBarrier,
    InvalBarrier,
  };

  mlir::Value buffer;
  Kind kind;
  Completion completion = Completion::ProgramOrder;
  Proxy proxy = Proxy::Generic;
  MemorySpace space = MemorySpace::Shared;

  bool isOfBarrier() const { return kind >= InitBarrier; }
  bool writes() const { return kind != Read; }
};

/// Shared memory for the time that an operation takes: threads write, synchronize, and read what
/// others wrote. The wider `sync`, the more of them.
struct Scratch {
  int64_t bytes = 0;
  layout::SyncScope sync = layout::SyncScope::Cta;
};

/// Bytes that a phase of a barrier is told to expect, or that come.
struct BarrierBytes {
  mlir::Value barrier;
  /// Null: always.
  mlir::Value predicate;
  bool announced;
  /// For the barrier of each CTA; nullopt where that is hard to say.
  std::optional<int64_t> bytes;
};

/// A copy between a buffer and a box of a tensor in global memory.
struct BoxCopy {
  /// Where in the tensor the box begins, in elements.
  mlir::OperandRange start;
  mlir::Value buffer;
  bool writesTensor;
  /// The dim that `start` begins with: those before it are named element by element.
  unsigned firstDim = 0;
};

/// A barrier of the cluster, or one half of it.
struct ClusterSync {
  bool arrives, waits;
  /// Accesses before it come before those behind it.
  bool ordersMemory;

  bool isWhole() const { return arrives && waits; }
};

/// Whether `op` is of our dialects and does not say what it does to memories on the chip: a call,
/// which may do anything.
bool mayDoAnything(mlir::Operation *op);

/// Bytes of scratch of any operation.
int64_t scratchBytesOf(mlir::Operation *op);

/// Whether `op` accesses the shared memory of other CTAs of the cluster, itself or by an
/// asynchronous unit, or has them access its own.
bool reachesPeers(mlir::Operation *op);

/// What it does of a barrier of the cluster, if anything.
std::optional<ClusterSync> clusterSyncOf(mlir::Operation *op);

template <typename Op>
class NoOnChipMemory : public mlir::OpTrait::TraitBase<Op, NoOnChipMemory> {};
template <typename Op>
class OnlyOrdersMemory : public mlir::OpTrait::TraitBase<Op, OnlyOrdersMemory> {};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// How the places of elements of two tensors go together:
///
///   tt.trans %x {order = [1, 0]}    source -> result    dims 1, 0
///   tt.broadcast 1x8 -> 4x8         result -> source    dims none, 1
struct ElementMap {
  mlir::Value from, to;
  /// For each dim of `to` the dim of `from` with the same coordinate; none where it is 0.
  llvm::SmallVector<std::optional<unsigned>, 4> dims;
};

/// Which elements of the tensors of an operation belong together.
struct ElementFlow {
  llvm::SmallVector<ElementMap, 3> maps;
  /// All elements along a dim of a tensor.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>, 1> alongDims;
  /// Elements with one row-major number, whatever the shapes are.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 1> sameNumbers;
  /// All elements of all tensors.
  bool isMixed = false;
};

template <typename Op> class Pointwise : public mlir::OpTrait::TraitBase<Op, Pointwise> {};

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The encodings that follow from one.
class ImpliedLayouts {
public:
  struct Implied {
    mlir::Value value;
    mlir::Attribute encoding;
    /// Others would do as well.
    bool isOneOfMany;
  };

  explicit ImpliedLayouts(mlir::Attribute from) : encoding(from) {}

  layout::Layout layout() const;
  llvm::ArrayRef<Implied> all() const { return list; }

  void same(mlir::ValueRange values);
  /// Nothing follows where there is no such layout.
  void derived(mlir::ValueRange values, const layout::Inferred &layout, bool isOneOfMany = false);

private:
  mlir::Attribute encoding;
  llvm::SmallVector<Implied, 4> list;
};

template <typename Op> class OwnLayouts : public mlir::OpTrait::TraitBase<Op, OwnLayouts> {};

/// Whether `op` is of the dialects tt, ttg, ttng or gluon. Operations of others compute in
/// registers, element by element, or are control flow.
bool isOurs(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// Values that pass through
//===----------------------------------------------------------------------===//

/// Calls `forward` with the values that control flow hands on at `op`, and with what they are where
/// they arrive: block arguments or results.
void forEachForwarded(mlir::Operation *op,
                      llvm::function_ref<void(mlir::ValueRange, mlir::ValueRange)> forward);

} // namespace gluonc

#include "ir/Interfaces.h.inc"
