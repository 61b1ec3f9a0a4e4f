//===- AsyncGroups.h - Copies past the registers, in groups ---------------------===//
//
// What NVIDIA's cp.async and AMD's copies between global memory and LDS share.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/builtins/core/Memory.h"
#include "sema/builtins/shared/Shared.h"

namespace gluonc::sema::ops {

/// Whether the argument `name` is one buffer, of the elements that `global`, pointers or the
/// offsets of a buffer, names; reports otherwise.
bool checkCopy(Context &context, const BoundArgs &arguments, llvm::StringRef name,
               const Operand &global, DType element);
/// Closes a group.
Result emitCommitGroup(Context &context, const BoundArgs &arguments);
/// Waits for all but the `num_outstanding` latest groups.
Result emitWaitGroup(Context &context, const BoundArgs &arguments);
/// How many may be under way, of an argument; reports a negative number.
std::optional<uint32_t> pendingArgument(Context &context, const BoundArgs &arguments,
                                        llvm::StringRef name);

} // namespace gluonc::sema::ops
