//===- Coalescing.cpp ---------------------------------------------------------===//
#include "ir/tt/Coalescing.h"

#include "ir/Encoding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;

namespace gluonc {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

Value pointersOf(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return {};
  llvm::SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  for (const MemoryEffects::EffectInstance &effect : all)
    if (Value value = effect.getValue())
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType());
          tensor && isa<tt::PointerType>(tensor.getElementType()))
        return value;
  return {};
}

ThreadCounts ThreadCounts::at(Operation *op) {
  // Layouts of other numbers than a module's absurd ones are refused by the rules of tensors.
  auto positive = [](int count) { return std::max<int64_t>(count, 1); };
  return {positive(ttg::threadsPerWarpOf(op)), positive(ttg::numWarpsOf(op)),
          positive(ttg::numCtasOf(op))};
}

layout::Ints rowMajorOrder(unsigned rank) {
  layout::Ints order;
  for (unsigned dim = rank; dim-- > 0;)
    order.push_back(dim);
  return order;
}

/// CTAs share the slowest dim, then the one before it; those that are left over hold the same.
static layout::BasisList shareAmongCtas(layout::Ints &shape, ArrayRef<int64_t> order,
                                        int64_t ctas) {
  layout::BasisList bases;
  for (int64_t dim : llvm::reverse(order))
    for (int64_t step = 1; ctas > 1 && shape[dim] > 1; step *= 2, shape[dim] /= 2, ctas /= 2) {
      layout::Ints basis(shape.size(), 0);
      basis[dim] = step;
      bases.push_back(basis);
    }
  for (; ctas > 1; ctas /= 2)
    bases.push_back(layout::Ints(shape.size(), 0));
  return bases;
}

layout::BlockedLayout spreadBlocked(ArrayRef<int64_t> wholeShape, ArrayRef<int64_t> order,
                                    int64_t perThread, ThreadCounts threads) {
  layout::Ints shape(wholeShape), ones(wholeShape.size(), 1);
  layout::BlockedLayout result{ones, ones, ones, layout::Ints(order.begin(), order.end()), {}};
  if (order.empty())
    return result;
  result.cga = shareAmongCtas(shape, order, threads.ctas);
  result.sizePerThread[order[0]] = perThread;
  for (int64_t d : order.drop_back()) {
    int64_t room = std::max<int64_t>(shape[d] / result.sizePerThread[d], 1);
    result.threadsPerWarp[d] = std::min(room, threads.lanes);
    result.warpsPerCta[d] = std::min(room / result.threadsPerWarp[d], threads.warps);
    threads.lanes /= result.threadsPerWarp[d];
    threads.warps /= result.warpsPerCta[d];
  }
  result.threadsPerWarp[order.back()] = threads.lanes;
  result.warpsPerCta[order.back()] = threads.warps;
  return result;
}

Coalescing::Coalescing(tt::FuncOp function, Limit limit) : facts(function), limit(limit) {
  findGroups(function);
}

/// Whether neighbours along the axis differ by a term that nothing multiplies, as far as the
/// expression shows: columns of an image of any width do, `row * stride` does not.
static bool hasUnitTerm(Value value, unsigned axis) {
  llvm::SetVector<std::pair<Value, unsigned>> pending;
  pending.insert({value, axis});
  for (size_t i = 0; i < pending.size(); ++i) {
    auto [term, dim] = pending[i];
    auto type = dyn_cast<RankedTensorType>(term.getType());
    if (!type || type.getDimSize(dim) == 1)
      continue;
    Operation *op = term.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(term);
      auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      if (OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr)
        pending.insert({init->get(), dim});
    } else if (isa<tt::MakeRangeOp>(op)) {
      return true;
    } else if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
      pending.insert({expand.getSrc(), dim - (dim > expand.getAxis())});
    } else if (isa<tt::AddPtrOp, arith::AddIOp>(op)) {
      pending.insert({op->getOperand(0), dim});
      pending.insert({op->getOperand(1), dim});
    } else if (isa<tt::BroadcastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::RemSIOp,
                   arith::RemUIOp>(op)) {
      pending.insert({op->getOperand(0), dim});
    }
  }
  return false;
}

layout::Ints Coalescing::orderOf(Value pointers) {
  AxisInfo info = facts.of(pointers);
  layout::Ints order(info.rank(), 0);
  std::iota(order.begin(), order.end(), 0);
  // Rows are contiguous where nothing is known.
  auto rank = [&](int64_t axis) {
    return std::tuple(info.contiguity[axis], hasUnitTerm(pointers, axis), axis);
  };
  llvm::sort(order, [&](int64_t a, int64_t b) { return rank(a) > rank(b); });
  return order;
}

/// Elements that one access can move.
int64_t Coalescing::runOf(Operation *access, ArrayRef<int64_t> order) {
  Value pointers = pointersOf(access);
  auto type = cast<RankedTensorType>(pointers.getType());
  Type element = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  int64_t widest = std::max<int64_t>(16 / elementBytes(element), 1);
  if (limit)
    widest = std::min(widest, std::max<int64_t>(limit(access), 1));
  layout::Ints share(type.getShape());
  shareAmongCtas(share, order, ttg::numCtasOf(access));
  int64_t run = facts.pointerRun(pointers, order[0]);
  return std::max<int64_t>(std::min({run, widest, share[order[0]]}), 1);
}

void Coalescing::findGroups(tt::FuncOp function) {
  llvm::EquivalenceClasses<Operation *> related;
  llvm::SmallVector<Operation *> accesses;
  function.getBody().walk([&](Operation *op) {
    related.insert(op);
    if (Value pointers = pointersOf(op); pointers && !shapeOf(pointers).empty())
      accesses.push_back(op);
    if (Operation *parent = op->getParentOp(); parent != function)
      related.unionSets(op, parent);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        related.unionSets(op, producer);
  });
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (Operation *access : accesses) {
    unsigned number =
        numbers.try_emplace(related.getLeaderValue(access), numbers.size()).first->second;
    Value pointers = pointersOf(access);
    Group group{number, layout::Ints(shapeOf(pointers)), orderOf(pointers)};
    int64_t &longest = runs[group];
    longest = std::max(longest, runOf(access, std::get<2>(group)));
    groupOf[access] = std::move(group);
  }
}

layout::BlockedLayout Coalescing::layoutFor(Operation *access) {
  auto entry = groupOf.find(access);
  if (entry == groupOf.end())
    return {};
  const auto &[number, shape, order] = entry->second;
  ThreadCounts threads = ThreadCounts::at(access);
  // What is loaded here is stored elsewhere: all such accesses shall agree.
  int64_t perThread = std::min(
      runs[entry->second],
      std::max<int64_t>(product(shape) / (threads.warps * threads.lanes * threads.ctas), 1));
  // Gaps between a warp's stores cost more than between its loads, which are cached.
  if (!isa<tt::LoadOp>(access))
    perThread = std::min(perThread, runOf(access, order));
  return spreadBlocked(shape, order, perThread, threads);
}

} // namespace gluonc
