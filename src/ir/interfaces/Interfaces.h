//===- Interfaces.h - What operations answer about themselves -----------------===//
//
// Facts that every pass may ask of an operation; what a pass makes of them is its
// own business. Operations answer beside their code, in OnChip.cpp, LayoutFlow.cpp
// and TTNGOps.cpp, and say in their .td line which questions they answer.
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
enum class MemorySpace : uint8_t { Shared };

/// The path by which memory is accessed: that of threads, or that of copy engines and of products
/// of warpgroups. A fence orders the two.
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
  ProductWait,
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

/// Shared memory for the time that an operation takes: threads write, meet, and read what others
/// wrote. The wider `sync`, the more of them.
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

/// Whether `op` is of our dialects and does not say what it does to memories on the chip: a call,
/// which may do anything.
bool mayDoAnything(mlir::Operation *op);

/// Bytes of scratch of any operation.
int64_t scratchBytesOf(mlir::Operation *op);

/// Whether `op` accesses the shared memory of other CTAs of the cluster, itself or by an engine, or
/// has them access its own.
bool reachesPeers(mlir::Operation *op);

template <typename Op>
class NoOnChipMemory : public mlir::OpTrait::TraitBase<Op, NoOnChipMemory> {};
template <typename Op>
class OnlyOrdersMemory : public mlir::OpTrait::TraitBase<Op, OnlyOrdersMemory> {};

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
