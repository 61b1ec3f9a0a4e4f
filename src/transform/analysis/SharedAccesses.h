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

/// One operation touching one interval of shared memory, in bytes, or of tensor memory, in columns.
struct Access {
  int64_t begin, end;
  bool writes;
  mlir::Operation *owner;
  std::optional<Window> window;
  enum class Object { No, Life, Use };
  /// Of a barrier object: begins or ends it, or uses it.
  Object object = Object::No;
  /// By an asynchronous unit, which sees shared memory through the async proxy.
  bool byUnit = false;
  /// Nullopt for what may be any memory.
  std::optional<MemorySpace> space = MemorySpace::Shared;
};

/// What an operation does, in order: `before` may conflict with pending accesses; if
/// `synchronizes`, nothing stays pending; `after` becomes pending. Indices into the list of
/// accesses.
struct Effect {
  llvm::SmallVector<unsigned, 2> before, after;
  /// What it does after threads have synchronized in it, if they do so first.
  llvm::SmallVector<unsigned, 2> synchronized;
  bool synchronizes = false;
  /// async_wait: whoever touches shared memory next must synchronize first.
  bool needsSynchronizing = false;
};

/// The accesses of one function, operation by operation.
class SharedAccesses {
public:
  explicit SharedAccesses(tt::FuncOp function);

  bool empty() const { return list.empty(); }
  /// Whether asynchronous units access shared memory.
  bool haveUnits() const {
    return llvm::any_of(list, [](const Access &access) { return access.byUnit; });
  }
  size_t size() const { return list.size(); }
  const Access &operator[](unsigned index) const { return list[index]; }
  /// What the callers of a function that is no kernel may have done.
  std::optional<unsigned> ofCallers() const { return callers; }
  /// Null for operations that neither touch shared memory nor synchronize.
  const Effect *of(mlir::Operation *op) const;
  /// Whether two accesses may overlap in a byte that one of them writes.
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
  /// What asynchronous dots read, and the waits for them.
  llvm::SmallVector<unsigned, 2> dotReads;
  llvm::SmallVector<mlir::Operation *> dotWaits;
};

} // namespace gluonc
