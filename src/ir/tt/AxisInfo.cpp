//===- AxisInfo.cpp -----------------------------------------------------------===//
//
// One forward walk with a transfer function per operation. All facts are powers
// of two, so the greatest common divisor of two facts is the smaller one.
//
//===----------------------------------------------------------------------===//
#include "ir/tt/AxisInfo.h"

#include "ir/Encoding.h"
#include "ir/Hint.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Divisibility of zero; far from overflow when multiplied by an element size.
constexpr int64_t anything = int64_t{1} << 32;

/// The largest power of two that divides `value`.
int64_t powerIn(int64_t value) { return value ? std::min(value & -value, anything) : anything; }
int64_t productOf(int64_t a, int64_t b) {
  return llvm::Log2_64(a) + llvm::Log2_64(b) >= 32 ? anything : a * b;
}

/// Constants wrap around as the program's do.
int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

llvm::SmallVector<int64_t, 2> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return llvm::to_vector<2>(tensor.getShape());
  return {1};
}

/// Integers and pointers, scalar or tensor.
bool isTracked(Type type) {
  return isa<IntegerType, IndexType, tt::PointerType>(getElementTypeOrSelf(type));
}

/// Bytes that a pointer moves when its offset grows by one; 1 for integers.
int64_t strideOf(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  if (!pointer || !isa<FloatType, IntegerType, tt::PointerType>(pointer.getPointeeType()))
    return 1;
  return llvm::PowerOf2Ceil(elementBytes(pointer.getPointeeType()));
}

AxisInfo ofConstant(int64_t value, ArrayRef<int64_t> shape) {
  AxisInfo info = AxisInfo::unknown(shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    info.divisibility[d] = powerIn(value);
    info.constancy[d] = shape[d];
  }
  info.constant = value;
  return info;
}

/// What holds for whichever of the two is taken.
AxisInfo join(const AxisInfo &a, const AxisInfo &b) {
  if (a.rank() != b.rank())
    return AxisInfo::unknown(a.rank());
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.contiguity[d] = std::min(a.contiguity[d], b.contiguity[d]);
    info.divisibility[d] = std::min(a.divisibility[d], b.divisibility[d]);
    // The shorter runs start inside the longer ones.
    if (a.contiguity[d] != b.contiguity[d])
      info.divisibility[d] = std::min(info.divisibility[d], info.contiguity[d]);
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  }
  if (a.constant == b.constant)
    info.constant = a.constant;
  return info;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Sum, difference, and pointer plus offset (`stride` bytes per element).
AxisInfo addLike(const AxisInfo &l, const AxisInfo &r, int64_t stride, bool subtract) {
  AxisInfo info = AxisInfo::unknown(l.rank());
  for (unsigned d = 0; d < l.rank(); ++d) {
    int64_t contiguity = std::min(l.contiguity[d], r.constancy[d]);
    if (!subtract)
      contiguity = std::max(contiguity, std::min(l.constancy[d], r.contiguity[d]));
    int64_t right = productOf(r.divisibility[d], stride);
    int64_t divisibility = std::min(l.divisibility[d], right);
    bool runsLeft = l.contiguity[d] > 1, runsRight = r.contiguity[d] > 1;
    // Both count up: steps of two (or none), and nothing else is known.
    if (runsLeft && runsRight)
      divisibility = std::min(divisibility, 2 * stride);
    else if (runsLeft || runsRight)
      divisibility = std::min(divisibility, productOf(contiguity, stride));
    info.contiguity[d] = contiguity;
    info.divisibility[d] = divisibility;
    info.constancy[d] = std::min(l.constancy[d], r.constancy[d]);
  }
  if (l.constant && r.constant && stride == 1)
    info.constant = wrap(subtract ? uint64_t(*l.constant) - uint64_t(*r.constant)
                                  : uint64_t(*l.constant) + uint64_t(*r.constant));
  return info;
}

AxisInfo multiply(const AxisInfo &l, const AxisInfo &r) {
  AxisInfo info = AxisInfo::unknown(l.rank());
  bool leftIsOne = l.constant == 1, rightIsOne = r.constant == 1;
  for (unsigned d = 0; d < l.rank(); ++d) {
    // Inside a run the elements between its starts count, too.
    int64_t left = l.contiguity[d] > 1 && !rightIsOne ? 1 : l.divisibility[d];
    int64_t right = r.contiguity[d] > 1 && !leftIsOne ? 1 : r.divisibility[d];
    info.contiguity[d] = rightIsOne ? l.contiguity[d] : leftIsOne ? r.contiguity[d] : 1;
    info.divisibility[d] = productOf(left, right);
    info.constancy[d] = std::min(l.constancy[d], r.constancy[d]);
  }
  if (l.constant && r.constant)
    info.constant = wrap(uint64_t(*l.constant) * uint64_t(*r.constant));
  return info;
}

AxisInfo divide(const AxisInfo &l, const AxisInfo &r, ArrayRef<int64_t> shape) {
  AxisInfo info = AxisInfo::unknown(l.rank());
  if (r.constant == 1)
    return l;
  for (unsigned d = 0; d < l.rank(); ++d) {
    bool power = r.constant && *r.constant > 0 && llvm::isPowerOf2_64(*r.constant);
    if (power && l.contiguity[d] == 1)
      info.divisibility[d] = std::max<int64_t>(1, l.divisibility[d] / *r.constant);
    info.constancy[d] = std::min(l.constancy[d], r.constancy[d]);
    // Aligned runs shorter than the divisor fall into one quotient.
    if (l.contiguity[d] == shape[d] && r.constancy[d] == shape[d])
      info.constancy[d] = std::max(
          info.constancy[d], std::min({l.contiguity[d], l.divisibility[d], r.divisibility[d]}));
  }
  if (l.constant && r.constant && *r.constant > 0)
    info.constant = *l.constant / *r.constant;
  return info;
}

AxisInfo remainder(const AxisInfo &l, const AxisInfo &r, ArrayRef<int64_t> shape) {
  AxisInfo info = AxisInfo::unknown(l.rank());
  for (unsigned d = 0; d < l.rank(); ++d) {
    bool uniform = r.constancy[d] == shape[d];
    if (uniform && l.contiguity[d] == shape[d])
      info.contiguity[d] = std::min({l.contiguity[d], l.divisibility[d], r.divisibility[d]});
    if (uniform)
      info.divisibility[d] = std::min(l.divisibility[d], r.divisibility[d]);
    if (info.contiguity[d] < l.contiguity[d])
      info.divisibility[d] = std::min(info.divisibility[d], info.contiguity[d]);
    info.constancy[d] = r.constant == 1 ? shape[d] : std::min(l.constancy[d], r.constancy[d]);
  }
  if (l.constant && r.constant && *r.constant > 0)
    info.constant = *l.constant % *r.constant;
  return info;
}

/// Comparisons and bitwise operations: equal operands give equal results, and that is all.
AxisInfo keepConstancy(const AxisInfo &l, const AxisInfo &r) {
  AxisInfo info = AxisInfo::unknown(l.rank());
  for (unsigned d = 0; d < l.rank(); ++d)
    info.constancy[d] = std::min(l.constancy[d], r.constancy[d]);
  return info;
}

/// i < n flips only at n: between multiples of what divides n and the starts of runs it cannot.
AxisInfo compare(arith::CmpIPredicate predicate, const AxisInfo &l, const AxisInfo &r,
                 ArrayRef<int64_t> shape) {
  using P = arith::CmpIPredicate;
  bool flipsAtRight =
      predicate == P::slt || predicate == P::ult || predicate == P::sge || predicate == P::uge;
  bool flipsAtLeft =
      predicate == P::sgt || predicate == P::ugt || predicate == P::sle || predicate == P::ule;
  AxisInfo info = keepConstancy(l, r);
  for (unsigned d = 0; d < l.rank(); ++d) {
    int64_t common = std::min(l.divisibility[d], r.divisibility[d]);
    int64_t run = 1;
    if (flipsAtRight && r.constancy[d] == shape[d])
      run = std::min(l.contiguity[d], common);
    if (flipsAtLeft && l.constancy[d] == shape[d])
      run = std::min(r.contiguity[d], common);
    info.constancy[d] = std::max(info.constancy[d], run);
  }
  return info;
}

AxisInfo select(const AxisInfo &condition, const AxisInfo &l, const AxisInfo &r) {
  AxisInfo info = join(l, r);
  if (condition.rank() != info.rank())
    return info;
  for (unsigned d = 0; d < info.rank(); ++d) {
    int64_t run = std::min(info.contiguity[d], condition.constancy[d]);
    if (run < info.contiguity[d])
      info.divisibility[d] = std::min(info.divisibility[d], run);
    info.contiguity[d] = run;
    info.constancy[d] = std::min(info.constancy[d], condition.constancy[d]);
  }
  return info;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

AxisInfo splat(const AxisInfo &scalar, ArrayRef<int64_t> shape) {
  AxisInfo info = AxisInfo::unknown(shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    info.divisibility[d] = scalar.divisibility[0];
    info.constancy[d] = shape[d];
  }
  info.constant = scalar.constant;
  return info;
}

AxisInfo expandDims(AxisInfo info, unsigned axis) {
  bool runs = llvm::any_of(info.contiguity, [](int64_t run) { return run > 1; });
  int64_t divisibility = runs ? 1 : *llvm::min_element(info.divisibility);
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, divisibility);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  return info;
}

AxisInfo broadcast(AxisInfo info, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  for (unsigned d = 0; d < to.size(); ++d)
    if (from[d] != to[d])
      info.constancy[d] = to[d];
  return info;
}

AxisInfo permute(const AxisInfo &source, ArrayRef<int32_t> order) {
  AxisInfo info = source;
  for (unsigned d = 0; d < order.size(); ++d) {
    info.contiguity[d] = source.contiguity[order[d]];
    info.divisibility[d] = source.divisibility[order[d]];
    info.constancy[d] = source.constancy[order[d]];
  }
  return info;
}

/// Row-major, so runs along the last dim stay runs along the last dim, at most as long as it. Of
/// the other dims nothing is claimed.
AxisInfo reshape(const AxisInfo &source, ArrayRef<int64_t> shape, int64_t stride) {
  AxisInfo info = AxisInfo::unknown(shape.size());
  if (shape.empty() || source.rank() == 0)
    return info;
  info.contiguity.back() = std::min(source.contiguity.back(), shape.back());
  info.divisibility.back() = source.divisibility.back();
  if (info.contiguity.back() < source.contiguity.back())
    info.divisibility.back() =
        std::min(info.divisibility.back(), productOf(info.contiguity.back(), stride));
  info.constancy.back() = std::min(source.constancy.back(), shape.back());
  info.constant = source.constant;
  return info;
}

/// The same bits as another kind of value: where a run counts, it may now count differently.
AxisInfo reinterpret(AxisInfo info, int64_t stride) {
  for (unsigned d = 0; d < info.rank(); ++d) {
    if (info.contiguity[d] > 1)
      info.divisibility[d] = std::min(info.divisibility[d], stride);
    info.contiguity[d] = 1;
  }
  return info;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

using Facts = llvm::DenseMap<Value, AxisInfo>;

class Walk {
public:
  explicit Walk(Facts &facts) : facts(facts) {}

  void run(tt::FuncOp function) {
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments())
      set(argument, ofArgument(function, argument));
    // Blocks are few and mostly in order; a back edge takes another round.
    for (unsigned round = 0; round < maxRounds; ++round) {
      changed = false;
      giveUp = round + 1 == maxRounds;
      for (Block &block : function.getBody())
        runBlock(block);
      if (!changed || function.getBody().hasOneBlock())
        return;
    }
  }

private:
  static constexpr unsigned maxRounds = 5;

  AxisInfo get(Value value) const {
    auto entry = facts.find(value);
    return entry != facts.end() ? entry->second
                                : AxisInfo::unknown(shapeOf(value.getType()).size());
  }
  void set(Value value, AxisInfo info) {
    if (isTracked(value.getType()))
      facts[value] = std::move(info);
  }
  /// Joins into a value that control flow reaches more than once; the first one sets it.
  bool merge(Value value, const AxisInfo &info) {
    if (!isTracked(value.getType()))
      return false;
    auto [entry, fresh] = facts.try_emplace(value, info);
    if (fresh)
      return true;
    AxisInfo joined = giveUp ? AxisInfo::unknown(info.rank()) : join(entry->second, info);
    if (joined == entry->second)
      return false;
    entry->second = joined;
    return true;
  }
  bool merge(ValueRange values, ValueRange from) {
    bool grew = false;
    for (auto [value, source] : llvm::zip(values, from))
      grew |= merge(value, get(source));
    return grew;
  }
  void forget(ValueRange values) {
    for (Value value : values)
      facts.erase(value);
  }

  static int64_t hint(Attribute attribute, unsigned dim) {
    if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
      return powerIn(integer.getInt());
    if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute))
      if (int64_t(dim) < dense.getNumElements())
        return powerIn(dense.getValues<llvm::APInt>()[dim].getSExtValue());
    return 0;
  }

  static AxisInfo ofArgument(tt::FuncOp function, BlockArgument argument) {
    AxisInfo info = AxisInfo::unknown(shapeOf(argument.getType()).size());
    unsigned index = argument.getArgNumber();
    applyHints(info, [&](llvm::StringRef name) { return function.getArgAttr(index, name); });
    return info;
  }

  template <typename Lookup> static void applyHints(AxisInfo &info, Lookup lookup) {
    Attribute contiguity = lookup("tt.contiguity"), divisibility = lookup("tt.divisibility"),
              constancy = lookup("tt.constancy");
    for (unsigned d = 0; d < info.rank(); ++d) {
      if (int64_t value = hint(contiguity, d))
        info.contiguity[d] = value;
      if (int64_t value = hint(divisibility, d))
        info.divisibility[d] = value;
      if (int64_t value = hint(constancy, d))
        info.constancy[d] = value;
    }
  }

  void runBlock(Block &block) {
    for (Operation &op : block)
      runOp(&op);
  }

  void runOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch);
    if (auto branch = dyn_cast<BranchOpInterface>(op))
      return runBranch(branch);
    if (auto hint = dyn_cast<gluon::HintOp>(op)) {
      AxisInfo info = get(hint.getValue());
      applyHints(info, [&](llvm::StringRef name) { return op->getDiscardableAttr(name); });
      return set(hint.getValue(), std::move(info));
    }
    auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(op);
    for (Region &region : op->getRegions()) {
      if (partitions)
        for (auto [inside, captured] :
             llvm::zip(region.getArguments(), partitions.getExplicitCaptures()))
          set(inside, get(captured));
      for (Block &block : region)
        runBlock(block);
    }
    if (op->getNumResults() != 1 || !isTracked(op->getResult(0).getType()))
      return;
    AxisInfo info = transfer(op);
    if (!op->getDiscardableAttrDictionary().empty())
      applyHints(info, [&](llvm::StringRef name) { return op->getDiscardableAttr(name); });
    set(op->getResult(0), std::move(info));
  }

  /// Runs `body` until what it carries around stops changing.
  template <typename Body> void repeat(ValueRange carried, Body body) {
    for (unsigned round = 0; round < maxRounds; ++round)
      if (!body())
        return;
    for (Value value : carried)
      set(value, AxisInfo::unknown(shapeOf(value.getType()).size()));
    body();
  }

  void runFor(scf::ForOp loop) {
    AxisInfo counter = AxisInfo::unknown(1);
    counter.divisibility[0] =
        std::min(get(loop.getLowerBound()).divisibility[0], get(loop.getStep()).divisibility[0]);
    set(loop.getInductionVar(), counter);
    // An outer loop may come here again with other values.
    forget(loop.getRegionIterArgs());
    merge(loop.getRegionIterArgs(), loop.getInitArgs());
    repeat(loop.getRegionIterArgs(), [&] {
      runBlock(*loop.getBody());
      return merge(loop.getRegionIterArgs(), loop.getYieldedValues());
    });
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      set(result, get(argument));
  }

  void runWhile(scf::WhileOp loop) {
    forget(loop.getBeforeArguments());
    forget(loop.getAfterArguments());
    merge(loop.getBeforeArguments(), loop.getInits());
    repeat(loop.getBeforeArguments(), [&] {
      runBlock(*loop.getBeforeBody());
      for (auto [argument, value] :
           llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        set(argument, get(value));
      runBlock(*loop.getAfterBody());
      return merge(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
    });
    for (auto [result, value] : llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
      set(result, get(value));
  }

  void runIf(scf::IfOp branch) {
    runBlock(*branch.thenBlock());
    if (Block *otherwise = branch.elseBlock())
      runBlock(*otherwise);
    for (auto [index, result] : llvm::enumerate(branch.getResults())) {
      Value one = branch.thenYield().getOperand(index), two = branch.elseYield().getOperand(index);
      // Nobody looks at what has no value.
      if (one.getDefiningOp<ub::PoisonOp>())
        set(result, get(two));
      else if (two.getDefiningOp<ub::PoisonOp>())
        set(result, get(one));
      else
        set(result, join(get(one), get(two)));
    }
  }

  void runBranch(BranchOpInterface branch) {
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      changed |= merge(branch->getSuccessor(i)->getArguments(),
                       branch.getSuccessorOperands(i).getForwardedOperands());
  }

  AxisInfo transfer(Operation *op) const {
    Value result = op->getResult(0);
    llvm::SmallVector<int64_t, 2> shape = shapeOf(result.getType());
    auto of = [&](unsigned index) { return get(op->getOperand(index)); };
    return llvm::TypeSwitch<Operation *, AxisInfo>(op)
        .Case([&](arith::ConstantOp constant) { return ofAttribute(constant.getValue(), shape); })
        .Case([&](tt::MakeRangeOp range) {
          AxisInfo info = AxisInfo::unknown(1);
          info.contiguity[0] = shape[0];
          info.divisibility[0] = powerIn(range.getStartAttr().getInt());
          return info;
        })
        .Case<arith::AddIOp>([&](auto) { return addLike(of(0), of(1), 1, /*subtract=*/false); })
        .Case<arith::SubIOp>([&](auto) { return addLike(of(0), of(1), 1, /*subtract=*/true); })
        .Case<tt::AddPtrOp>([&](auto) {
          return addLike(of(0), of(1), strideOf(result.getType()), /*subtract=*/false);
        })
        .Case<arith::MulIOp>([&](auto) { return multiply(of(0), of(1)); })
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return divide(of(0), of(1), shape); })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return remainder(of(0), of(1), shape); })
        .Case<arith::ShLIOp>([&](auto) { return shift(of(0), of(1), shape, /*left=*/true); })
        .Case<arith::ShRSIOp, arith::ShRUIOp>(
            [&](auto) { return shift(of(0), of(1), shape, /*left=*/false); })
        .Case([&](arith::CmpIOp compare) {
          return gluonc::compare(compare.getPredicate(), of(0), of(1), shape);
        })
        .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
            [&](auto) { return keepConstancy(of(0), of(1)); })
        .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
            [&](auto) { return join(of(0), of(1)); })
        .Case<arith::SelectOp>([&](auto) { return select(of(0), of(1), of(2)); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
              ttg::ConvertLayoutOp, gluon::SetAutoLayoutOp>([&](auto) { return of(0); })
        .Case<arith::BitcastOp>([&](auto) { return reinterpret(of(0), 1); })
        .Case<tt::BitcastOp, tt::PtrToIntOp, tt::IntToPtrOp>(
            [&](auto) { return recast(of(0), op->getOperand(0).getType(), result.getType()); })
        .Case<tt::SplatOp>([&](auto) { return splat(of(0), shape); })
        .Case([&](tt::ExpandDimsOp expand) { return expandDims(of(0), expand.getAxis()); })
        .Case<tt::BroadcastOp>(
            [&](auto) { return broadcast(of(0), shapeOf(op->getOperand(0).getType()), shape); })
        .Case([&](tt::TransOp trans) { return permute(of(0), trans.getOrder()); })
        .Case([&](tt::ReshapeOp op) {
          // Reordering breaks runs up.
          return op.getAllowReorder() ? AxisInfo::unknown(shape.size())
                                      : reshape(of(0), shape, strideOf(result.getType()));
        })
        .Case([&](tt::LoadOp load) { return ofLoad(load, shape.size()); })
        .Default([&](Operation *) { return AxisInfo::unknown(shape.size()); });
  }

  static AxisInfo ofAttribute(Attribute value, ArrayRef<int64_t> shape) {
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    auto integer = dyn_cast<IntegerAttr>(value);
    if (integer && integer.getValue().getBitWidth() <= 64)
      return ofConstant(integer.getValue().getSExtValue(), shape);
    return AxisInfo::unknown(shape.size());
  }

  static AxisInfo shift(const AxisInfo &l, const AxisInfo &by, ArrayRef<int64_t> shape, bool left) {
    if (!by.constant || *by.constant < 0 || *by.constant > 31)
      return keepConstancy(l, by);
    AxisInfo factor = ofConstant(int64_t{1} << *by.constant, shape);
    return left ? multiply(l, factor) : divide(l, factor, shape);
  }

  static AxisInfo recast(const AxisInfo &info, Type from, Type to) {
    return strideOf(from) == strideOf(to) ? info : reinterpret(info, strideOf(from));
  }

  AxisInfo ofLoad(tt::LoadOp load, unsigned rank) const {
    AxisInfo info = AxisInfo::unknown(rank), pointers = get(load.getPtr());
    for (unsigned d = 0; d < rank; ++d) {
      info.constancy[d] = pointers.constancy[d];
      // Elements outside of the mask are those of `other`.
      if (load.getMask())
        info.constancy[d] = std::min(info.constancy[d], get(load.getMask()).constancy[d]);
      if (load.getOther())
        info.constancy[d] = std::min(info.constancy[d], get(load.getOther()).constancy[d]);
    }
    return info;
  }

  Facts &facts;
  bool changed = false;
  /// The last round over the blocks: what still moves becomes unknown.
  bool giveUp = false;
};

} // namespace

AxisInfo AxisInfo::unknown(unsigned rank) {
  AxisInfo info;
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

AxisInfos::AxisInfos(tt::FuncOp function) { Walk(facts).run(function); }

AxisInfo AxisInfos::of(Value value) const {
  auto entry = facts.find(value);
  return entry != facts.end() ? entry->second : AxisInfo::unknown(shapeOf(value.getType()).size());
}

int64_t AxisInfos::pointerRun(Value pointers, unsigned axis) const {
  AxisInfo info = of(pointers);
  int64_t aligned = std::max<int64_t>(1, info.divisibility[axis] / strideOf(pointers.getType()));
  return std::min(info.contiguity[axis], aligned);
}

int64_t AxisInfos::offsetRun(Value base, Value offsets, unsigned bytes, unsigned axis) const {
  AxisInfo info = of(offsets);
  int64_t aligned = std::max<int64_t>(1, of(base).divisibility[0] / bytes);
  return std::min({info.contiguity[axis], info.divisibility[axis], aligned});
}

int64_t AxisInfos::maskRun(Value mask, unsigned axis) const { return of(mask).constancy[axis]; }

} // namespace gluonc
