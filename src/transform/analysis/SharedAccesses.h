//===- SharedAccesses.h - What each operation does to shared memory ----------===//
//
// InsertBarriers and InsertProxyFences ask which bytes an operation reads and
// writes, when, and by whom. Needs offsets from AllocateShared.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "transform/analysis/SharedUse.h"

namespace gluonc {

/// A window of a buffer in elements, as far as it is known.
struct Window {
  struct Side {
    int64_t begin, size;
  };
  llvm::SmallVector<Side, 4> sides;
};

/// One operation touching one interval of shared memory.
struct Access {
  int64_t begin, end;
  bool writes;
  mlir::Operation *owner;
  std::optional<Window> window;
  enum class Object { No, Life, Use };
  /// Of a barrier object: begins or ends it, or uses it.
  Object object = Object::No;
  /// By a copy engine or a warpgroup's product, which see shared memory through the async proxy.
  bool byEngine = false;
};

/// What an operation does, in order: `before` meets pending accesses; if `meets`, nothing stays
/// pending; `after` becomes pending. Indices into the list of accesses.
struct Effect {
  llvm::SmallVector<unsigned, 2> before, after;
  bool meets = false;
  /// async_wait: whoever touches shared memory next must meet first.
  bool needsMeeting = false;
};

/// The accesses of one function, operation by operation.
class SharedAccesses {
public:
  explicit SharedAccesses(tt::FuncOp function);

  bool empty() const { return list.empty(); }
  /// Whether copy engines or products of warpgroups access shared memory.
  bool haveEngines() const {
    return llvm::any_of(list, [](const Access &access) { return access.byEngine; });
  }
  size_t size() const { return list.size(); }
  const Access &operator[](unsigned index) const { return list[index]; }
  /// What the callers of a function that is no kernel may have done.
  std::optional<unsigned> ofCallers() const { return callers; }
  /// Null for operations that neither touch shared memory nor synchronize.
  const Effect *of(mlir::Operation *op) const;
  /// Whether two accesses may meet in a byte that one of them writes.
  bool conflict(unsigned a, unsigned b) const;

private:
  unsigned add(Access access);
  void describe(mlir::Operation *op);
  void touch(Effect &effect, const MemoryAccess &what);
  void exchange(Effect &effect, mlir::Operation *op, const Scratch &scratch);
  unsigned everything();

  BufferAliases aliases;
  /// A buffer of the callers may lie anywhere, and any view may be one of it.
  bool takesBuffers = false;
  llvm::SmallVector<Access> list;
  std::optional<unsigned> callers;
  llvm::DenseMap<mlir::Operation *, Effect> effects;
  /// What products read through their engine, and the waits for products.
  llvm::SmallVector<unsigned, 2> productReads;
  llvm::SmallVector<mlir::Operation *> productWaits;
};

} // namespace gluonc
