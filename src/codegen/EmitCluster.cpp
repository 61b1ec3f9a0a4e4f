//===- EmitCluster.cpp - Barriers of a cluster ------------------------------------===//
#include "codegen/Emitter.h"

#include "ir/Dialects.h"

using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

LogicalResult emitClusterBarrier(Emitter &emitter, ttng::ClusterBarrierOp op) {
  return emitter.clusterBarrier(op, op.getRelaxed());
}

/// The halves have no form in which workers could take part.
bool onlyDefaultWarps(Emitter &emitter) {
  return emitter.group.count == emitter.state.kernel.numWarps;
}

LogicalResult emitArrive(Emitter &emitter, ttng::ClusterArriveOp op) {
  if (!onlyDefaultWarps(emitter))
    return emitter.unsupported(op, "half a barrier of the cluster beside other partitions");
  emitter.isa.clusterArrive(emitter.builder, op.getRelaxed());
  return success();
}

LogicalResult emitWait(Emitter &emitter, ttng::ClusterWaitOp op) {
  if (!onlyDefaultWarps(emitter))
    return emitter.unsupported(op, "half a barrier of the cluster beside other partitions");
  emitter.isa.clusterWait(emitter.builder);
  return success();
}

} // namespace

void addCluster(EmitTable &table) {
  table.add<emitClusterBarrier>();
  table.add<emitArrive>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen
