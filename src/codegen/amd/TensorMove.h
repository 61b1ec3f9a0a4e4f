//===- TensorMove.h - One operation of the tensor mover, as this wave takes part -------===//
#pragma once

#include "codegen/amd/MoverShares.h"
#include "codegen/amd/TensorDescriptor.h"
#include "codegen/core/Emitter.h"
#include "ir/amdg/AmdOps.h"
#include "layout/linear/LinearLayout.h"

namespace gluonc::codegen::amd {

/// The descriptor that a value is, and the reverse.
TensorDescriptor descriptorOf(Emitter &emitter, mlir::Value value);
void setDescriptor(Emitter &emitter, mlir::Value value, const TensorDescriptor &descriptor);

/// Moves the block `offsets` (i32, one a dim) further, whose extents shrink where it `clamps`.
void moveBlock(Emitter &emitter, TensorDescriptor &descriptor, unsigned elementBytes,
               llvm::ArrayRef<llvm::Value *> offsets, bool clamps);
/// By a place within the tensor, not negative.
void enterBlock(Emitter &emitter, TensorDescriptor &descriptor, unsigned elementBytes,
                llvm::ArrayRef<llvm::Value *> place);

/// A block and the buffer that it fills, or that fills it.
class TensorMove {
public:
  TensorMove(Emitter &emitter, mlir::Value desc, mlir::Value view, bool isStore);

  /// False where the buffer is a part of one in which the block lies otherwise.
  bool isInOnePiece() const;
  /// Whether partitions of LDS have parts of the buffer.
  bool hasParts() const { return parts.count > 1; }
  /// What a CTA moves.
  llvm::ArrayRef<int64_t> part() const { return block; }
  unsigned bytes() const { return elementBytes; }
  /// The part of this CTA of the cluster: along all dims, or only the last.
  void enterPart(TensorDescriptor &descriptor, bool onlyLast = false);
  /// The tile of a piece that begins so many elements into the buffer, padding apart; the engine
  /// leaves padding out of what it fills, and bounds keep it out of what is stored.
  MoverTile tileAt(TensorDescriptor &descriptor, const layout::Ints &piece, llvm::Value *offset,
                   uint32_t offsetMask, uint32_t constant = 0);
  void tell(MoverTile &tile, mlir::Value barrier);
  /// Turns it off in waves whose numbers have other `bits` than in `first`.
  void restrictWaves(TensorDescriptor &descriptor, uint32_t bits, uint32_t first);
  /// Whether the hint names this wave.
  llvm::Value *isNamed(uint32_t hint);
  /// What bits of the wave's number add up to.
  llvm::Value *ofWave(llvm::ArrayRef<uint32_t> images);

  /// Of so many elements in each dim, the place in memory (elements, padding apart).
  uint32_t offsetOf(llvm::ArrayRef<uint32_t> place) const;
  /// What this wave moves of the block, in turn; the barrier is told of the last.
  llvm::SmallVector<MoverWords, 1> words(TensorDescriptor descriptor, std::optional<uint32_t> hint,
                                         mlir::Value barrier);
  void issue(const MoverWords &words, tt::CacheModifier caches);

private:
  /// Where this wave's piece begins in the block.
  llvm::SmallVector<llvm::Value *, 5> placeOf(const MoverShares &shares,
                                              const MoverShares::Place &turn);
  /// CTAs of the cluster that get the same, by a bit each; null for one only.
  llvm::Value *workgroups();

  Emitter &emitter;
  Builder &builder;
  mlir::Value view;
  ttg::MemDescType type;
  std::optional<layout::Layout> layout;
  const layout::PaddedSharedLayout *padded;
  layout::Ints block;
  MemoryParts parts;
  layout::LinearLayout memory, offsets;
  unsigned elementBytes;
  bool isStore;
};

/// Waits for what this wave itself has still to do in LDS, where no barrier of several did.
void settleLds(Emitter &emitter);

} // namespace gluonc::codegen::amd
