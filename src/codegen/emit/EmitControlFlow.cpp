//===- EmitControlFlow.cpp - Functions, loops, branches -------------------------===//
//
// Loops come out rotated, with the exit test at the end, which is the form that
// LLVM's loop passes want:
//
//     if (lb < ub) do { … iv += step } while (iv < ub)
//
// The counter carries nsw: a loop whose counter wraps around past its bound
// would never end, so no working program has one.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Workers.h"

#include "ir/Dialects.h"
#include "ir/LoopHints.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

void addIncoming(ArrayRef<PHINode *> phis, ArrayRef<Value *> values, BasicBlock *from) {
  for (auto [phi, value] : zip_equal(phis, values))
    phi->addIncoming(value, from);
}

/// Tells LLVM's passes what the loop that `branch` goes back in says of itself.
void addHints(mlir::Operation *loop, Instruction *branch) {
  if (!loop->hasAttr(disableLicmAttr))
    return;
  LLVMContext &context = branch->getContext();
  MDNode *hint = MDNode::get(context, MDString::get(context, "llvm.licm.disable"));
  MDNode *id = MDNode::getDistinct(context, {nullptr, hint});
  id->replaceOperandWith(0, id);
  branch->setMetadata(LLVMContext::MD_loop, id);
}

/// Operations that their parent deals with when it has emitted the block.
template <typename Op> LogicalResult leaveToParent(Emitter &, Op) { return success(); }

LogicalResult emitFor(Emitter &emitter, mlir::scf::ForOp op) {
  Builder &builder = emitter.builder;
  Value *lower = emitter.scalar(op.getLowerBound());
  Value *upper = emitter.scalar(op.getUpperBound());
  Value *step = emitter.scalar(op.getStep());
  Registers inits = emitter.blocks.carry(op.getInitArgs());
  BasicBlock *body = emitter.blocks.create("for");
  BasicBlock *exit = emitter.blocks.create("for.end");
  BasicBlock *before = builder.GetInsertBlock();
  builder.CreateCondBr(builder.CreateICmpSLT(lower, upper), body, exit);

  emitter.blocks.start(body);
  PHINode *counter = builder.CreatePHI(lower->getType(), 2);
  counter->addIncoming(lower, before);
  SmallVector<PHINode *> carried = emitter.blocks.newPhis(op.getInitArgs().getTypes());
  addIncoming(carried, inits, before);
  emitter.set(op.getInductionVar(), {counter});
  emitter.blocks.setCarried(op.getRegionIterArgs(), carried);
  if (failed(emitter.emitBlock(*op.getBody())))
    return failure();

  Registers yielded = emitter.blocks.carry(op.getBody()->getTerminator()->getOperands());
  Value *next = builder.CreateNSWAdd(counter, step);
  BasicBlock *latch = builder.GetInsertBlock();
  counter->addIncoming(next, latch);
  addIncoming(carried, yielded, latch);
  addHints(op, builder.CreateCondBr(builder.CreateICmpSLT(next, upper), body, exit));

  emitter.blocks.start(exit);
  SmallVector<PHINode *> results = emitter.blocks.newPhis(op.getResultTypes());
  addIncoming(results, inits, before);
  addIncoming(results, yielded, latch);
  emitter.blocks.setCarried(op.getResults(), results);
  return success();
}

LogicalResult emitWhile(Emitter &emitter, mlir::scf::WhileOp op) {
  Builder &builder = emitter.builder;
  BasicBlock *before = emitter.blocks.create("while");
  BasicBlock *after = emitter.blocks.create("while.do");
  BasicBlock *exit = emitter.blocks.create("while.end");
  Registers inits = emitter.blocks.carry(op.getInits());
  BasicBlock *entry = builder.GetInsertBlock();
  builder.CreateBr(before);

  emitter.blocks.start(before);
  SmallVector<PHINode *> carried = emitter.blocks.newPhis(op.getInits().getTypes());
  addIncoming(carried, inits, entry);
  emitter.blocks.setCarried(op.getBeforeArguments(), carried);
  if (failed(emitter.emitBlock(*op.getBeforeBody())))
    return failure();
  mlir::scf::ConditionOp condition = op.getConditionOp();
  Registers passed = emitter.values.flatten(condition.getArgs());
  builder.CreateCondBr(emitter.scalar(condition.getCondition()), after, exit);

  // The passed values dominate both successors: no phis needed.
  emitter.blocks.start(after);
  emitter.values.setFlat(op.getAfterArguments(), passed);
  if (failed(emitter.emitBlock(*op.getAfterBody())))
    return failure();
  addIncoming(carried, emitter.blocks.carry(op.getYieldOp().getOperands()),
              builder.GetInsertBlock());
  addHints(op, builder.CreateBr(before));

  emitter.blocks.start(exit);
  emitter.values.setFlat(op.getResults(), passed);
  return success();
}

/// Emits one arm and jumps to `merge`; the arm's results go to the phis there.
LogicalResult emitArm(Emitter &emitter, mlir::Region &region, BasicBlock *arm, BasicBlock *merge,
                      ArrayRef<PHINode *> results) {
  emitter.blocks.start(arm);
  if (!region.empty()) {
    if (failed(emitter.emitBlock(region.front())))
      return failure();
    mlir::Operation *yield = region.front().getTerminator();
    addIncoming(results, emitter.blocks.carry(yield->getOperands()),
                emitter.builder.GetInsertBlock());
  }
  emitter.builder.CreateBr(merge);
  return success();
}

LogicalResult emitIf(Emitter &emitter, mlir::scf::IfOp op) {
  BasicBlock *thenBlock = emitter.blocks.create("if.then");
  BasicBlock *elseBlock = emitter.blocks.create("if.else");
  BasicBlock *merge = emitter.blocks.create("if.end");
  emitter.builder.CreateCondBr(emitter.scalar(op.getCondition()), thenBlock, elseBlock);
  emitter.blocks.start(merge);
  SmallVector<PHINode *> results = emitter.blocks.newPhis(op.getResultTypes());
  if (failed(emitArm(emitter, op.getThenRegion(), thenBlock, merge, results)) ||
      failed(emitArm(emitter, op.getElseRegion(), elseBlock, merge, results)))
    return failure();
  emitter.blocks.start(merge);
  emitter.blocks.setCarried(op.getResults(), results);
  return success();
}

LogicalResult emitBranch(Emitter &emitter, mlir::cf::BranchOp op) {
  emitter.blocks.branchTo(op.getDest(), op.getDestOperands());
  return success();
}

LogicalResult emitCondBranch(Emitter &emitter, mlir::cf::CondBranchOp op) {
  BasicBlock *from = emitter.builder.GetInsertBlock();
  BasicBlock *whenTrue = emitter.blocks.of(op.getTrueDest());
  BasicBlock *whenFalse = emitter.blocks.of(op.getFalseDest());
  if (whenTrue == whenFalse) {
    // A phi has one value per predecessor, so what differs is selected before the jump.
    Value *condition = emitter.scalar(op.getCondition());
    SmallVector<Value *> selected;
    for (auto [a, b] : zip_equal(emitter.blocks.carry(op.getTrueDestOperands()),
                                 emitter.blocks.carry(op.getFalseDestOperands())))
      selected.push_back(emitter.builder.CreateSelect(condition, a, b));
    emitter.blocks.addIncoming(op.getTrueDest(), selected, from);
    emitter.builder.CreateBr(whenTrue);
    return success();
  }
  emitter.blocks.addIncoming(op.getTrueDest(), emitter.blocks.carry(op.getTrueDestOperands()),
                             from);
  emitter.blocks.addIncoming(op.getFalseDest(), emitter.blocks.carry(op.getFalseDestOperands()),
                             from);
  emitter.builder.CreateCondBr(emitter.scalar(op.getCondition()), whenTrue, whenFalse);
  return success();
}

/// Several results travel in a struct.
LogicalResult emitReturn(Emitter &emitter, tt::ReturnOp op) {
  Builder &builder = emitter.builder;
  releaseWorkers(emitter, op);
  emitter.endTensorMemory();
  Registers flat = emitter.values.flatten(op.getOperands());
  if (flat.empty())
    builder.CreateRetVoid();
  else if (flat.size() == 1)
    builder.CreateRet(flat[0]);
  else
    builder.CreateAggregateRet(flat.data(), flat.size());
  return success();
}

LogicalResult emitCall(Emitter &emitter, tt::CallOp op) {
  if (emitter.threads.group.first)
    return emitter.unsupported(op, "a call of a noinline function from a partition");
  mlir::Operation *callee = mlir::SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr());
  Function *function = emitter.state.functions.lookup(callee);
  if (!function)
    return emitter.unsupported(op, "a call of a function without a body");
  Value *result = emitter.builder.CreateCall(function, emitter.values.flatten(op.getOperands()));
  SmallVector<Value *> flat;
  if (StructType *parts = dyn_cast<StructType>(result->getType()))
    for (unsigned i = 0; i < parts->getNumElements(); ++i)
      flat.push_back(emitter.builder.CreateExtractValue(result, i));
  else if (!result->getType()->isVoidTy())
    flat.push_back(result);
  emitter.values.setFlat(op.getResults(), flat);
  return success();
}

} // namespace

void addControlFlow(EmitTable &table) {
  using namespace mlir;
  table.add<emitFor>();
  table.add<emitWhile>();
  table.add<emitIf>();
  table.add<leaveToParent<scf::YieldOp>>();
  table.add<leaveToParent<scf::ConditionOp>>();
  table.add<emitBranch>();
  table.add<emitCondBranch>();
  table.add<emitReturn>();
  table.add<emitCall>();
}

} // namespace gluonc::codegen
