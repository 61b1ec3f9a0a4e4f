//===- BoxCopies.h - Blocks that the copy engine brings to shared memory ----------===//
//
// A buffer for blocks of a descriptor, and barriers that tell when a block has come.
// Several blocks whose first use is the same may share a barrier. Loops have rings of both:
// slot i holds a block until the copy of a later iteration takes it again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/TensorMemoryProduct.h"
#include "ir/tt/DescriptorAccess.h"

namespace gluonc::assign {

/// A buffer in shared memory, or a ring of as many.
mlir::Value allocateBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::ArrayRef<int64_t> shape, mlir::Type element,
                           mlir::Attribute encoding, std::optional<int64_t> slots = std::nullopt);
/// The buffer at a slot of a ring.
mlir::Value bufferAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value ring,
                     mlir::Value slot);
/// The layout of buffers for blocks of the descriptor. CTAs have of it what they have of `like`, a
/// tensor or a buffer, where messages fill such parts; else what the descriptor says.
mlir::Attribute bufferEncoding(tt::TensorDescType desc, mlir::Type like);
/// The bytes that a CTA has of a block, as its barrier counts them.
int64_t bytesOf(tt::TensorDescType desc, mlir::Attribute buffer);
/// The bytes that a CTA has of a buffer.
int64_t bytesOf(ttg::MemDescType buffer);

/// A buffer for blocks of the descriptor.
mlir::Value allocateBuffer(mlir::OpBuilder &builder, mlir::Location loc, tt::TensorDescType desc,
                           mlir::Attribute encoding);
/// What is in a buffer, as a tensor of `type`; what other CTAs load comes from them.
mlir::Value readBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                       mlir::Value buffer);
/// Stores a block where copies take it from; what belongs to the buffers of other CTAs goes there.
void fillBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value block,
                mlir::Value buffer);

/// A place in rings, and how often it was used, modulo 2.
struct Turn {
  mlir::Value slot, phase;
};
/// The slot behind `slot`.
mlir::Value nextSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, int64_t slots);
/// The phase of the turn behind `turn`: it changes where the ring begins again.
mlir::Value nextPhase(mlir::OpBuilder &builder, mlir::Location loc, Turn turn, int64_t slots);

/// The turn before `turn`. Before the first it is one that is over.
Turn turnBefore(mlir::OpBuilder &builder, mlir::Location loc, Turn turn, int64_t slots);

/// A ring of barriers, of which each waits for the copies of one turn, or for threads.
class BoxBarriers {
public:
  /// Allocates and initializes them; a phase of each ends after as many arrivals.
  BoxBarriers(mlir::OpBuilder &builder, mlir::Location loc, int64_t slots, int64_t arrivals = 1);

  /// Announces `bytes` to the barrier at `slot`.
  void expect(mlir::OpBuilder &builder, mlir::Value slot, int64_t bytes,
              mlir::Value predicate) const;
  /// Starts to copy the block that `load` names, from `indices` on, into `buffer`. Each CTA copies
  /// its part, also where several have the same: one copy for all of them would have to wait for
  /// the slowest to be done with the buffer.
  void copy(mlir::OpBuilder &builder, tt::DescriptorLoadOp load, mlir::Value desc,
            mlir::ValueRange indices, mlir::Value slot, mlir::Value buffer,
            mlir::Value predicate) const;
  /// Waits for all that was announced. `phase` is 0 and 1 in turns, each time that a slot is used.
  void wait(mlir::OpBuilder &builder, mlir::Value slot, mlir::Value phase) const;
  /// Each warp arrives by itself.
  void arrive(mlir::OpBuilder &builder, mlir::Value slot, mlir::Value predicate = {}) const;
  /// The product arrives when it is over, and all that was started before it.
  void tell(mlir::OpBuilder &builder, mlir::Value slot, TensorMemoryProduct product) const;
  /// Ends the barriers.
  void end(mlir::OpBuilder &builder) const;

private:
  mlir::Value at(mlir::OpBuilder &builder, mlir::Value slot) const;

  mlir::Location loc;
  int64_t slots;
  mlir::Value ring;
};

} // namespace gluonc::assign
