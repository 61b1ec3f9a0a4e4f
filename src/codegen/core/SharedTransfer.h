//===- SharedTransfer.h - A tensor moving to or from a buffer --------------------===//
//
// Which registers one access moves together, and where in the view they lie.
// Shared by local_load, local_store and asynchronous copies.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/SharedMemory.h"
#include "ir/Dialects.h"
#include "layout/named/Blocks.h"
#include "layout/plan/MatrixAccess.h"
#include "layout/plan/Vectorize.h"

namespace gluonc::codegen {

/// How a tensor moves to or from a buffer.
struct Transfer {
  /// Without an output for the block where every CTA stays with its own memory.
  layout::SharedAccessMap access;
  std::optional<layout::Layout> layout;
  const layout::PaddedSharedLayout *padded = nullptr;
  /// Bytes up to which aligned runs of the layout stay runs in memory.
  unsigned wholeBytes = 16;
  /// See layout::copiesToStore.
  uint32_t copies = 0;
};

/// Vectors of at most `maxBits`. Nullopt for a layout that has no such plan.
std::optional<Transfer> planTransfer(Emitter &emitter, mlir::RankedTensorType tensor,
                                     ttg::MemDescType buffer, unsigned maxBits = 128);
/// Elements along `axis` that one access may move: as many as are `neighbours` at their source,
/// have one mask (may be null) and lie in registers of a thread side by side.
unsigned sourceRun(Emitter &emitter, const layout::LinearLayout &layout, unsigned axis,
                   int64_t neighbours, mlir::Value mask);
/// planTransfer for a copy past the registers: the elements of a vector are neighbours along
/// `axis`, the dim along which `run` of them are neighbours at their source.
std::optional<Transfer> planCopy(Emitter &emitter, mlir::RankedTensorType tensor,
                                 ttg::MemDescType buffer, unsigned axis, unsigned run);
/// The thread's address within a view: thread part XOR the view's own offset. The thread part is
/// made of `images`, one for each bit of lane and warp; by default those of the map.
ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes);
ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, llvm::ArrayRef<uint32_t> images);
/// With another thread part, which has only bits of `mask`.
ThreadAddress addressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                        unsigned bytes, llvm::Value *part, uint32_t mask);
/// What the place where a view begins adds, by XOR, to the numbers of the CTAs that hold its
/// elements, and the bits that it may change; null for nothing.
std::pair<llvm::Value *, uint32_t> beginningCta(Emitter &emitter, mlir::Value buffer);
/// Whether elements lie in other CTAs, because of the layouts or of where the view begins.
bool crossesCtas(Emitter &emitter, const Transfer &transfer, mlir::Value buffer);
/// addressOf for such transfers.
PeerAddress peerAddressOf(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                          unsigned bytes);
/// `pointer` in the CTA where each element goes.
PeerAddress peerAddressAt(Emitter &emitter, const Transfer &transfer, mlir::Value buffer,
                          llvm::Value *pointer);
/// The CTA that a register adds to the thread's.
uint32_t registerBlock(const Transfer &transfer, uint32_t reg);
/// The transfer as warp-wide matrix accesses, where the chip has them and the data lie so.
std::optional<layout::MatrixAccess> planMatrices(Emitter &emitter, const Transfer &transfer,
                                                 unsigned bytes, bool store);
/// The images for such accesses, in place of those of the map.
llvm::SmallVector<uint32_t> matrixImages(Emitter &emitter, const Transfer &transfer,
                                         const layout::MatrixAccess &matrices);
/// Offset that a register adds to the thread part.
uint32_t registerOffset(const Transfer &transfer, uint32_t reg);
/// Offset constant of a vector: that of its first register.
uint32_t vectorOffset(const Transfer &transfer, llvm::ArrayRef<uint32_t> registers);

} // namespace gluonc::codegen
