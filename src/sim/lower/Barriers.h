//===- Barriers.h - What operations on barriers of both vendors share -----------===//
#pragma once

#include "sim/machine/BarrierView.h"

namespace gluonc::sim {

struct BarrierData : MoveData {
  /// Of the receivers' numbers, the bits in which they are the sender's.
  std::optional<uint32_t> route;
  /// Arrivals, and bytes announced.
  uint32_t count = 0;
  uint32_t bytes = 0;
  bool increments = false;
  /// Each CTA has one of its own (AMD), whoever else holds the same.
  bool isOwn = false;
};

/// Null after a report.
BarrierData *addBarrierData(Lowering &lowering, mlir::Operation *operation, mlir::Value barrier);
/// Emits `handler` on a barrier and scalars; absent scalars are left out, the last of them is the
/// predicate.
bool emitOnBarrier(Lowering &lowering, Handler handler, BarrierData *data, mlir::Value barrier,
                   llvm::ArrayRef<mlir::Value> scalars = {}, Slot result = {});

// What executes them. The first operand is the barrier.

Region barrierViewOf(const Instruction &instruction, Cta &cta);
void runInitBarrier(const Instruction &instruction, Cta &cta);
/// Arrives at the barriers that lie `distance` bytes behind those of a view.
void arriveAt(const Instruction &instruction, Cta &cta, const Region &view, uint32_t distance);
/// Operands: barrier, phase, predicate if there is one.
void runWaitBarrier(const Instruction &instruction, Cta &cta);
/// All threads arrive when their copies so far are done.
void runCopyArrive(const Instruction &instruction, Cta &cta);

/// `immediate`: whether it is relaxed.
void runClusterArrive(const Instruction &instruction, Cta &cta);
void runClusterWait(const Instruction &instruction, Cta &cta);

} // namespace gluonc::sim
