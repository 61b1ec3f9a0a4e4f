//===- LoopBody.h - What a loop does with blocks that were copied for it -----------===//
//
// The body of a loop whose loads are copies to rings of buffers: it waits for a block before
// its first use, and reads it where it is. Products may go on while the next iteration begins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/BoxCopies.h"
#include "assign/Fetch.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

namespace gluonc::assign {

/// Where the copies of a loop go.
struct Rings {
  /// By number of copy.
  llvm::SmallVector<mlir::Value> buffers;
  /// By number of box: the barriers that tell of blocks that have come.
  llvm::SmallVector<BoxBarriers, 2> filled;

  /// Those products of tensor memory that go on over iterations, where there are some.
  std::optional<RunningProducts> running;

  /// Allocates them.
  Rings(mlir::OpBuilder &builder, mlir::Location loc, const Fetch &fetch, int64_t slots);
};

class LoopBody {
public:
  /// `ahead`: for how many iterations copies by cp.async have been started. `areAwaited`: and those
  /// of the next one have come when it begins.
  LoopBody(const Fetch &fetch, const Rings &rings, mlir::OpBuilder &builder, int64_t ahead,
           bool areAwaited = false)
      : fetch(fetch), loop(fetch.loop), builder(builder), loc(loop.getLoc()), rings(rings),
        ahead(ahead), areAwaited(areAwaited) {}
  virtual ~LoopBody() = default;

  /// The buffer of a copy.
  mlir::Value viewOf(const Copy &copy, mlir::Value slot);
  /// Clones the body, whose blocks are those of `turn`.
  void clone(Turn turn, mlir::IRMapping &map);
  /// Behind a loop with this body, of `results`: waits for the products that still run.
  void awaitRest(llvm::MutableArrayRef<mlir::Value> results);

protected:
  /// Where the products of the iteration before are over, if fetch.meeting is there.
  virtual void haveMet() {}
  /// Waits for all boxes of `turn`.
  void awaitBoxes(Turn turn);

  const Fetch &fetch;
  mlir::scf::ForOp loop;
  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  size_t numberOf(const Copy &copy) const { return &copy - fetch.copies.begin(); }
  void cloneOp(mlir::Operation &op, Turn turn, mlir::IRMapping &map);
  void awaitCopies(mlir::Operation &user, Turn turn, mlir::IRMapping &map);
  void awaitBox(unsigned box, Turn turn);
  void awaitGroup(const Copy &copy);
  mlir::Value readCopy(const Copy &copy, mlir::Value view, mlir::IRMapping &map);
  llvm::SmallVector<mlir::Value> awaitDots(llvm::ArrayRef<mlir::Value> running, size_t pending);
  void awaitDotsIn(mlir::Operation &branches, mlir::IRMapping &map);
  void meet(ttng::WarpGroupDotOp dot, mlir::IRMapping &map);
  void setOffDots(mlir::IRMapping &map);

  const Rings &rings;
  int64_t ahead;
  bool areAwaited;
  /// The buffers of this iteration, null before the wait for them.
  llvm::SmallVector<mlir::Value> views;
  /// Copies by cp.async that are awaited, and numbers of boxes.
  size_t awaited = 0;
  llvm::SmallBitVector awaitedBoxes;
};

} // namespace gluonc::assign
