//===- Memory.h - Operands of loads, stores and atomics -----------------------===//
#pragma once

#include "sema/builtins/Emit.h"

#include "ir/tt/CachePolicy.h"

namespace gluonc::sema::ops {

/// Whether the operand holds pointers; reports otherwise.
bool checkPointer(Context &context, const Operand &pointer, llvm::StringRef name);
/// Whether the pointers, known to be such, may be written through.
bool checkWritable(Context &context, const Operand &pointer);
/// Turns a mask argument into an int1 tensor.
bool readMask(Context &context, Operand &mask);
/// Reports a block next to a scalar pointer; true when all is well.
bool rejectBlock(Context &context, const Operand &operand, llvm::StringRef name);
/// Broadcasts, but never the pointers: writing one address several times is a mistake.
bool broadcastKeepingPointer(Context &context, Operand &pointer, llvm::ArrayRef<Operand *> others);
/// Pointers to int1 as pointers to int8, others as they are.
Value bytePointer(Context &context, const Value &pointer);
/// A value to be written, as `dtype`. A number takes the pointer's shape at once.
Result storedValue(Context &context, const Operand &pointer, const Operand &value, DType dtype);
/// The `pointer`, value and `mask` of a store, of one shape; the mask is null where there is none.
struct StoreOperands {
  mlir::Value address, value, mask;
};
std::optional<StoreOperands> readStore(Context &context, const BoundArgs &arguments,
                                       llvm::StringRef valueName);

/// What `cache_modifier` and `eviction_policy` name; NONE and NORMAL where absent.
std::optional<tt::CacheModifier> cacheModifier(Context &context, const BoundArgs &arguments,
                                               bool isStore,
                                               llvm::StringRef name = "cache_modifier");
std::optional<tt::EvictionPolicy> evictionPolicy(Context &context, const BoundArgs &arguments);
/// The `sem` and `scope` arguments of atomics.
struct Ordering {
  tt::MemSemantic semantic;
  tt::MemSyncScope scope;
};
std::optional<Ordering> readOrdering(Context &context, const BoundArgs &arguments);
/// `cache_policy`, in place of both; a null attribute where absent.
std::optional<mlir::Attribute> cachePolicy(Context &context, const BoundArgs &arguments,
                                           tt::CacheUse use);

} // namespace gluonc::sema::ops
