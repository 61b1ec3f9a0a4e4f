//===- DrainingBody.h - A loop whose blocks others bring ---------------------------===//
#pragma once

#include "assign/LoopBody.h"

namespace gluonc::assign {

/// The body of a loop to which another partition copies: each warp says when it needs a slot no
/// longer. Products that are under way when an iteration ends still read: their slots are free when
/// they are over, in the next.
class DrainingBody final : public LoopBody {
public:
  /// `drained`: by number of box, the barriers that wait for the warps.
  DrainingBody(const Fetch &fetch, const Rings &rings, llvm::ArrayRef<BoxBarriers> drained,
               mlir::OpBuilder &builder, Turn turn, int64_t slots)
      : LoopBody(fetch, rings, builder, /*ahead=*/0), drained(drained), turn(turn), slots(slots) {}

  /// Clones the body; `isLater`: it is not the first iteration.
  void make(mlir::Value isLater, mlir::IRMapping &map);
  /// Behind the loop, at slot `after`: frees what its last iteration had, if there `was` one.
  void leave(llvm::MutableArrayRef<mlir::Value> results, mlir::Value after, mlir::Value was);

private:
  void haveMet() override;
  bool isLate(size_t box) const;
  bool isReadEarly(size_t box) const;
  bool isReadEarly(const Copy &copy, mlir::Operation *user) const;
  mlir::Value slotBefore(mlir::Value slot);
  void freeLate(mlir::Value slot, mlir::Value predicate);
  bool isReadByThreads(size_t box) const;
  void free(size_t box, mlir::Value slot, mlir::Value predicate = {});

  llvm::ArrayRef<BoxBarriers> drained;
  Turn turn;
  int64_t slots;
  /// The slot of the iteration before, and whether there was one.
  mlir::Value before, isLater;
  bool haveBeenFreed = false;
};

} // namespace gluonc::assign
