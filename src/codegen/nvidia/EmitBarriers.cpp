//===- EmitBarriers.cpp - mbarrier, fences between threads and engines ------------===//
//
// Beginning, end and arrivals are the business of one thread of the group that
// comes here; an arrival stands for all of them, so they meet first. Waiting is
// the business of every thread: the wait is what makes the bytes visible to it.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/EmitHopper.h"

#include "codegen/nvidia/InlineAsm.h"
#include "ir/Dialects.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

void emitOrdered(Emitter &emitter, const Twine &text, ArrayRef<Value *> operands) {
  emitAsm(emitter.builder, text.str(), emitter.builder.getVoidTy(), operands,
          AsmEffect::ReadsAndWrites, Threads::Together);
}

Value *barrierAddress(Emitter &emitter, mlir::Value barrier) { return emitter.get(barrier)[0]; }

namespace {

Value *isFirstThread(Emitter &emitter) {
  return emitter.builder.CreateICmpEQ(emitter.threadId(), emitter.builder.getInt32(0));
}

/// The first thread, where `predicate` (may be null) holds.
Value *firstThread(Emitter &emitter, mlir::Value predicate) {
  Value *first = isFirstThread(emitter);
  return predicate ? emitter.builder.CreateAnd(first, emitter.scalar(predicate)) : first;
}

LogicalResult emitInit(Emitter &emitter, ttng::InitBarrierOp op) {
  emitOrdered(emitter, "@$1 mbarrier.init.shared::cta.b64 [$0], " + Twine(op.getCount()) + ";",
              {barrierAddress(emitter, op.getAlloc()), isFirstThread(emitter)});
  return success();
}

LogicalResult emitInval(Emitter &emitter, ttng::InvalBarrierOp op) {
  emitOrdered(emitter, "@$1 mbarrier.inval.shared::cta.b64 [$0];",
              {barrierAddress(emitter, op.getAlloc()), isFirstThread(emitter)});
  return success();
}

LogicalResult emitExpect(Emitter &emitter, ttng::BarrierExpectOp op) {
  emitter.barrier();
  emitOrdered(emitter,
              "@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + Twine(op.getSize()) + ";",
              {barrierAddress(emitter, op.getAlloc()), firstThread(emitter, op.getPred())});
  return success();
}

LogicalResult emitArrive(Emitter &emitter, ttng::ArriveBarrierOp op) {
  emitter.barrier();
  // The form with a count is newer than sm_80.
  bool counts = emitter.state.target.computeCapability() >= 90;
  std::string text =
      counts ? ("@$1 mbarrier.arrive.shared::cta.b64 _, [$0], " + Twine(op.getCount()) + ";").str()
             : "{\n\t.reg .b64 state;\n\t"
               "@$1 mbarrier.arrive.noComplete.shared.b64 state, [$0], " +
                   std::to_string(op.getCount()) + ";\n\t}";
  if (!counts && op.getCount() == 1)
    text = "{\n\t.reg .b64 state;\n\t@$1 mbarrier.arrive.shared.b64 state, [$0];\n\t}";
  else if (!counts)
    return emitter.unsupported(op, "several arrivals at once on " + emitter.state.target.name());
  emitOrdered(emitter, text,
              {barrierAddress(emitter, op.getAlloc()), firstThread(emitter, op.getPred())});
  return success();
}

LogicalResult emitWait(Emitter &emitter, ttng::WaitBarrierOp op) {
  SmallVector<Value *> operands = {barrierAddress(emitter, op.getAlloc()),
                                   emitter.scalar(op.getPhase())};
  std::string text = "{\n\t.reg .pred done;\n\t";
  if (op.getPred()) {
    text += "@!$2 bra.uni skip;\n\t";
    operands.push_back(emitter.scalar(op.getPred()));
  }
  text += "again:\n\t";
  if (emitter.state.target.computeCapability() >= 90)
    text += "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t@!done bra.uni again;\n\t";
  else
    text += "mbarrier.test_wait.parity.shared.b64 done, [$0], $1;\n\t"
            "@done bra.uni over;\n\tnanosleep.u32 20;\n\tbra.uni again;\n\tover:\n\t";
  text += op.getPred() ? "skip:\n\t}" : "}";
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
  table.add<emitExpect>();
  table.add<emitArrive>();
  table.add<emitWait>();
  table.add<emitCopyArrive>();
  table.add<emitFence>();
  table.add<emitStoreWait>();
}

} // namespace gluonc::codegen::nvidia
