#include "assign/Writes.h"

#include "ir/tt/DescriptorAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc::assign {

Value baseOf(Value pointers) {
  for (unsigned steps = 0; steps < 1000; ++steps) {
    if (auto argument = dyn_cast<BlockArgument>(pointers)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(owner)) {
        pointers = partitions.getExplicitCaptures()[argument.getArgNumber()];
        continue;
      }
      auto around = dyn_cast<scf::ForOp>(owner);
      if (!around)
        return isa<tt::FuncOp>(owner) ? pointers : Value();
      if (argument.getArgNumber() == 0)
        return {};
      pointers = around.getInitArgs()[argument.getArgNumber() - 1];
      continue;
    }
    Operation *op = pointers.getDefiningOp();
    if (!isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, ttg::ConvertLayoutOp,
             tt::BitcastOp, tt::MakeTensorDescOp>(op))
      return {};
    pointers = op->getOperand(0);
  }
  return {};
}

std::optional<Writes> writesIn(Operation *root) {
  Writes written;
  WalkResult result = root->walk([&](Operation *op) {
    // What units and assembly write is not followed.
    auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
    std::optional<BoxCopy> box = onChip ? onChip.getBoxCopy() : std::nullopt;
    if ((box && box->writesTensor) ||
        (isa<tt::ElementwiseInlineAsmOp, ttg::InlineAsmOp>(op) && !isMemoryEffectFree(op)) ||
        isa<ttg::BarrierOp, tt::CallOp, ttg::AsyncWaitOp, ttg::AsyncCommitGroupOp,
            ttng::WarpGroupDotWaitOp, tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicStoreOp,
            tt::AtomicPollOp>(op))
      return WalkResult::interrupt();
    if (isa<tt::StoreOp, tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op))
      written.targets.push_back(op->getOperand(0));
    else if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
      written.targets.push_back(update.getPtr());
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(written);
}

bool Writes::mayChange(Value pointers) const {
  if (targets.empty())
    return false;
  Value base = baseOf(pointers);
  return !base || llvm::any_of(targets, [&](Value target) {
    Value other = baseOf(target);
    return !other || other == base;
  });
}

} // namespace gluonc::assign
