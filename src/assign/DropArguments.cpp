//===- DropArguments.cpp - Loops that carry nothing in vain ------------------------===//
//
// An argument of a loop goes when neither its result nor anything but the next value of
// arguments that go depends on it.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Settle.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Which arguments something outside of the loop, or something with an effect, depends on.
llvm::SmallBitVector neededArguments(scf::ForOp loop) {
  llvm::SmallBitVector needed(loop.getNumRegionIterArgs());
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> pending;
  auto needOperands = [&](Operation *op) {
    op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
  };
  for (auto [number, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      pending.push_back(loop.getRegionIterArg(number));
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      needOperands(&op);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()) {
      unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
      if (!needed.test(number))
        pending.push_back(loop.getYieldedValues()[number]);
      needed.set(number);
    } else if (Operation *op = value.getDefiningOp()) {
      op = loop.getBody()->findAncestorOpInBlock(*op);
      if (op && seen.insert(op).second)
        needOperands(op);
    }
  }
  return needed;
}

void dropFrom(scf::ForOp loop) {
  llvm::SmallBitVector needed = neededArguments(loop);
  if (needed.all())
    return;
  OpBuilder builder(loop);
  SmallVector<Value> inits, yields;
  for (unsigned number : needed.set_bits())
    inits.push_back(loop.getInitArgs()[number]);
  auto made = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits);
  made->setAttrs(loop->getAttrs());
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  Block *body = loop.getBody(), *newBody = made.getBody();
  newBody->clear();
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  for (auto [next, number] : llvm::enumerate(needed.set_bits())) {
    loop.getRegionIterArg(number).replaceAllUsesWith(made.getRegionIterArg(next));
    loop.getResult(number).replaceAllUsesWith(made.getResult(next));
  }
  for (unsigned number : needed.set_bits())
    yields.push_back(loop.getYieldedValues()[number]);
  body->getTerminator()->erase();
  newBody->getOperations().splice(newBody->end(), body->getOperations());
  builder.setInsertionPointToEnd(newBody);
  scf::YieldOp::create(builder, loop.getLoc(), yields);
  // What the others were computed by.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*newBody)))
    if (isOpTriviallyDead(&op))
      op.erase();
  loop.erase();
}

struct DropArgumentsPass : PassWrapper<DropArgumentsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropArgumentsPass)
  llvm::StringRef getArgument() const override { return "gluonc-drop-arguments"; }
  llvm::StringRef getDescription() const override { return "Drop what loops carry in vain"; }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      dropFrom(loop);
    getOperation().walk([](tt::FuncOp function) { assign::eraseUnused(function); });
  }
};

} // namespace

std::unique_ptr<Pass> createDropArgumentsPass() { return std::make_unique<DropArgumentsPass>(); }

} // namespace gluonc
