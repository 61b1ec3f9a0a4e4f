//===- SharedTransfer.h - A tensor moving to or from a buffer --------------------===//
//
// Which registers one access moves together, and where in the view they lie.
// Shared by local_load, local_store and asynchronous copies.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/SharedMemory.h"
#include "ir/Dialects.h"
#include "layout/Vectorize.h"

namespace gluonc::codegen {

/// How a tensor moves to or from a buffer.
struct Transfer {
  layout::SharedAccessMap access;
  std::optional<layout::Layout> layout;
  const layout::PaddedSharedLayout *padded = nullptr;
};

/// Vectors of at most `maxBits`. Nullopt for a layout that has no such plan.
std::optional<Transfer> planTransfer(Emitter &emitter, mlir::RankedTensorType tensor,
                                     ttg::MemDescType buffer, unsigned maxBits = 128);
/// The thread's address within a view: thread part XOR the view's own offset.
ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes);
/// Offset constant of a vector: that of its first register.
uint32_t vectorOffset(const Transfer &transfer, llvm::ArrayRef<uint32_t> registers);

} // namespace gluonc::codegen
