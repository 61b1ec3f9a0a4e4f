#include "layout/named/Inference.h"

#include "layout/named/Parts.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

namespace {

Inferred refuse(std::string why) { return {std::nullopt, std::move(why)}; }
Inferred done(Layout layout) {
  // There may be more dimensions than a layout of its kind can have.
  if (Problem problem = layout.validate())
    return refuse(*problem);
  return {std::move(layout), {}};
}

SharedLinearLayout explicitShared(const Layout &like, const LinearLayout &linear) {
  DistributedLinearLayout bases = toExplicit(linear.renameIn(Dim::Offset, Dim::Register));
  SharedLinearLayout result{std::move(bases.regBases), std::move(bases.blockBases)};
  result.alignment = sharedAlignment(like);
  return result;
}

/// One element in each CTA has no offset to speak of, and its explicit layout no bases: any layout
/// of the right rank will do.
SwizzledSharedLayout oneElement(const LinearLayout &linear) {
  DistributedLinearLayout bases = toExplicit(linear.renameIn(Dim::Offset, Dim::Register));
  SwizzledSharedLayout result{1, 1, 1, {}, blockBasesToCga(bases.blockBases, bases.shape)};
  for (int64_t d = bases.shape.size(); d-- > 0;)
    result.order.push_back(d);
  return result;
}

/// The result, if it means `linear`: by their dims alone not all shares of CTAs can be told.
Inferred ifEqual(Layout result, const LinearLayout &linear, llvm::ArrayRef<int64_t> shape) {
  if (!result.validate() && !checkShape(result, shape) && result.toLinear(shape) == linear)
    return done(std::move(result));
  return refuse("no " + nameOf(result.kind()).str() + " spreads the shape " + listText(shape) +
                " over the CTAs like that");
}

/// Explicit bases as a layout of the same family as `like`.
Inferred explicitLike(const Layout &like, const LinearLayout &linear) {
  DistributedLinearLayout bases = toExplicit(linear);
  if (like.isDistributed())
    return done(std::move(bases));
  if (const PaddedSharedLayout *padded = paddedPart(like)) {
    PaddedSharedLayout result{padded->paddings, {}, {}, bases.shape};
    result.offsetBases = toExplicit(linear.renameIn(Dim::Offset, Dim::Register)).regBases;
    result.cga = blockBasesToCga(bases.blockBases, bases.shape);
    return ifEqual(std::move(result), linear, bases.shape);
  }
  if (linear.inLog2(Dim::Offset) == 0)
    return ifEqual(oneElement(linear), linear, bases.shape);
  return done(explicitShared(like, linear));
}

Problem checkSource(const Layout &source, llvm::ArrayRef<int64_t> shape) {
  if (source.isPlaceholder())
    return source.toString() + " has not been resolved yet";
  if (Problem problem = source.validate())
    return problem;
  return checkShape(source, shape);
}

// -- Permutations -------------------------------------------------------------------

Ints permuted(const Ints &values, llvm::ArrayRef<int64_t> order) {
  Ints result;
  for (int64_t d : order)
    result.push_back(values[d]);
  return result;
}

BasisList permuted(const BasisList &bases, llvm::ArrayRef<int64_t> order) {
  BasisList result;
  for (const Ints &basis : bases)
    result.push_back(permuted(basis, order));
  return result;
}

/// The old dims in `fastestFirst` under their new numbers.
Ints renumbered(const Ints &fastestFirst, llvm::ArrayRef<int64_t> order) {
  Ints newNumber(order.size(), 0), result;
  for (auto [i, d] : llvm::enumerate(order))
    newNumber[d] = i;
  for (int64_t d : fastestFirst)
    result.push_back(newNumber[d]);
  return result;
}

// -- Row-major reshaping -------------------------------------------------------------

LinearLayout reshapeRowMajor(const LinearLayout &linear, llvm::ArrayRef<int64_t> to) {
  // The last dim is fastest, and packed indices start with the fastest.
  llvm::SmallVector<Dim, 4> fastestFirst = axes(linear.outDims().size());
  std::reverse(fastestFirst.begin(), fastestFirst.end());
  llvm::SmallVector<DimSize, 4> sizes = axisSizes(to);
  std::reverse(sizes.begin(), sizes.end());
  return linear.transposeOuts(fastestFirst).reshapeOuts(sizes).transposeOuts(axes(to.size()));
}

/// Runs of source dims and result dims with equal products, outermost first.
struct DimGroup {
  llvm::SmallVector<unsigned, 4> from, to;
};

llvm::SmallVector<DimGroup, 4> groupDims(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<DimGroup, 4> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    DimGroup group;
    int64_t left = 1, right = 1;
    // Products only grow and end equal, so the smaller side always has another dim to take.
    while (group.from.empty() || group.to.empty() || left != right) {
      bool takeFrom = i < from.size() && (left <= right || j == to.size());
      if (!takeFrom && j == to.size())
        break;
      if (takeFrom)
        left *= from[i], group.from.push_back(i++);
      else
        right *= to[j], group.to.push_back(j++);
    }
    // Dims of size 1 at the end belong to the group before them.
    while (i < from.size() && from[i] == 1)
      group.from.push_back(i++);
    while (j < to.size() && to[j] == 1)
      group.to.push_back(j++);
    groups.push_back(std::move(group));
  }
  return groups;
}

/// The blocked layout that gives each group its threads back, innermost dim first. Only a guess:
/// the caller compares its meaning with what the reshape needs.
BlockedLayout guessBlocked(const BlockedLayout &source, llvm::ArrayRef<int64_t> from,
                           llvm::ArrayRef<int64_t> to) {
  BlockedLayout guess;
  guess.sizePerThread = guess.threadsPerWarp = guess.warpsPerCta = Ints(to.size(), 1);
  llvm::SmallVector<DimGroup, 4> groups = groupDims(from, to);
  for (const DimGroup &group : groups) {
    Ints room;
    for (unsigned d : group.to)
      room.push_back(to[d]);
    auto deal = [&](const Ints &field, Ints &result) {
      int64_t left = 1;
      for (unsigned d : group.from)
        left *= field[d];
      for (unsigned k = group.to.size(); k-- > 0;) {
        // What no longer fits is replicated, by convention along the outermost dim.
        int64_t take = k == 0 ? left : std::min(left, room[k]);
        result[group.to[k]] *= take;
        room[k] = std::max<int64_t>(room[k] / take, 1);
        left /= take;
      }
    };
    if (group.to.empty())
      continue;
    deal(source.sizePerThread, guess.sizePerThread);
    deal(source.threadsPerWarp, guess.threadsPerWarp);
    deal(source.warpsPerCta, guess.warpsPerCta);
  }
  for (int64_t d : source.order)
    for (const DimGroup &group : groups)
      if (llvm::is_contained(group.from, d))
        for (unsigned result : llvm::reverse(group.to))
          if (!llvm::is_contained(guess.order, result))
            guess.order.push_back(result);
  for (unsigned d = to.size(); d-- > 0;)
    if (!llvm::is_contained(guess.order, d))
      guess.order.push_back(d);
  return guess;
}

} // namespace

DistributedLinearLayout toExplicit(const LinearLayout &linear) {
  auto basesOf = [&](Dim in) {
    BasisList bases;
    for (unsigned i = 0; i < linear.inLog2(in); ++i) {
      llvm::SmallVector<uint32_t, 4> basis = linear.basis(in, i);
      bases.emplace_back(basis.begin(), basis.end());
    }
    return bases;
  };
  DistributedLinearLayout result{
      basesOf(Dim::Register), basesOf(Dim::Lane), basesOf(Dim::Warp), basesOf(Dim::Block), {}};
  for (const DimSize &out : linear.outDims())
    result.shape.push_back(out.size());
  return result;
}

SharedLinearLayout toExplicitShared(const Layout &shared, llvm::ArrayRef<int64_t> shape) {
  return explicitShared(shared, shared.toLinear(shape));
}

Inferred transposeLayout(const Layout &source, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> order) {
  if (Problem problem = checkSource(source, shape))
    return refuse(*problem);
  if (order.size() != shape.size())
    return refuse("the permutation " + listText(order) + " has " + std::to_string(order.size()) +
                  " entries, but the tensor has rank " + std::to_string(shape.size()));
  if (Problem problem = checkOrder(order))
    return refuse(*problem);
  if (llvm::is_sorted(order))
    return done(source);
  if (const auto *l = source.as<NVMMASharedLayout>(); l && l->rank() == 2) {
    NVMMASharedLayout result = *l;
    result.transposed = !l->transposed;
    result.cga = permuted(l->cga, order);
    return done(std::move(result));
  }
  if (const auto *l = source.as<BlockedLayout>())
    return done(BlockedLayout{permuted(l->sizePerThread, order), permuted(l->threadsPerWarp, order),
                              permuted(l->warpsPerCta, order), renumbered(l->order, order),
                              permuted(l->cga, order)});
  if (const auto *l = source.as<SwizzledSharedLayout>())
    return done(SwizzledSharedLayout{l->vec, l->perPhase, l->maxPhase, renumbered(l->order, order),
                                     permuted(l->cga, order)});
  if (const auto *l = source.as<PaddedSharedLayout>())
    return done(PaddedSharedLayout{l->paddings, permuted(l->offsetBases, order),
                                   permuted(l->cga, order), permuted(l->shape, order)});
  if (const auto *l = source.as<PartitionedSharedLayout>()) {
    Inferred piece = transposeLayout(l->partitionLayout, l->pieceShape(shape), order);
    if (!piece.layout)
      return piece;
    auto dim = llvm::find(order, l->partitionDim) - order.begin();
    return done(PartitionedSharedLayout{l->numPartitions, l->numGroups, dim, *piece.layout});
  }
  llvm::SmallVector<Dim, 4> outs;
  for (int64_t d : order)
    outs.push_back(Dim::axis(d));
  // Renaming after reordering: a reshape to the same sizes under the new names.
  Ints newShape = permuted(Ints(shape), order);
  return explicitLike(source,
                      source.toLinear(shape).transposeOuts(outs).reshapeOuts(axisSizes(newShape)));
}

Inferred expandDimsLayout(const Layout &source, llvm::ArrayRef<int64_t> shape, int64_t axis) {
  if (Problem problem = checkSource(source, shape))
    return refuse(*problem);
  if (axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return refuse("axis " + std::to_string(axis) + " is out of range for a tensor of rank " +
                  std::to_string(shape.size()));
  if (const auto *slice = source.as<SliceLayout>()) {
    if (slice->dim == axis)
      return done(slice->parent);
    return refuse("a new dimension " + std::to_string(axis) +
                  " needs a slice layout of that dimension, but the layout is " +
                  source.toString());
  }
  if (!source.as<DistributedLinearLayout>())
    return refuse("a new dimension needs a slice layout, but the layout is " + source.toString());
  Ints newShape(shape);
  newShape.insert(newShape.begin() + axis, 1);
  return done(toExplicit(source.toLinear(shape).reshapeOuts(axisSizes(newShape))));
}

Inferred reduceLayout(const Layout &source, int64_t axis) {
  SliceLayout result{axis, source};
  if (!source.isPlaceholder() && source.rank() == 1u && axis == 0)
    return done(std::move(result));
  if (Problem problem = result.validate())
    return refuse(*problem);
  return done(std::move(result));
}

Inferred reshapeLayout(const Layout &source, llvm::ArrayRef<int64_t> from,
                       llvm::ArrayRef<int64_t> to) {
  if (Problem problem = checkSource(source, from))
    return refuse(*problem);
  for (int64_t size : to)
    if (!isPowerOf2(size))
      return refuse("the shape " + listText(to) + " has a size that is not a power of two");
  if (log2Product(from) != log2Product(to))
    return refuse("the shapes " + listText(from) + " and " + listText(to) +
                  " have different numbers of elements");
  if (from == to)
    return done(source);
  if (source.isShared() && to.empty())
    return refuse("a buffer has at least one dimension");
  LinearLayout linear = reshapeRowMajor(source.toLinear(from), to);
  const auto *blocked = source.as<BlockedLayout>();
  if (blocked && blocked->cga.empty() && !to.empty()) {
    BlockedLayout guess = guessBlocked(*blocked, from, to);
    if (!guess.validate() && guess.toLinear(to) == linear)
      return done(std::move(guess));
  }
  const auto *tiles = source.as<NVMMASharedLayout>();
  auto contiguous = [&](llvm::ArrayRef<int64_t> shape) {
    return tiles->transposed ? shape.front() : shape.back();
  };
  if (tiles && tiles->cga.empty() && !to.empty() && contiguous(from) == contiguous(to)) {
    NVMMASharedLayout result = *tiles;
    result.numDims = to.size();
    if (!result.validate() && !result.checkShape(to) && result.toLinear(to) == linear)
      return done(std::move(result));
  }
  return explicitLike(source, linear);
}

Inferred joinLayout(const Layout &source, llvm::ArrayRef<int64_t> shape) {
  if (Problem problem = checkSource(source, shape))
    return refuse(*problem);
  if (!source.isDistributed())
    return refuse("join needs tensors in registers");
  // What was split comes together again.
  Ints pairs(shape);
  pairs.push_back(2);
  if (const auto *slice = source.as<SliceLayout>();
      slice && slice->dim == static_cast<int64_t>(shape.size()) &&
      splitLayout(slice->parent, pairs))
    return done(slice->parent);
  if (const auto *l = source.as<BlockedLayout>()) {
    BlockedLayout result = *l;
    result.sizePerThread.push_back(2);
    result.threadsPerWarp.push_back(1);
    result.warpsPerCta.push_back(1);
    result.order.insert(result.order.begin(), shape.size());
    for (Ints &basis : result.cga)
      basis.push_back(0);
    return done(std::move(result));
  }
  LinearLayout pair = LinearLayout::identity1D(1, Dim::Register, Dim::axis(shape.size()));
  LinearLayout joined = pair * source.toLinear(shape);
  return done(toExplicit(joined.transposeOuts(axes(shape.size() + 1))));
}

Inferred splitLayout(const Layout &source, llvm::ArrayRef<int64_t> shape) {
  if (Problem problem = checkSource(source, shape))
    return refuse(*problem);
  if (!source.isDistributed() || shape.empty() || shape.back() != 2)
    return refuse("split needs a tensor whose last dimension has size 2, but the shape is " +
                  listText(shape));
  if (shape.size() == 1)
    return refuse("split needs a tensor of at least two dimensions");
  LinearLayout linear = source.toLinear(shape);
  int64_t last = shape.size() - 1;
  uint64_t unit = uint64_t{1} << linear.outShift(Dim::axis(last));
  auto moves = [&](uint64_t basis) { return (basis & unit) != 0; };
  if (!llvm::is_contained(linear.packedBases(Dim::Register), unit) ||
      llvm::count_if(linear.packedBases(), moves) != 1)
    return refuse("split needs both elements of the last dimension in the same thread, which " +
                  source.toString() + " does not give");
  return done(SliceLayout{last, source});
}

Inferred unpackLayout(const Layout &source, llvm::ArrayRef<int64_t> shape, int64_t axis) {
  if (Problem problem = checkSource(source, shape))
    return refuse(*problem);
  if (!source.isDistributed() || axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return refuse("axis " + std::to_string(axis) + " is out of range for a tensor of rank " +
                  std::to_string(shape.size()));
  if (const auto *l = source.as<BlockedLayout>()) {
    // Both numbers of a byte come first in the thread: no other dim may have neighbours before.
    auto faster = llvm::ArrayRef(l->order).take_until([&](int64_t dim) { return dim == axis; });
    bool isFirst = llvm::all_of(faster, [&](int64_t dim) { return l->sizePerThread[dim] == 1; });
    BlockedLayout result = *l;
    result.sizePerThread[axis] *= 2;
    if (isFirst)
      return done(std::move(result));
  }
  LinearLayout pair = LinearLayout::identity1D(1, Dim::Register, Dim::axis(axis));
  return done(toExplicit((pair * source.toLinear(shape)).transposeOuts(axes(shape.size()))));
}

} // namespace gluonc::layout
