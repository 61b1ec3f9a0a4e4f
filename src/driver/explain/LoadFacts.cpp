//===- LoadFacts.cpp - Loads that do not run ahead ----------------------------------===//
//
// A loop that loads operands of a product into registers, and multiplies them in the same
// iteration, waits for memory each time round: nothing that it copies is in flight.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"
#include "driver/explain/Waits.h"
#include "ir/SourceLocation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gluonc::driver {

using explain::WaitFact;

static bool isProduct(Operation *op) {
  return isa<tt::DotOp, ttng::WarpGroupDotOp, ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(op);
}

/// What `values` are computed from in an iteration of the loop; `crosses`: in those before, too.
static llvm::SetVector<Operation *> sourcesOf(ValueRange values, scf::ForOp loop, bool crosses) {
  llvm::SetVector<Operation *> found;
  llvm::SetVector<Value> seen;
  seen.insert(values.begin(), values.end());
  for (size_t i = 0; i != seen.size(); ++i) {
    Value value = seen[i];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      const unsigned number = argument.getArgNumber();
      if (crosses && argument.getOwner() == loop.getBody() && number >= loop.getNumInductionVars())
        seen.insert(loop.getYieldedValues()[number - loop.getNumInductionVars()]);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!loop->isProperAncestor(op) || !found.insert(op))
      continue;
    op->walk([&](Operation *inner) { seen.insert(inner->operand_begin(), inner->operand_end()); });
  }
  return found;
}

/// The first load of the loop's body whose value the product takes, and whose address is known
/// before.
static tt::LoadOp firstLoadFor(Operation *product, scf::ForOp loop) {
  tt::LoadOp first;
  for (Operation *op : sourcesOf(product->getOperands().take_front(2), loop, false)) {
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!load || load->getBlock() != loop.getBody() || !isa<RankedTensorType>(load.getType()) ||
        (first && first->isBeforeInBlock(load)))
      continue;
    const auto address = sourcesOf(load->getOperands(), loop, true);
    if (llvm::none_of(address, reads))
      first = load;
  }
  return first;
}

std::vector<WaitFact> loadFacts(tt::FuncOp kernel, const diag::SourceManager &sources) {
  std::vector<WaitFact> facts;
  kernel.walk([&](scf::ForOp loop) {
    const bool copies = llvm::any_of(
        *loop.getBody(), [](Operation &op) { return startedBy(&op) && !isProduct(&op); });
    if (copies)
      return;
    for (Operation &op : *loop.getBody()) {
      tt::LoadOp load = isProduct(&op) ? firstLoadFor(&op, loop) : tt::LoadOp();
      if (!load)
        continue;
      WaitFact fact;
      place(fact, load, sources);
      fact.awaited = WaitFact::Awaited::Loads;
      fact.isInLoop = true;
      facts.push_back(std::move(fact));
      return;
    }
  });
  return facts;
}

} // namespace gluonc::driver
