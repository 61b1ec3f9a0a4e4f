#include "assign/CtaShares.h"

#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "ir/tt/DescriptorAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc::assign {
namespace {

/// A CTA that has less of a sum leaves tensor cores idle: rows of a wgmma, and as many columns.
constexpr int64_t goodSide = 64;
/// What instructions take at least.
constexpr int64_t leastRows = 16, leastColumns = 8;

/// The dim that two CTAs share next; nullopt where they compute the same.
std::optional<size_t> nextDim(const layout::Ints &share, bool onlyRows) {
  size_t columns = share.size() - 1, rows = columns - 1;
  if (share.size() > 2 && share[0] > 1)
    return 0;
  auto halves = [&](size_t dim, int64_t least) {
    return (dim == rows || !onlyRows) && share[dim] >= 2 * least;
  };
  size_t longer = halves(columns, goodSide) && share[columns] > share[rows] ? columns : rows;
  for (size_t dim : {longer, columns})
    if (halves(dim, goodSide))
      return dim;
  if (halves(rows, leastRows))
    return rows;
  if (halves(columns, leastColumns))
    return columns;
  return std::nullopt;
}

/// Follows values from products to accesses.
class Walk {
public:
  explicit Walk(llvm::DenseMap<Operation *, layout::BasisList> &shares) : shares(shares) {}

  /// To what `value` is loaded by.
  void back(Value value, const layout::BasisList &bases) {
    if (!visit(value, bases, loaded))
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr) {
        back(init->get(), bases);
        back(loop.getTiedLoopYieldedValue(argument)->get(), bases);
      }
      return;
    }
    Operation *op = value.getDefiningOp();
    if (isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
      shares.try_emplace(op, bases);
    else if (auto trans = dyn_cast<tt::TransOp>(op))
      back(trans.getSrc(), permuted(bases, trans.getOrder(), /*isBack=*/true));
    else if (keepsPlaces(op))
      for (Value operand : op->getOperands())
        back(operand, bases);
  }

  /// To what `value` is stored by.
  void forth(Value value, const layout::BasisList &bases) {
    if (!visit(value, bases, stored))
      return;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tt::StoreOp, tt::AtomicRMWOp>(user))
        shares.try_emplace(user, bases);
      else if (auto yield = dyn_cast<scf::YieldOp>(user))
        leave(yield->getParentOp(), use.getOperandNumber(), bases);
      else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
          forth(argument, bases);
      } else if (auto trans = dyn_cast<tt::TransOp>(user))
        forth(trans.getResult(), permuted(bases, trans.getOrder(), /*isBack=*/false));
      else if (keepsPlaces(user))
        for (Value result : user->getResults())
          forth(result, bases);
    }
  }

private:
  static bool keepsPlaces(Operation *op) {
    return isPassedThrough(op) && !isa<tt::ReshapeOp, tt::JoinOp, ttg::Fp4ToFpOp>(op);
  }

  void leave(Operation *parent, unsigned number, const layout::BasisList &bases) {
    if (isa<scf::ForOp, scf::IfOp>(parent))
      forth(parent->getResult(number), bases);
  }

  /// Whether it is a tensor of that many dims that was not seen before.
  static bool visit(Value value, const layout::BasisList &bases, llvm::DenseSet<Value> &seen) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && size_t(type.getRank()) == bases.front().size() && seen.insert(value).second;
  }

  static layout::BasisList permuted(const layout::BasisList &bases, ArrayRef<int32_t> order,
                                    bool isBack) {
    layout::BasisList result = bases;
    for (auto [from, to] : llvm::zip_equal(bases, result))
      for (auto [i, dim] : llvm::enumerate(order))
        to[isBack ? dim : i] = from[isBack ? i : dim];
    return result;
  }

  llvm::DenseMap<Operation *, layout::BasisList> &shares;
  /// Values that were looked at on the way to loads, and to stores.
  llvm::DenseSet<Value> loaded, stored;
};

} // namespace

layout::BasisList sharesOf(tt::DotOp dot, int64_t ctas) {
  layout::Ints share(shapeOf(dot.getD()));
  layout::Ints steps(share.size(), 1);
  // What a product computes for another one stays where it is.
  bool onlyRows = feedsProduct(dot) || comesFromProduct(dot);
  layout::BasisList bases;
  for (; ctas > 1; ctas /= 2) {
    layout::Ints basis(share.size(), 0);
    if (std::optional<size_t> dim = nextDim(share, onlyRows)) {
      basis[*dim] = steps[*dim];
      steps[*dim] *= 2;
      share[*dim] /= 2;
    }
    bases.push_back(std::move(basis));
  }
  return bases;
}

layout::BasisList sharesOfOperand(layout::BasisList sum, unsigned index) {
  for (layout::Ints &basis : sum)
    basis[basis.size() - (index == 0 ? 1 : 2)] = 0;
  return sum;
}

layout::Ints shareOf(ArrayRef<int64_t> shape, const layout::BasisList &bases) {
  layout::Ints share(shape);
  for (const layout::Ints &basis : bases)
    for (auto [size, step] : llvm::zip_equal(share, basis))
      size = step ? std::max<int64_t>(size / 2, 1) : size;
  return share;
}

layout::Layout registersSharedAs(RankedTensorType type, const layout::BasisList &bases,
                                 Operation *place) {
  ThreadCounts threads = ThreadCounts::at(place);
  threads.ctas = 1;
  layout::BlockedLayout blocked =
      spreadBlocked(shareOf(type.getShape(), bases), rowMajorOrder(type.getRank()), 4, threads);
  blocked.cga = bases;
  return blocked;
}

layout::BasisList sharesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return toLayout(tensor ? tensor.getEncoding() : cast<ttg::MemDescType>(type).getEncoding()).cga();
}

bool areSharedAlike(Type one, Type other) { return sharesOf(one) == sharesOf(other); }

CtaShares::CtaShares(tt::FuncOp function) {
  int64_t ctas = ThreadCounts::at(function).ctas;
  if (ctas == 1)
    return;
  Walk walk(shares);
  function.getBody().walk([&](tt::DotOp dot) {
    if (shapeOf(dot.getD()).size() < 2)
      return;
    layout::BasisList sum = sharesOf(dot, ctas);
    for (unsigned i : {0u, 1u})
      walk.back(dot->getOperand(i), sharesOfOperand(sum, i));
    walk.back(dot.getC(), sum);
    walk.forth(dot.getD(), sum);
  });
}

} // namespace gluonc::assign
