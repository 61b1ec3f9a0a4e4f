//===- ReduceBehindLoops.cpp - Threads meet once for what a loop sums up -----------===//
//
// A loop that adds a reduction to what it carries lets threads meet in every iteration.
// They carry what each of them has reduced itself, and meet behind the loop:
//
//   for … iter_args(%a = %init):          for … iter_args(%p = neutral):
//     %r = tt.reduce %x                     %q = reduce %x within threads
//     yield %a + %r                  =>     yield %p + %q
//                                         %r = tt.reduce %p; %init + %r
//
// The same for maxima, and whatever else does not mind its order. The axis is split into
// the parts that a thread holds and those that threads share, which no element moves for.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gluonc {
namespace {

/// An axis as the bits of its indices, from the highest: runs of those that registers count, and of
/// others.
struct Part {
  int64_t size;
  bool isInThread;
};

SmallVector<Part> partsOf(RankedTensorType type, int64_t axis) {
  SmallVector<Part> parts;
  const layout::LinearLayout *linear = linearOrNull(type);
  if (!linear)
    return parts;
  auto isInThread = [&](int64_t size) {
    for (unsigned bit = 0; bit < linear->inLog2(layout::Dim::Register); ++bit) {
      bool isOfAxis = true;
      for (int64_t d = 0; d < type.getRank(); ++d)
        isOfAxis &= linear->basis(layout::Dim::Register, bit, layout::Dim::axis(d)) ==
                    uint32_t(d == axis ? size : 0);
      if (isOfAxis)
        return true;
    }
    return false;
  };
  for (int64_t size = type.getDimSize(axis) / 2; size > 0; size /= 2) {
    bool here = isInThread(size);
    if (parts.empty() || parts.back().isInThread != here)
      parts.push_back({1, here});
    parts.back().size *= 2;
  }
  return parts;
}

/// The operation that both the loop and the reduction compute with; null if there is none.
struct Accumulation {
  Operation *add = nullptr;
  tt::ReduceOp reduce;
  unsigned number = 0;
  TypedAttr neutral;
};

std::optional<Accumulation> findAccumulation(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  Operation *add = loop.getYieldedValues()[number].getDefiningOp();
  if (!add || add->getBlock() != loop.getBody() || !add->hasOneUse() || !argument.hasOneUse() ||
      add->getNumOperands() != 2 || *argument.user_begin() != add ||
      !add->hasTrait<OpTrait::IsCommutative>())
    return std::nullopt;
  Value other = add->getOperand(add->getOperand(0) == argument ? 1 : 0);
  auto reduce = other.getDefiningOp<tt::ReduceOp>();
  if (!reduce || reduce->getBlock() != loop.getBody() || !reduce->hasOneUse() ||
      reduce->getNumOperands() != 1)
    return std::nullopt;
  Block &combine = reduce->getRegion(0).front();
  Operation &first = combine.front();
  if (first.getName() != add->getName() || first.getNextNode() != combine.getTerminator() ||
      combine.getTerminator()->getOperand(0).getDefiningOp() != &first ||
      !llvm::all_of(combine.getArguments(),
                    [](BlockArgument argument) { return argument.hasOneUse(); }))
    return std::nullopt;
  std::optional<TypedAttr> neutral = arith::getNeutralElement(&first);
  if (!neutral)
    return std::nullopt;
  return Accumulation{add, reduce, number, *neutral};
}

class Mover {
public:
  Mover(scf::ForOp loop, Accumulation found) : loop(loop), found(found) {
    auto type = cast<RankedTensorType>(found.reduce->getOperand(0).getType());
    axis = found.reduce.getAxis();
    parts = partsOf(type, axis);
  }

  /// Whether threads have to meet at all, and more than twice.
  bool pays() {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    return (!trips || trips->ugt(2)) &&
           llvm::any_of(parts, [](const Part &part) { return !part.isInThread; });
  }

  bool run() {
    OpBuilder builder(found.reduce);
    Value partial = reduceInThreads(builder);
    if (!partial)
      return false;
    auto type = cast<RankedTensorType>(partial.getType());
    builder.setInsertionPoint(loop);
    Value start =
        tt::SplatOp::create(builder, loop.getLoc(), type,
                            arith::ConstantOp::create(builder, loop.getLoc(), found.neutral));
    if (!reshape(builder, start, joinedShape(type)))
      return false;
    carry(builder, partial, start);
    return true;
  }

private:
  /// `source` with its axis as one dimension for each part; null where no layout says that.
  Value reshape(OpBuilder &builder, Value source, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(source.getType());
    auto open = RankedTensorType::get(shape, type.getElementType());
    if (type.getShape() == shape)
      return source;
    auto op = tt::ReshapeOp::create(builder, found.reduce.getLoc(), open, source);
    std::optional<assign::OpLayouts> layouts =
        assign::settle(op, source, type.getEncoding(), /*anew=*/true);
    if (!layouts) {
      op.erase();
      return {};
    }
    op.getResult().setType(assign::withEncoding(open, layouts->results.front()));
    return op;
  }

  /// The reduction along another axis; of other types, so made from its parts.
  Value reduce(OpBuilder &builder, Value source, int64_t dim) {
    auto type = cast<RankedTensorType>(source.getType());
    OperationState state(found.reduce.getLoc(), tt::ReduceOp::getOperationName());
    state.addOperands(source);
    state.addAttribute(found.reduce.getAxisAttrName(), builder.getI32IntegerAttr(int32_t(dim)));
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    state.addTypes(shape.empty() ? type.getElementType()
                                 : Type(RankedTensorType::get(shape, type.getElementType())));
    IRMapping map;
    found.reduce->getRegion(0).cloneInto(state.addRegion(), map);
    Operation *op = builder.create(state);
    if (shape.empty())
      return op->getResult(0);
    std::optional<assign::OpLayouts> layouts =
        assign::settle(op, source, type.getEncoding(), /*anew=*/true);
    op->getResult(0).setType(assign::withEncoding(
        op->getResult(0).getType(), layouts ? layouts->results.front() : Attribute()));
    return op->getResult(0);
  }

  Value reduceInThreads(OpBuilder &builder) {
    Value source = found.reduce->getOperand(0);
    ArrayRef<int64_t> whole = cast<RankedTensorType>(source.getType()).getShape();
    SmallVector<int64_t> shape(whole.take_front(axis));
    for (const Part &part : parts)
      shape.push_back(part.size);
    llvm::append_range(shape, whole.drop_front(axis + 1));
    Value split = reshape(builder, source, shape);
    if (!split)
      return {};
    for (size_t i = parts.size(); i-- > 0;)
      if (parts[i].isInThread)
        split = reduce(builder, split, axis + int64_t(i));
    return split;
  }

  /// Lets the loop carry partial results, and adds them up behind it.
  void carry(OpBuilder &builder, Value partial, Value start) {
    Location loc = found.add->getLoc();
    Value init = loop.getInitArgs()[found.number];
    loop.getInitArgsMutable()[found.number].set(start);
    BlockArgument argument = loop.getRegionIterArg(found.number);
    argument.setType(start.getType());
    builder.setInsertionPoint(found.add);
    OperationState sum(loc, found.add->getName(), {argument, partial}, {start.getType()},
                       found.add->getAttrs());
    Value next = builder.create(sum)->getResult(0);
    loop.getBody()->getTerminator()->setOperand(found.number, next);
    found.add->erase();

    OpResult result = loop->getResult(found.number);
    Type old = result.getType();
    result.setType(start.getType());
    builder.setInsertionPointAfter(loop);
    Value total = reduceResult(builder, result);
    if (total.getType() != old)
      total = ttg::ConvertLayoutOp::create(builder, loc, old, total, /*force_warp_shuffle=*/false);
    OperationState last(loc, next.getDefiningOp()->getName(), {init, total}, {old},
                        next.getDefiningOp()->getAttrs());
    Operation *end = builder.create(last);
    result.replaceUsesWithIf(end->getResult(0), [&](OpOperand &use) {
      return !isBehind.contains(use.getOwner()) && use.getOwner() != end;
    });
    found.reduce->erase();
  }

  /// That of partial results with what threads share of the axis as one dimension.
  SmallVector<int64_t> joinedShape(RankedTensorType type) {
    size_t shared = llvm::count_if(parts, [](const Part &part) { return !part.isInThread; });
    SmallVector<int64_t> shape(type.getShape().take_front(axis));
    shape.push_back(1);
    for (int64_t size : type.getShape().slice(axis, shared))
      shape.back() *= size;
    llvm::append_range(shape, type.getShape().drop_front(axis + shared));
    return shape;
  }

  Value reduceResult(OpBuilder &builder, Value result) {
    Value joined = reshape(builder, result, joinedShape(cast<RankedTensorType>(result.getType())));
    isBehind.insert(joined.getDefiningOp());
    Value total = reduce(builder, joined, axis);
    isBehind.insert(total.getDefiningOp());
    return total;
  }

  scf::ForOp loop;
  Accumulation found;
  int64_t axis;
  SmallVector<Part> parts;
  llvm::DenseSet<Operation *> isBehind;
};

struct ReduceBehindLoopsPass : PassWrapper<ReduceBehindLoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceBehindLoopsPass)
  llvm::StringRef getArgument() const override { return "gluonc-reduce-behind-loops"; }
  llvm::StringRef getDescription() const override {
    return "Let threads meet behind a loop, not in it, for what it sums up";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
        if (std::optional<Accumulation> found = findAccumulation(loop, number))
          if (Mover mover(loop, *found); mover.pays())
            mover.run();
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      assign::eraseUnused(function);
  }
};

} // namespace

std::unique_ptr<Pass> createReduceBehindLoopsPass() {
  return std::make_unique<ReduceBehindLoopsPass>();
}

} // namespace gluonc
