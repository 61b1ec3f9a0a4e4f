//===- WarpPlan.h - Whether a warp of its own can start a kernel's copies ----------===//
#pragma once

#include "assign/Fetch.h"
#include "target/Target.h"

namespace gluonc::assign {

/// Loops that are to be specialized, and what of the kernel around them the copies need.
class WarpPlan {
public:
  WarpPlan(tt::FuncOp function, const target::Target &target)
      : function(function), target(target) {}

  /// Whether there are such loops, and all is as it must be.
  bool find();
  /// Where it is not: the first loop that asks, null where none does, and what is missing.
  mlir::Operation *asking() const { return askingLoop; }
  llvm::StringRef reason() const { return why; }
  const Fetch *fetchOf(mlir::Operation *loop) const {
    auto found = fetches.find(loop);
    return found == fetches.end() ? nullptr : &found->second;
  }
  auto all() const { return llvm::make_second_range(fetches); }
  const Fetch &first() const { return fetches.front().second; }
  /// Whether such loops are in it, or it is one.
  bool holdsLoop(mlir::Operation *op) const { return around.contains(op); }
  /// Whether copies depend on it: an operation, or what a loop carries and a branch yields.
  bool needs(mlir::Operation *op) const { return operations.contains(op); }
  bool needs(mlir::Value carried) const { return values.contains(carried); }
  /// The first at the top that holds such a loop.
  mlir::Operation *start() const { return startOp; }

  /// Of the rings.
  int64_t slots = 0;
  /// Whether there is shared memory for two programs on a multiprocessor.
  bool fitsTwice = false;

private:
  /// Notes what is missing; false.
  bool misses(llvm::StringRef what) {
    why = what;
    return false;
  }
  bool isSuitableKernel();
  bool addLoop(mlir::scf::ForOp loop, const AxisInfos &facts);
  bool needCopies(mlir::scf::ForOp loop, const Fetch &fetch);
  bool need(mlir::Value value);
  bool needOperation(mlir::Operation *op);
  int64_t bytesBeside();

  tt::FuncOp function;
  const target::Target &target;
  Writes written;
  llvm::MapVector<mlir::Operation *, Fetch> fetches;
  llvm::DenseSet<mlir::Operation *> around, operations;
  llvm::DenseSet<mlir::Value> values;
  mlir::Operation *startOp = nullptr, *askingLoop = nullptr;
  llvm::StringRef why;
};

} // namespace gluonc::assign
