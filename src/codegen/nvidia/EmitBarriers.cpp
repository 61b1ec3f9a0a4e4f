//===- EmitBarriers.cpp - mbarrier, fences between threads and units --------------===//
//
// Beginning, end and arrivals are the business of one thread of the group that
// comes here; an arrival stands for all of them, so they synchronize first. Waiting is
// the business of every thread: the wait is what makes the bytes visible to it.
//
// CTAs of a cluster may have one barrier in common. It lies in the least of them,
// which begins it for all and waits; the others send it their arrivals. Or each has
// its own and `from_cta` routes arrivals: of the CTAs that differ in the other bits,
// the least sends one to each, by as many threads.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/EmitHopper.h"

#include "codegen/nvidia/InlineAsm.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/ttng/ClusterState.h"
#include "layout/named/Blocks.h"
#include "target/Features.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

void emitOrdered(Emitter &emitter, const Twine &text, ArrayRef<Value *> operands) {
  emitAsm(emitter.builder, text.str(), emitter.builder.getVoidTy(), operands,
          AsmEffect::ReadsAndWrites, Threads::Together);
}

Value *barrierAddress(Emitter &emitter, mlir::Value barrier) { return emitter.get(barrier)[0]; }

uint32_t ctasInCommon(mlir::Value buffer) {
  const layout::LinearLayout *linear = linearOrNull(cast<ttg::MemDescType>(buffer.getType()));
  return linear ? layout::blockCopies(*linear) : 0;
}

uint32_t setOfCtas(uint32_t ctas) {
  uint32_t set = 0;
  for (uint32_t cta : layout::combinations(ctas))
    set |= 1u << cta;
  return set;
}

Value *isLeast(Emitter &emitter, uint32_t ctas) {
  if (!ctas)
    return nullptr;
  Builder &builder = emitter.builder;
  return builder.CreateICmpEQ(
      builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(ctas)),
      builder.getInt32(0));
}

namespace {

Value *both(Emitter &emitter, Value *first, Value *second) {
  return second ? emitter.builder.CreateAnd(first, second) : first;
}

/// The first thread of the CTA where the barrier lies.
Value *keeper(Emitter &emitter, mlir::Value barrier) {
  return both(emitter, emitter.threads.isFirst(Among::Cta),
              isLeast(emitter, ctasInCommon(barrier)));
}

/// Whether what one CTA of a cluster writes is for others to read.
bool publishes(mlir::Operation *op) {
  return !op->getParentOfType<mlir::ModuleOp>()->hasAttr(ttg::clusterSilentAttr);
}

/// Who signals which barrier.
struct Signal {
  Value *threads, *address;
  /// ".shared::cta", or what accesses of other CTAs say.
  StringRef space;
};

/// `predicate` may be null; `route`: the bits of `from_cta`.
Signal signalOf(Emitter &emitter, mlir::Operation *op, mlir::Value barrier, mlir::Value predicate,
                std::optional<uint32_t> route) {
  const StringRef ofCluster =
      publishes(op) ? ".release.cluster.shared::cluster" : ".shared::cluster";
  Builder &builder = emitter.builder;
  Value *condition = predicate ? emitter.scalar(predicate) : nullptr;
  Value *address = barrierAddress(emitter, barrier);
  Value *first = both(emitter, emitter.threads.isFirst(Among::Cta), condition);
  if (!route) {
    uint32_t ctas = ctasInCommon(barrier);
    if (!ctas)
      return {first, address, ".shared::cta"};
    Value *least = builder.CreateAnd(emitter.threads.clusterRank(), builder.getInt32(~ctas));
    return {first, emitter.isa.peerAddress(builder, address, least), ofCluster};
  }
  uint32_t receivers = (emitter.threads.clusterSize() - 1) & ~*route;
  SmallVector<uint32_t> bits;
  for (uint32_t rest = receivers; rest; rest &= rest - 1)
    bits.push_back(rest & -rest);
  Value *thread = emitter.threads.id();
  Value *sends = builder.CreateICmpULT(thread, builder.getInt32(1u << bits.size()));
  sends = both(emitter, both(emitter, sends, isLeast(emitter, receivers)), condition);
  Value *rank =
      builder.CreateXor(emitter.threads.clusterRank(), applyLinear(builder, thread, bits));
  return {sends, emitter.isa.peerAddress(builder, address, rank), ofCluster};
}

LogicalResult emitInit(Emitter &emitter, ttng::InitBarrierOp op) {
  // All CTAs that have it in common send as many arrivals.
  unsigned ctas = 1u << llvm::popcount(ctasInCommon(op.getAlloc()));
  emitOrdered(emitter,
              "@$1 mbarrier.init.shared::cta.b64 [$0], " + Twine(op.getCount() * ctas) + ";",
              {barrierAddress(emitter, op.getAlloc()), keeper(emitter, op.getAlloc())});
  return success();
}

LogicalResult emitInval(Emitter &emitter, ttng::InvalBarrierOp op) {
  emitOrdered(emitter, "@$1 mbarrier.inval.shared::cta.b64 [$0];",
              {barrierAddress(emitter, op.getAlloc()), keeper(emitter, op.getAlloc())});
  return success();
}

/// One thread is enough: what it makes known is what threads before it began.
LogicalResult emitInitFence(Emitter &emitter, ttng::FenceMBarrierInitReleaseClusterOp) {
  emitOrdered(emitter, "@$0 fence.mbarrier_init.release.cluster;",
              {emitter.threads.isFirst(Among::Cta)});
  return success();
}

LogicalResult emitExpect(Emitter &emitter, ttng::BarrierExpectOp op) {
  emitter.threads.barrier();
  Signal signal = signalOf(emitter, op, op.getAlloc(), op.getPred(), op.getFromCTA());
  emitOrdered(emitter,
              "@$1 mbarrier.arrive.expect_tx" + Twine(signal.space) + ".b64 _, [$0], " +
                  Twine(op.getSize()) + ";",
              {signal.address, signal.threads});
  return success();
}

/// Whether all threads met for the arrival before, and have done nothing since.
bool metJustBefore(mlir::Operation *op) {
  do
    op = op->getPrevNode();
  while (op && mlir::isMemoryEffectFree(op));
  auto arrival = dyn_cast_if_present<ttng::ArriveBarrierOp>(op);
  return arrival && !arrival.getPerWarp();
}

/// One arrival by the first lane of each warp, behind what the others of the warp did.
void arrivePerWarp(Emitter &emitter, ttng::ArriveBarrierOp op) {
  Builder &builder = emitter.builder;
  emitter.isa.warpBarrier(builder);
  Value *lane = builder.CreateAnd(emitter.threads.id(), emitter.state.target.warpSize() - 1);
  Value *condition = op.getPred() ? emitter.scalar(op.getPred()) : nullptr;
  emitOrdered(emitter, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0], " + Twine(op.getCount()) + ";",
              {barrierAddress(emitter, op.getAlloc()),
               both(emitter, builder.CreateIsNull(lane), condition)});
}

LogicalResult emitArrive(Emitter &emitter, ttng::ArriveBarrierOp op) {
  if (op.getPerWarp() && !target::has(emitter.state.target, target::Feature::SuspendingWait))
    return emitter.unsupported(op, "arrivals of each warp on " + emitter.state.target.name());
  if (op.getPerWarp()) {
    arrivePerWarp(emitter, op);
    return success();
  }
  if (!metJustBefore(op))
    emitter.threads.barrier();
  bool counts = target::has(emitter.state.target, target::Feature::SuspendingWait);
  Signal signal = signalOf(emitter, op, op.getAlloc(), op.getPred(), op.getFromCTA());
  std::string text =
      counts
          ? ("@$1 mbarrier.arrive" + signal.space + ".b64 _, [$0], " + Twine(op.getCount()) + ";")
                .str()
          : "{\n\t.reg .b64 state;\n\t"
            "@$1 mbarrier.arrive.noComplete.shared.b64 state, [$0], " +
                std::to_string(op.getCount()) + ";\n\t}";
  if (!counts && op.getCount() == 1)
    text = "{\n\t.reg .b64 state;\n\t@$1 mbarrier.arrive.shared.b64 state, [$0];\n\t}";
  else if (!counts)
    return emitter.unsupported(op, "several arrivals at once on " + emitter.state.target.name());
  emitOrdered(emitter, text, {signal.address, signal.threads});
  return success();
}

LogicalResult emitWait(Emitter &emitter, ttng::WaitBarrierOp op) {
  SmallVector<Value *> operands = {barrierAddress(emitter, op.getAlloc()),
                                   emitter.scalar(op.getPhase())};
  std::string text = "{\n\t.reg .pred done;\n\t";
  // Only the CTA where it lies can wait for it.
  uint32_t ctas = ctasInCommon(op.getAlloc());
  Value *waits = isLeast(emitter, ctas);
  if (op.getPred())
    waits = both(emitter, emitter.scalar(op.getPred()), waits);
  if (waits) {
    text += "@!$2 bra.uni skip;\n\t";
    operands.push_back(waits);
  }
  text += "again:\n\t";
  if (target::has(emitter.state.target, target::Feature::SuspendingWait))
    text += std::string("mbarrier.try_wait.parity") +
            (ctas && publishes(op) ? ".acquire.cluster" : "") +
            ".shared::cta.b64 done, [$0], $1;\n\t@!done bra.uni again;\n\t";
  else
    text += "mbarrier.test_wait.parity.shared.b64 done, [$0], $1;\n\t"
            "@done bra.uni over;\n\tnanosleep.u32 20;\n\tbra.uni again;\n\tover:\n\t";
  text += waits ? "skip:\n\t}" : "}";
  emitOrdered(emitter, text, operands);
  return success();
}

LogicalResult emitCopyArrive(Emitter &emitter, ttng::AsyncCopyMbarrierArriveOp op) {
  emitOrdered(emitter,
              Twine("cp.async.mbarrier.arrive") + (op.getNoIncrement() ? ".noinc" : "") +
                  ".shared.b64 [$0];",
              {barrierAddress(emitter, op.getBarrier())});
  return success();
}

LogicalResult emitFence(Emitter &emitter, ttng::FenceAsyncSharedOp op) {
  emitOrdered(emitter,
              Twine("fence.proxy.async.shared::") + (op.getBCluster() ? "cluster;" : "cta;"), {});
  return success();
}

LogicalResult emitStoreWait(Emitter &emitter, ttng::TMAStoreWaitOp op) {
  emitOrdered(emitter,
              Twine("cp.async.bulk.wait_group") + (op.getReadOnly() ? ".read " : " ") +
                  Twine(op.getPendings()) + ";",
              {});
  return success();
}

} // namespace

void addBarriers(EmitTable &table) {
  table.add<emitInit>();
  table.add<emitInval>();
  table.add<emitArrive>();
  table.add<emitWait>();
  table.add<emitCopyArrive>();
}

void addAsyncBarriers(EmitTable &table) {
  table.add<emitInitFence>();
  table.add<emitExpect>();
  table.add<emitFence>();
  table.add<emitStoreWait>();
}

} // namespace gluonc::codegen::nvidia
