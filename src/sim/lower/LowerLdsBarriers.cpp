//===- LowerLdsBarriers.cpp - AMD's barriers in LDS, and its clusters -----------===//
//
// Each CTA has its own barriers. Every thread arrives for itself, and learns the
// phase that its arrival was for.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/AmdOps.h"
#include "sim/lower/Barriers.h"

namespace gluonc::sim {
namespace {

/// Operands: barrier.
void runArrive(const Instruction &instruction, Cta &cta) {
  const Region view = barrierViewOf(instruction, cta);
  if (!checkBarrier(instruction, cta, view, "arrival on"))
    return;
  forEachBarrier(view, [&](uint32_t offset) {
    *cta.at<int32_t>(instruction.result) = cta.barrierAt(offset).phase;
  });
  arriveAt(instruction, cta, view, 0);
}

uint32_t threadsOf(mlir::Operation *operation) {
  return uint32_t(ttg::numWarpsOf(operation) * ttg::threadsPerWarpOf(operation));
}

BarrierData *addOwn(Lowering &lowering, mlir::Operation *operation, mlir::Value barrier,
                    uint32_t count) {
  BarrierData *data = addBarrierData(lowering, operation, barrier);
  if (data) {
    data->count = count;
    data->isOwn = true;
  }
  return data;
}

bool lowerInit(Lowering &lowering, mlir::Operation *operation) {
  auto init = mlir::cast<amdg::InitBarrierOp>(operation);
  BarrierData *data = addOwn(lowering, operation, init.getAlloc(), init.getCount());
  return data && emitOnBarrier(lowering, runInitBarrier, data, init.getAlloc());
}

bool lowerArrive(Lowering &lowering, mlir::Operation *operation) {
  auto arrive = mlir::cast<amdg::ArriveBarrierOp>(operation);
  BarrierData *data =
      addOwn(lowering, operation, arrive.getAlloc(), arrive.getCount() * threadsOf(operation));
  return data && emitOnBarrier(lowering, runArrive, data, arrive.getAlloc(), {},
                               lowering.define(arrive.getPriorPhase(), 1));
}

bool lowerWait(Lowering &lowering, mlir::Operation *operation) {
  auto wait = mlir::cast<amdg::WaitBarrierOp>(operation);
  lowering.program.waits = true;
  BarrierData *data = addOwn(lowering, operation, wait.getAlloc(), 0);
  return data && emitOnBarrier(lowering, runWaitBarrier, data, wait.getAlloc(),
                               {wait.getPhase(), mlir::Value()});
}

bool lowerCopyArrive(Lowering &lowering, mlir::Operation *operation) {
  auto arrive = mlir::cast<amdg::AsyncCopyMbarrierArriveOp>(operation);
  BarrierData *data = addOwn(lowering, operation, arrive.getBarrier(), threadsOf(operation));
  return data && emitOnBarrier(lowering, runCopyArrive, data, arrive.getBarrier());
}

bool lowerClusterArrive(Lowering &lowering, mlir::Operation *) {
  lowering.emit(runClusterArrive, taintNothing, Slot(), {}).immediate = /*relaxed=*/false;
  return true;
}

bool lowerClusterWait(Lowering &lowering, mlir::Operation *) {
  lowering.program.waits = true;
  lowering.emit(runClusterWait, taintNothing, Slot(), {});
  return true;
}

} // namespace

void addLdsBarriers(OperationTable &table) {
  table["amdg.init_barrier"] = lowerInit;
  table["amdg.arrive_barrier"] = lowerArrive;
  table["amdg.wait_barrier"] = lowerWait;
  table["amdg.async_copy_mbarrier_arrive"] = lowerCopyArrive;
  table["amdg.cluster_barrier_arrive"] = lowerClusterArrive;
  table["amdg.cluster_barrier_wait"] = lowerClusterWait;
}

} // namespace gluonc::sim
