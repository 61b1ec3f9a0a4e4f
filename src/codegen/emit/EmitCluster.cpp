//===- EmitCluster.cpp - Barriers of a cluster ------------------------------------===//
//
// While partitions run, those with one number synchronize across the CTAs by barrier objects of
// their own: two in turns, so that nobody can be a whole round ahead of another that
// still waits, and a count of rounds, all behind each other in shared memory.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Workers.h"

#include "ir/Dialects.h"
#include "ir/ttng/ClusterState.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

std::optional<int64_t> clusterState(mlir::Operation *op) {
  auto value = op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(
      ttg::clusterStateAttr);
  return value ? std::optional<int64_t>(value.getInt()) : std::nullopt;
}

/// One partition synchronizes with those of the same number in the other CTAs.
LogicalResult synchronizePartition(Emitter &emitter, mlir::Operation *op) {
  std::optional<int64_t> begin = clusterState(op);
  if (!begin)
    return emitter.unsupported(op, "a barrier of the cluster without allocated shared memory");
  Builder &builder = emitter.builder;
  const WarpGroup &group = emitter.threads.group;
  unsigned partition = group.first ? group.barrier - firstPartitionBarrier + 1 : 0;
  int64_t at = *begin + partition * ttg::clusterStateBytes;
  Value *count = sharedByte(emitter, at + 16);
  Value *round = builder.CreateLoad(builder.getInt32Ty(), count, /*isVolatile=*/true);
  emitter.threads.barrier();
  Value *object = builder.CreateShl(builder.CreateAnd(round, builder.getInt32(1)), 3);
  Value *own = builder.CreateGEP(builder.getInt8Ty(), sharedByte(emitter, at), object);
  Value *phase = builder.CreateAnd(builder.CreateLShr(round, 1), builder.getInt32(1));
  // Thread i tells the CTA whose number differs by i + 1.
  Value *thread = emitter.threads.id();
  Value *rank = builder.CreateXor(emitter.threads.clusterRank(),
                                  builder.CreateAdd(thread, builder.getInt32(1)));
  Value *tells = builder.CreateICmpULT(thread, builder.getInt32(emitter.threads.clusterSize() - 1));
  rank = builder.CreateAnd(rank, builder.getInt32(emitter.threads.clusterSize() - 1));
  emitter.isa.synchronizePeers(builder, own, emitter.isa.peerAddress(builder, own, rank), tells,
                               phase);
  inFirstThread(emitter, [&] {
    builder.CreateStore(builder.CreateAdd(round, builder.getInt32(1)), count,
                        /*isVolatile=*/true);
  });
  emitter.threads.barrier();
  return success();
}

LogicalResult emitClusterBarrier(Emitter &emitter, ttng::ClusterBarrierOp op) {
  return clusterBarrier(emitter, op, op.getRelaxed());
}

/// The halves have no form in which workers could take part.
bool onlyDefaultWarps(Emitter &emitter) {
  return emitter.threads.group.count == emitter.state.kernel.numWarps;
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

void beginClusterState(Emitter &emitter, mlir::Operation *op) {
  std::optional<int64_t> begin = clusterState(op);
  if (!begin)
    return;
  Builder &builder = emitter.builder;
  // The state is the last thing in shared memory.
  int64_t end = emitter.state.kernel.sharedBytes;
  Value *first = emitter.threads.isFirst(Among::Cta);
  for (int64_t at = *begin; at < end; at += ttg::clusterStateBytes)
    for (int64_t object : {0, 8})
      emitter.isa.beginPeerBarrier(builder, sharedByte(emitter, at + object),
                                   emitter.threads.clusterSize() - 1, first);
  inFirstThread(emitter, [&] {
    for (int64_t at = *begin; at < end; at += ttg::clusterStateBytes)
      builder.CreateStore(builder.getInt32(0), sharedByte(emitter, at + 16), /*isVolatile=*/true);
  });
  emitter.isa.clusterBarrier(builder, /*relaxed=*/false);
}

LogicalResult clusterBarrier(Emitter &emitter, mlir::Operation *op, bool relaxed) {
  Builder &builder = emitter.builder;
  if (op->getParentOfType<ttg::WarpSpecializeOp>())
    return synchronizePartition(emitter, op);
  if (emitter.threads.group.count == emitter.state.kernel.numWarps) {
    emitter.isa.clusterBarrier(builder, relaxed);
    return success();
  }
  if (!cast<tt::FuncOp>(emitter.source).isPublic())
    return emitter.unsupported(op, "a barrier of the cluster in a function that is not inlined");
  Workers &workers = emitter.workers;
  if (!workers.dispatch)
    startWorkers(emitter, op);
  if (!workers.syncCluster) {
    workers.syncCluster = workers.dispatch->getNumCases() + 1;
    Builder::InsertPointGuard guard(builder);
    BasicBlock *block = emitter.blocks.create("workers.cluster");
    workers.dispatch->addCase(builder.getInt32(workers.syncCluster), block);
    builder.SetInsertPoint(block);
    emitter.isa.clusterBarrier(builder, /*relaxed=*/false);
    builder.CreateBr(workers.start);
  }
  inFirstThread(emitter, [&] { announce(emitter, op, workers.syncCluster); });
  synchronizeAll(emitter);
  // Behind it all workers have read the announcement, so it may change.
  emitter.isa.clusterBarrier(builder, /*relaxed=*/false);
  return success();
}

void addCluster(EmitTable &table) {
  table.add<emitClusterBarrier>();
  table.add<emitArrive>();
  table.add<emitWait>();
}

} // namespace gluonc::codegen
