//===- Coalesce.cpp - Layouts of accesses to global memory ---------------------===//
//
// See ir/tt/Coalescing.h for the layouts. A load of fewer elements than there are threads
// costs little in any layout, so that the uses of what it loads may decide; unless a loop
// can copy it ahead to shared memory, from where each use reads it as it likes.
//
// What is stored may be loaded again. Accesses by one tensor of pointers have one
// layout, so that each thread loads what it stored itself; others need a barrier of
// the program's.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/CtaShares.h"
#include "assign/Fetch.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "ir/tt/DescriptorAccess.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Of neighbours along the depth of a product that a thread loads, at most: an access to LDS.
constexpr int64_t depthBytes = 16;

/// Elements that one atomic instruction updates.
int64_t limitOf(Operation *access) {
  if (isa<tt::AtomicCASOp>(access))
    return 1;
  auto update = dyn_cast<tt::AtomicRMWOp>(access);
  if (!update)
    return std::numeric_limits<int64_t>::max();
  Type element = getElementTypeOrSelf(update.getVal().getType());
  return element.isF16() ? 2 : 1;
}

bool hasForAllThreads(Type type, Operation *place) {
  ThreadCounts threads = ThreadCounts::at(place);
  return cast<RankedTensorType>(type).getNumElements() >=
         threads.lanes * threads.warps * threads.ctas;
}

bool isLarge(Operation *access) {
  return !isa<tt::LoadOp>(access) || hasForAllThreads(pointersOf(access).getType(), access);
}

/// `layout` with the elements shared among CTAs in another way.
layout::Layout sharedAs(const layout::BlockedLayout &layout, ArrayRef<int64_t> shape,
                        const layout::BasisList &bases, Operation *place) {
  ThreadCounts threads = ThreadCounts::at(place);
  threads.ctas = 1;
  layout::Ints share = assign::shareOf(shape, bases);
  int64_t fastest = layout.order[0];
  layout::BlockedLayout result = spreadBlocked(
      share, layout.order, std::min(layout.sizePerThread[fastest], share[fastest]), threads);
  result.cga = bases;
  return layout::Layout(result);
}

/// Which operand of products it is that a load's elements become, perhaps computed on; nullopt
/// where they are used otherwise.
std::optional<unsigned> operandOf(tt::LoadOp load) {
  std::optional<unsigned> operand;
  llvm::SetVector<Value> pending;
  pending.insert(load.getResult());
  for (size_t i = 0; i < pending.size(); ++i)
    for (OpOperand &use : pending[i].getUses()) {
      Operation *user = use.getOwner();
      if (user->hasTrait<OpTrait::Elementwise>()) {
        pending.insert_range(user->getResults());
        continue;
      }
      unsigned number = use.getOperandNumber();
      if (!isa<tt::DotOp>(user) || number > 1 || (operand && *operand != number))
        return std::nullopt;
      operand = number;
    }
  return operand;
}

/// A thread loads rows that are neighbours along the depth of a product, where a matrix core wants
/// such and the chip reads no columns of shared memory: so it can put them together itself, once.
void takeNeighboursAlongDepth(layout::BlockedLayout &layout, tt::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  std::optional<unsigned> operand = operandOf(load);
  if (!operand || type.getRank() != 2 || elementBytes(type.getElementType()) > 2)
    return;
  unsigned depth = *operand == 0 ? 1 : 0;
  if (layout.order.front() == depth)
    return;
  ThreadCounts threads = ThreadCounts::at(load);
  int64_t ofThread = type.getNumElements() / (threads.lanes * threads.warps * threads.ctas);
  layout.sizePerThread[depth] =
      std::clamp<int64_t>(ofThread / layout.sizePerThread[layout.order.front()], 1,
                          depthBytes / int64_t(elementBytes(type.getElementType())));
}

/// What copies bring to shared memory threads read from there 16 bytes at a time.
void stateDescriptorLoads(tt::FuncOp function, const assign::CtaShares &shares) {
  function.getBody().walk([&](tt::DescriptorLoadOp load) {
    RankedTensorType type = load.getType();
    if (!isOpen(type) || !hasForAllThreads(type, load))
      return;
    int64_t run = std::min<int64_t>(type.getShape().back(),
                                    16 / int64_t(elementBytes(type.getElementType())));
    assign::OpLayouts layouts;
    layouts.operands.resize(load->getNumOperands());
    Attribute encoding = assign::defaultEncoding(type, load, std::max<int64_t>(run, 1));
    const layout::BasisList *bases = shares.of(load);
    if (const auto *blocked = bases ? toLayout(encoding).as<layout::BlockedLayout>() : nullptr)
      encoding = fromLayout(load.getContext(), sharedAs(*blocked, type.getShape(), *bases, load));
    layouts.results.push_back(encoding);
    assign::state(load, layouts);
  });
}

class CoalescePass : public PassWrapper<CoalescePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoalescePass)

  explicit CoalescePass(CoalesceOptions chip) : chip(chip) {}
  llvm::StringRef getArgument() const override { return "gluonc-coalesce"; }
  llvm::StringRef getDescription() const override {
    return "State layouts of accesses to global memory";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal()) {
        assign::CtaShares shares(function);
        coalesce(function, shares);
        stateDescriptorLoads(function, shares);
      }
  }

private:
  void coalesce(tt::FuncOp function, const assign::CtaShares &shares) {
    llvm::SmallVector<Operation *> accesses;
    llvm::DenseMap<Value, Operation *> stores;
    function.getBody().walk([&](Operation *op) {
      Value pointers = pointersOf(op);
      if (!pointers || !isOpen(pointers.getType()))
        return;
      accesses.push_back(op);
      if (isa<tt::StoreOp>(op))
        stores.try_emplace(pointers, op);
    });
    llvm::erase_if(accesses, [&](Operation *access) {
      return !isLarge(access) && !(chip.copiesAhead && assign::canRunAhead(access)) &&
             !stores.contains(pointersOf(access));
    });
    if (accesses.empty())
      return;
    Coalescing coalescing(function, limitOf);
    // Where pointers are stored to, loads of the same ones see it: it is the same thread's.
    auto layoutFor = [&](Operation *access) {
      Operation *store =
          isa<tt::LoadOp, tt::StoreOp>(access) ? stores.lookup(pointersOf(access)) : nullptr;
      Operation *decides = store ? store : access;
      layout::BlockedLayout layout = coalescing.layoutFor(decides);
      const layout::BasisList *bases = shares.of(decides);
      auto load = dyn_cast<tt::LoadOp>(decides);
      if (load && !bases && chip.transposesInRegisters)
        takeNeighboursAlongDepth(layout, load);
      return fromLayout(access->getContext(),
                        bases
                            ? sharedAs(layout, assign::shapeOf(pointersOf(access)), *bases, access)
                            : layout::Layout(layout));
    };
    llvm::SmallVector<Attribute> encodings = llvm::map_to_vector(accesses, layoutFor);
    for (auto [access, encoding] : llvm::zip_equal(accesses, encodings))
      if (std::optional<assign::OpLayouts> layouts =
              encoding ? assign::settle(access, pointersOf(access), encoding) : std::nullopt)
        assign::state(access, *layouts);
  }

  CoalesceOptions chip;
};

} // namespace

std::unique_ptr<Pass> createCoalescePass(CoalesceOptions chip) {
  return std::make_unique<CoalescePass>(chip);
}

} // namespace gluonc
