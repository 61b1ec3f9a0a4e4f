//===- RemoveConversions.cpp --------------------------------------------------===//
//
// Each conversion is compared with the cheapest other way to have its result
// (Recompute.h). Those to operands of products stay: they are where loops of products
// get their data from memory.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Recompute.h"
#include "ir/Encoding.h"

using namespace mlir;

namespace gluonc {
namespace {

/// A round changes what others cost; few do after the second.
constexpr unsigned mostRounds = 4;

struct RemoveConversionsPass : PassWrapper<RemoveConversionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RemoveConversionsPass)
  llvm::StringRef getArgument() const override { return "gluonc-remove-conversions"; }
  llvm::StringRef getDescription() const override {
    return "Compute values again where that costs less than converting them";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    assign::Costs costs;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      for (unsigned round = 0; round < mostRounds && runRound(function, costs); ++round)
        dropCarried(function);
  }

  static bool mayRemove(ttg::ConvertLayoutOp conversion) {
    return !conversion.getForceWarpShuffle() && !isOpen(conversion.getType()) &&
           !isOpen(conversion.getSrc().getType()) &&
           !isa<ttg::DotOperandEncodingAttr>(conversion.getType().getEncoding());
  }

  /// Whether anything changed.
  static bool runRound(tt::FuncOp function, assign::Costs &costs) {
    llvm::SmallVector<ttg::ConvertLayoutOp> conversions;
    function.getBody().walk([&](ttg::ConvertLayoutOp op) { conversions.push_back(op); });
    llvm::DenseSet<Operation *> erased;
    bool changed = false;
    for (ttg::ConvertLayoutOp conversion : conversions) {
      if (erased.contains(conversion) || !mayRemove(conversion))
        continue;
      changed |= remove(conversion, costs, erased);
    }
    assign::eraseUnused(function);
    return changed;
  }

  static bool remove(ttg::ConvertLayoutOp conversion, assign::Costs &costs,
                     llvm::DenseSet<Operation *> &erased) {
    Value source = conversion.getSrc();
    if (source.getType() == conversion.getType()) {
      conversion.replaceAllUsesWith(source);
    } else {
      assign::Recompute recompute(costs, conversion);
      if (!recompute.plan())
        return false;
      recompute.apply();
    }
    Operation *producer = conversion.getSrc().getDefiningOp();
    erased.insert(conversion);
    // Loops and branches are replaced by wider ones; what was computed in them is looked at later.
    conversion.erase();
    if (producer && !producer->getNumRegions())
      eraseChain(producer, erased);
    return true;
  }

  /// Erases what is no longer used from `op` up.
  static void eraseChain(Operation *op, llvm::DenseSet<Operation *> &erased) {
    llvm::SetVector<Operation *> pending;
    pending.insert(op);
    while (!pending.empty()) {
      Operation *next = pending.pop_back_val();
      if (!isOpTriviallyDead(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          pending.insert(producer);
      erased.insert(next);
      next->erase();
    }
  }

  /// Lets loops hand on unchanged what only they themselves use, so that it is not computed.
  static void dropCarried(tt::FuncOp function) {
    function.getBody().walk([](scf::ForOp loop) {
      Operation *last = loop.getBody()->getTerminator();
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        if (loop.getResult(i).use_empty() && last->getOperand(i) != loop.getRegionIterArg(i) &&
            isForItselfOnly(loop, i))
          last->setOperand(i, loop.getRegionIterArg(i));
    });
    assign::eraseUnused(function);
  }

  static bool isForItselfOnly(scf::ForOp loop, unsigned number) {
    Operation *last = loop.getBody()->getTerminator();
    llvm::SetVector<Operation *> users;
    auto addUsers = [&](Value value) {
      for (OpOperand &use : value.getUses()) {
        if (use.getOwner() == last && use.getOperandNumber() == number)
          continue;
        if (!isPure(use.getOwner()) || use.getOwner()->getNumRegions() ||
            use.getOwner()->hasTrait<OpTrait::IsTerminator>())
          return false;
        users.insert(use.getOwner());
      }
      return true;
    };
    if (!addUsers(loop.getRegionIterArg(number)))
      return false;
    for (size_t i = 0; i < users.size(); ++i)
      for (Value result : users[i]->getResults())
        if (!addUsers(result))
          return false;
    return true;
  }
};

} // namespace

std::unique_ptr<Pass> createRemoveConversionsPass() {
  return std::make_unique<RemoveConversionsPass>();
}

} // namespace gluonc
