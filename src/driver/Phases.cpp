#include "driver/Phases.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gluonc::driver {

namespace {

/// Evaluates scalars in one round of a loop: what the IR's own folding makes of constants.
class Evaluator {
public:
  /// `known`: what loops carry, and count, in this round.
  explicit Evaluator(llvm::DenseMap<Value, Attribute> known) : known(std::move(known)) {}

  Attribute of(Value value) {
    auto [found, isNew] = known.try_emplace(value, Attribute());
    if (!isNew)
      return found->second;
    Attribute result = compute(value);
    known[value] = result;
    return result;
  }

private:
  Attribute compute(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    Operation *op = value.getDefiningOp();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ofBranch(branch, cast<OpResult>(value).getResultNumber());
    if (op->getNumRegions() || op->getNumResults() != 1)
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(of(operand));
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto attribute = dyn_cast<Attribute>(results.front()))
      return attribute;
    return of(cast<Value>(results.front()));
  }

  /// Of a partition: what is captured. Of a loop further out: what its first round has.
  Attribute ofArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(parent))
      return of(holder->getOperand(argument.getArgNumber()));
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return {};
    if (argument == loop.getInductionVar())
      return of(loop.getLowerBound());
    return of(loop.getInitArgs()[argument.getArgNumber() - loop.getNumInductionVars()]);
  }

  Attribute ofBranch(scf::IfOp branch, unsigned result) {
    auto condition = dyn_cast_or_null<IntegerAttr>(of(branch.getCondition()));
    if (!condition)
      return {};
    Region &taken = condition.getValue().isZero() ? branch.getElseRegion() : branch.getThenRegion();
    return taken.empty() ? Attribute() : of(taken.front().getTerminator()->getOperand(result));
  }

  llvm::DenseMap<Value, Attribute> known;
};

/// The next round's values of what a loop counts and carries.
llvm::DenseMap<Value, Attribute> nextRound(scf::ForOp loop, Evaluator &now) {
  llvm::DenseMap<Value, Attribute> next;
  auto count = dyn_cast_or_null<IntegerAttr>(now.of(loop.getInductionVar()));
  auto step = dyn_cast_or_null<IntegerAttr>(now.of(loop.getStep()));
  next[loop.getInductionVar()] =
      count && step ? IntegerAttr::get(count.getType(), count.getValue() + step.getValue())
                    : Attribute();
  for (auto [carried, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    next[carried] = now.of(yielded);
  return next;
}

} // namespace

std::vector<unsigned> paritiesOf(ttng::WaitBarrierOp wait, unsigned rounds) {
  std::vector<unsigned> parities;
  auto loop = wait->getParentOfType<scf::ForOp>();
  // A loop around the partition says nothing of it: each time it begins anew.
  if (auto holder = wait->getParentOfType<ttg::WarpSpecializePartitionsOp>();
      holder && loop && loop->isAncestor(holder))
    loop = nullptr;
  llvm::DenseMap<Value, Attribute> known;
  for (unsigned round = 0; round != (loop ? rounds : 1); ++round) {
    Evaluator now(std::move(known));
    auto phase = dyn_cast_or_null<IntegerAttr>(now.of(wait.getPhase()));
    if (!phase)
      return {};
    parities.push_back(unsigned(phase.getValue()[0]));
    known = loop ? nextRound(loop, now) : llvm::DenseMap<Value, Attribute>();
  }
  if (llvm::all_equal(parities))
    parities.resize(1);
  return parities;
}

} // namespace gluonc::driver
