//===- SharedUse.cpp ----------------------------------------------------------===//
#include "transform/analysis/SharedUse.h"

#include "ir/Encoding.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace gluonc {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

llvm::SmallVector<MemoryAccess, 4> accessesOf(Operation *op) {
  llvm::SmallVector<MemoryAccess, 4> accesses;
  if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op))
    onChip.getAccesses(accesses);
  return accesses;
}

bool isAllocation(Operation *op) { return isa<ttg::LocalAllocOp, ttng::TMEMAllocOp>(op); }

MemorySpace memorySpaceOf(Operation *allocation) {
  return isa<ttng::TMEMAllocOp>(allocation) ? MemorySpace::Tensor : MemorySpace::Shared;
}

int64_t bufferBytesOf(ttg::LocalAllocOp op) {
  ttg::MemDescType type = op.getType();
  ArrayRef<int64_t> shape = type.getAllocShape();
  int64_t bytes = elementBytes(type.getElementType());
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout)
    return ShapedType::getNumElements(shape) * bytes;
  size_t rank = std::min<size_t>(*layout->rank(), shape.size());
  return ShapedType::getNumElements(shape.drop_back(rank)) *
         layout::sharedElements(*layout, shape.take_back(rank)) * bytes;
}

int64_t bufferAlignmentOf(ttg::LocalAllocOp op) {
  if (std::optional<uint32_t> wanted = op.getAlignment())
    return std::max<int64_t>(*wanted, 1);
  if (std::optional<layout::Layout> layout = layoutOf(op.getType().getEncoding()))
    return layout::sharedAlignment(*layout);
  // The widest swizzle repeats after 1024 bytes and starts at a multiple of them.
  return 1024;
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

BufferAliases::BufferAliases(tt::FuncOp function) {
  function.walk([&](Operation *op) {
    if (isAllocation(op))
      allocs.push_back(op);
  });
  for (auto [index, op] : llvm::enumerate(allocs)) {
    llvm::BitVector self(allocs.size());
    self.set(index);
    aliases.try_emplace(op->getResult(0), std::move(self));
    known.push_back(op->getResult(0));
  }
  if (allocs.empty())
    return;
  // Bits are only added, so this ends; loops that carry buffers need a second round.
  for (bool changed = true; changed;) {
    changed = false;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= flowThrough(op); });
  }
}

const llvm::BitVector *BufferAliases::of(Value buffer) const {
  auto entry = aliases.find(buffer);
  return entry == aliases.end() ? nullptr : &entry->second;
}

bool BufferAliases::flow(Value from, Value to) {
  if (!isa<ttg::MemDescType>(from.getType()))
    return false;
  auto source = aliases.find(from);
  if (source == aliases.end())
    return false;
  llvm::BitVector bits = source->second;
  auto [target, fresh] = aliases.try_emplace(to, bits);
  if (fresh) {
    known.push_back(to);
    return true;
  }
  if (!bits.test(target->second))
    return false;
  target->second |= bits;
  return true;
}

bool BufferAliases::flowThrough(Operation *op) {
  bool changed = false;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
    changed |= op->getNumResults() == 1 && flow(view.getViewSource(), op->getResult(0));
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    changed |= flow(select.getTrueValue(), select.getResult());
    changed |= flow(select.getFalseValue(), select.getResult());
  } else if (mayDoAnything(op)) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        changed |= isa<ttg::MemDescType>(result.getType()) && flow(operand, result);
  } else {
    forEachForwarded(op, [&](ValueRange from, ValueRange to) {
      for (auto [source, target] : llvm::zip(from, to))
        changed |= flow(source, target);
    });
  }
  return changed;
}

} // namespace gluonc
