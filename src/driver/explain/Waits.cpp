#include "driver/explain/Waits.h"

using namespace mlir;

namespace gluonc::driver {

std::optional<Completion> startedBy(Operation *op) {
  for (const MemoryAccess &access : accessesOf(op))
    if (access.completion != Completion::ProgramOrder)
      return access.completion;
  return std::nullopt;
}

Value barrierOf(Operation *op) {
  for (const MemoryAccess &access : accessesOf(op))
    if (access.kind == MemoryAccess::UseBarrier)
      return access.buffer;
  return {};
}

std::optional<Completion> awaitedBy(Operation *op) {
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  return onChip ? onChip.getAwaited() : std::nullopt;
}

bool isWork(Operation *op) {
  if (op->getNumRegions() || isa<CallOpInterface>(op))
    return true;
  if (startedBy(op) || awaitedBy(op) || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  for (const MemoryAccess &access : accessesOf(op))
    if (!access.isOfBarrier())
      return true;
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::ReduceOp, tt::DotOp,
          tt::ScanOp, ttg::ConvertLayoutOp>(op))
    return true;
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  });
}

bool reads(Operation *op) {
  if (isa<tt::LoadOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return true;
  return !op->getResults().empty() && llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.kind == MemoryAccess::Read && access.completion == Completion::ProgramOrder;
  });
}

} // namespace gluonc::driver
