#include "codegen/core/Workers.h"

#include "ir/Dialects.h"

using namespace llvm;

namespace gluonc::codegen {

void synchronizeAll(Emitter &emitter) {
  emitter.isa.workersBarrier(emitter.builder, allThreadsBarrier,
                             emitter.state.kernel.numWarps * emitter.state.target.warpSize());
}

Value *sharedByte(Emitter &emitter, int64_t offset) {
  return emitter.builder.CreateConstGEP1_32(emitter.builder.getInt8Ty(), emitter.state.shared,
                                            offset);
}

namespace {

/// Volatile, or LLVM would make loads and stores of them.
Value *atomically(Builder &builder, AtomicRMWInst::BinOp how, Value *place, unsigned operand) {
  AtomicRMWInst *access = builder.CreateAtomicRMW(how, place, builder.getInt32(operand), Align(4),
                                                  AtomicOrdering::Monotonic);
  access->setVolatile(true);
  return access;
}

Value *stateOf(Emitter &emitter, mlir::Operation *op) {
  auto offset =
      op->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::IntegerAttr>(ttg::warpStateAttr);
  return sharedByte(emitter, offset ? offset.getInt() : 0);
}

/// What the default warps announced: one thread of each warp asks.
Value *announced(Emitter &emitter, mlir::Operation *op) {
  Builder &builder = emitter.builder;
  BasicBlock *asks = emitter.blocks.create("asks"), *then = emitter.blocks.create("asked");
  BasicBlock *before = builder.GetInsertBlock();
  Value *lane = builder.CreateAnd(emitter.threads.id(), emitter.state.target.warpSize() - 1);
  builder.CreateCondBr(builder.CreateIsNull(lane), asks, then);
  builder.SetInsertPoint(asks);
  Value *found = atomically(builder, AtomicRMWInst::Or, stateOf(emitter, op), 0);
  builder.CreateBr(then);
  builder.SetInsertPoint(then);
  PHINode *value = builder.CreatePHI(builder.getInt32Ty(), 2);
  value->addIncoming(found, asks);
  value->addIncoming(builder.getInt32(0), before);
  return emitter.isa.shuffle(builder, value, builder.getInt32(0));
}

} // namespace

void announce(Emitter &emitter, mlir::Operation *op, unsigned what) {
  atomically(emitter.builder, AtomicRMWInst::Xchg, stateOf(emitter, op), what);
}

void startWorkers(Emitter &emitter, mlir::Operation *op) {
  Builder &builder = emitter.builder;
  Builder::InsertPointGuard guard(builder);
  BasicBlock *loop = emitter.blocks.create("workers"),
             *exit = emitter.blocks.create("workers.exit");
  BasicBlock *dispatch = emitter.blocks.create("dispatch");
  auto *jump = cast<BranchInst>(emitter.blocks.entry->getTerminator());
  BasicBlock *body = jump->getSuccessor(0);
  jump->setSuccessor(0, dispatch);
  builder.SetInsertPoint(dispatch);
  beginClusterState(emitter, op);
  builder.CreateCondBr(emitter.threads.isInGroup(), body, loop);
  builder.SetInsertPoint(body, body->begin());
  emitter.threads.joinGroup();

  builder.SetInsertPoint(loop);
  synchronizeAll(emitter);
  emitter.workers.dispatch = builder.CreateSwitch(announced(emitter, op), exit);
  emitter.workers.start = loop;
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
}

void releaseWorkers(Emitter &emitter, mlir::Operation *op) {
  if (emitter.threads.group.count == emitter.state.kernel.numWarps ||
      !cast<tt::FuncOp>(emitter.source).isPublic())
    return;
  inFirstThread(emitter, [&] { announce(emitter, op, 0); });
  synchronizeAll(emitter);
}

} // namespace gluonc::codegen
