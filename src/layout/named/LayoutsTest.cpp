#include "layout/named/Layouts.h"

#include "layout/RandomLayouts.h"
#include "layout/named/Blocks.h"
#include "layout/named/Inference.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace gluonc::layout;

namespace {

using Index = std::vector<int64_t>;

/// The element that a thread's register holds, from the linear layout.
Index elementOf(const LinearLayout &layout, llvm::ArrayRef<Coord> place) {
  Index element;
  for (const Coord &coord : layout.apply(place))
    element.push_back(coord.value);
  return element;
}

/// A number dealt to the dims of `sizes`, fastest first by `order`.
Index unravel(int64_t number, const Ints &sizes, const Ints &order) {
  Index index(sizes.size(), 0);
  for (int64_t d : order) {
    index[d] = number % sizes[d];
    number /= sizes[d];
  }
  return index;
}

/// Blocked layouts from their definition, with divisions and remainders. Each CTA has a box of
/// `share` elements; the tile of boxes within boxes (register in lane in warp) repeats over it in
/// registers, or is folded into it where it is larger.
Index blockedElement(const BlockedLayout &l, llvm::ArrayRef<int64_t> shape, int64_t reg,
                     int64_t lane, int64_t warp, int64_t block) {
  size_t rank = shape.size();
  Ints counts(rank, 1), share, repeats;
  for (const Ints &basis : l.cga)
    for (size_t d = 0; d < rank; ++d)
      counts[d] = std::max(counts[d], basis[d] * 2);
  Ints tile;
  for (size_t d = 0; d < rank; ++d) {
    share.push_back(shape[d] / std::min(counts[d], shape[d]));
    tile.push_back(l.sizePerThread[d] * l.threadsPerWarp[d] * l.warpsPerCta[d]);
    repeats.push_back(std::max<int64_t>(share[d] / tile[d], 1));
  }
  int64_t inTile = 1;
  for (int64_t size : l.sizePerThread)
    inTile *= size;
  Index r = unravel(reg % inTile, l.sizePerThread, l.order);
  Index again = unravel(reg / inTile, repeats, l.order);
  Index t = unravel(lane, l.threadsPerWarp, l.order);
  Index w = unravel(warp, l.warpsPerCta, l.order);
  Index cta(rank, 0);
  for (auto [bit, basis] : llvm::enumerate(l.cga))
    if (block >> bit & 1)
      for (size_t d = 0; d < rank; ++d)
        cta[d] += basis[d];
  Index element;
  for (size_t d = 0; d < rank; ++d) {
    int64_t inside =
        again[d] * tile[d] + r[d] + l.sizePerThread[d] * (t[d] + l.threadsPerWarp[d] * w[d]);
    element.push_back(inside % share[d] + cta[d] * share[d] % shape[d]);
  }
  return element;
}

std::string bases(const LinearLayout &layout, Dim in) {
  std::string text;
  for (unsigned i = 0; i < layout.inLog2(in); ++i) {
    llvm::SmallVector<uint32_t, 4> basis = layout.basis(in, i);
    text += "[";
    for (size_t d = 0; d < basis.size(); ++d)
      text += (d ? "," : "") + std::to_string(basis[d]);
    text += "]";
  }
  return text;
}

Layout blocked(Ints spt, Ints tpw, Ints wpc, Ints order, BasisList cga = {}) {
  return BlockedLayout{spt, tpw, wpc, order, cga};
}

} // namespace

TEST(BlockedLayout, WorkedExamples) {
  LinearLayout wraps = blocked({1}, {4}, {4}, {0}).toLinear({128});
  EXPECT_EQ(bases(wraps, Dim::Register), "[16][32][64]");
  EXPECT_EQ(bases(wraps, Dim::Lane), "[1][2]");
  EXPECT_EQ(bases(wraps, Dim::Warp), "[4][8]");

  LinearLayout folds = blocked({4}, {4}, {4}, {0}).toLinear({8});
  EXPECT_EQ(bases(folds, Dim::Register), "[1][2]");
  EXPECT_EQ(bases(folds, Dim::Lane), "[4][0]");
  EXPECT_EQ(bases(folds, Dim::Warp), "[0][0]");

  LinearLayout cluster =
      blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}, {{0, 0}, {1, 0}}).toLinear({128, 16});
  EXPECT_EQ(bases(cluster, Dim::Register), "[0,1][0,2][32,0]");
  EXPECT_EQ(bases(cluster, Dim::Lane), "[0,4][0,8][1,0][2,0][4,0]");
  EXPECT_EQ(bases(cluster, Dim::Warp), "[8,0][16,0]");
  EXPECT_EQ(bases(cluster, Dim::Block), "[0,0][64,0]");

  LinearLayout small = blocked({1}, {1}, {4}, {0}, {{1}}).toLinear({4});
  EXPECT_EQ(bases(small, Dim::Warp), "[1][0]");
  EXPECT_EQ(bases(small, Dim::Block), "[2]");
}

TEST(BlockedLayout, AgreesWithItsDefinition) {
  RandomLayouts random(30);
  const BasisList clusters[] = {{}, {{1, 0}}, {{0, 1}, {1, 0}}, {{0, 0}, {0, 1}}, {{2, 0}, {1, 0}}};
  for (int trial = 0; trial < 300; ++trial) {
    unsigned rank = 1 + random.below(3);
    BlockedLayout layout = random.blocked(rank, 3, 2);
    if (rank == 2)
      layout.cga = clusters[random.below(std::size(clusters))];
    ASSERT_FALSE(layout.validate());
    Ints shape = random.shape(rank, 0, 9);
    LinearLayout linear = layout.toLinear(shape);
    ASSERT_TRUE(linear.isSurjective());
    for (uint64_t packed = 0; packed < uint64_t{1} << linear.totalInLog2(); ++packed) {
      auto part = [&](Dim dim) { return linear.inComponent(packed, dim); };
      Index expected = blockedElement(layout, shape, part(Dim::Register), part(Dim::Lane),
                                      part(Dim::Warp), part(Dim::Block));
      uint64_t image = linear.applyPacked(packed);
      for (unsigned d = 0; d < rank; ++d)
        ASSERT_EQ(linear.outComponent(image, Dim::axis(d)), expected[d])
            << Layout(layout).toString() << " " << linear.toString();
    }
  }
}

TEST(SliceLayout, HoldsTheParentsElementsWithoutTheDim) {
  RandomLayouts random(31);
  for (int trial = 0; trial < 200; ++trial) {
    unsigned rank = 2 + random.below(2);
    Layout parent = random.blocked(rank, 3, 2);
    int64_t dim = random.below(rank);
    Layout slice = SliceLayout{dim, parent};
    ASSERT_FALSE(slice.validate());
    Ints shape = random.shape(rank - 1, 0, 8), whole = shape;
    whole.insert(whole.begin() + dim, 1);
    LinearLayout ours = slice.toLinear(shape), theirs = parent.toLinear(whole);
    // Every thread holds the same elements, and none of its registers twice by a zero basis.
    for (uint32_t lane = 0; lane < 8; ++lane) {
      for (uint32_t warp = 0; warp < 4; ++warp) {
        auto elements = [&](const LinearLayout &layout, bool drop) {
          std::set<Index> all;
          for (uint32_t reg = 0; reg < layout.inSize(Dim::Register); ++reg) {
            Index element =
                elementOf(layout, {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
            if (drop)
              element.erase(element.begin() + dim);
            all.insert(element);
          }
          return all;
        };
        ASSERT_EQ(elements(ours, false), elements(theirs, true));
      }
    }
    for (uint64_t basis : ours.packedBases(Dim::Register))
      ASSERT_NE(basis, 0u);
  }
}

TEST(SliceLayout, ChainsOfSlicesWork) {
  Layout cube = blocked({1, 1, 4}, {2, 2, 8}, {1, 4, 1}, {2, 1, 0});
  Layout chain = SliceLayout{1, SliceLayout{2, cube}};
  EXPECT_EQ(chain.rank(), 1u);
  EXPECT_FALSE(chain.validate());
  LinearLayout linear = chain.toLinear({8});
  EXPECT_EQ(bases(linear, Dim::Register), "[2][4]");
  EXPECT_EQ(bases(linear, Dim::Lane), "[0][0][0][0][1]");
}

TEST(DistributedLinearLayout, IsItsBases) {
  DistributedLinearLayout layout{{{0, 1}, {8, 0}}, {{1, 0}, {2, 0}}, {{4, 0}}, {}, {16, 2}};
  EXPECT_FALSE(layout.validate());
  EXPECT_TRUE(layout.isPermutation());
  LinearLayout linear = layout.toLinear({16, 2});
  EXPECT_EQ(elementOf(linear, {{Dim::Register, 3}, {Dim::Lane, 1}, {Dim::Warp, 1}}),
            (Index{13, 1}));
  layout.warpBases = {{4, 1}};
  EXPECT_FALSE(layout.validate());
  EXPECT_FALSE(layout.isPermutation());
}

TEST(SwizzledSharedLayout, AgreesWithTheElementRule) {
  RandomLayouts random(32);
  for (int trial = 0; trial < 300; ++trial) {
    unsigned rank = 1 + random.below(3);
    SwizzledSharedLayout layout{int64_t{1} << random.below(4),
                                int64_t{1} << random.below(3),
                                int64_t{1} << random.below(4),
                                random.permutation(rank),
                                {}};
    ASSERT_FALSE(layout.validate());
    Ints shape = random.shape(rank, 0, 10);
    LinearLayout linear = layout.toLinear(shape);
    ASSERT_TRUE(linear.isInvertible());
    std::optional<LinearLayout> inverse = linear.invert();
    for (int64_t logical = 0; logical < linear.inSize(Dim::Offset); ++logical) {
      Index element = unravel(logical, shape, layout.order);
      // Where the rule puts this element.
      int64_t expected = logical;
      if (rank >= 2) {
        int64_t columns = shape[layout.order[0]];
        int64_t c = element[layout.order[0]], r = element[layout.order[1]];
        int64_t moved =
            (((c / layout.vec) ^ ((r / layout.perPhase) % layout.maxPhase)) * layout.vec +
             c % layout.vec) %
            columns;
        expected = logical - c + moved;
      }
      llvm::SmallVector<Coord, 4> coords;
      for (unsigned d = 0; d < rank; ++d)
        coords.push_back({Dim::axis(d), static_cast<uint32_t>(element[d])});
      ASSERT_EQ(inverse->apply(coords)[0].value, expected)
          << Layout(layout).toString() << " " << linear.toString();
    }
  }
}

TEST(PaddedSharedLayout, PhysicalOffsetsSkipThePadding) {
  PaddedSharedLayout layout = PaddedSharedLayout::identityFor({{{2, 1}, {4, 2}}}, {8}, {0});
  ASSERT_FALSE(layout.validate());
  // Two elements, one hole; after every second pair two holes more.
  const int64_t expected[] = {0, 1, 3, 4, 8, 9, 11, 12};
  for (auto [logical, physical] : llvm::enumerate(expected))
    EXPECT_EQ(layout.physicalOffset(logical), physical);
  EXPECT_EQ(sharedElements(layout, {8}), 13);
  EXPECT_EQ(layout.maxVector(), 1);
}

TEST(PaddedSharedLayout, HoldsTheShapeThatItIsMadeForOnly) {
  Layout layout = PaddedSharedLayout::identityFor({{{32, 4}}}, {64, 32}, {1, 0});
  EXPECT_FALSE(checkShape(layout, {64, 32}));
  EXPECT_EQ(*checkShape(layout, {32, 16}),
            "the padded layout is made for the shape [64, 32], not for [32, 16]");
}

TEST(PaddedSharedLayout, IdentityFollowsTheOrderAndTheCluster) {
  PaddedSharedLayout layout =
      PaddedSharedLayout::identityFor({{{32, 4}}}, {16, 8}, {0, 1}, {{0, 1}});
  ASSERT_FALSE(layout.validate());
  LinearLayout linear = layout.toLinear({16, 8});
  EXPECT_EQ(bases(linear, Dim::Offset), "[1,0][2,0][4,0][8,0][0,1][0,2]");
  EXPECT_EQ(bases(linear, Dim::Block), "[0,4]");
}

/// Rows 0 and 1 are piece 0, which is of partition 0, the next two piece 1 of partition 1, and so
/// on.
TEST(PartitionedSharedLayout, PiecesGoToPartitionsInTurn) {
  PartitionedSharedLayout layout{2, 2, 0, SwizzledSharedLayout{1, 1, 1, {1, 0}, {}}};
  ASSERT_FALSE(layout.validate());
  ASSERT_FALSE(checkShape(layout, {8, 4}));
  LinearLayout linear = layout.toLinear({8, 4});
  EXPECT_EQ(bases(linear, Dim::Offset), "[0,1][0,2][1,0][4,0][2,0]");
  for (uint32_t offset = 0; offset < 32; ++offset) {
    uint32_t partition = offset / 16, group = offset / 8 % 2, row = offset / 4 % 2;
    llvm::SmallVector<Coord, 4> at = linear.apply({{Dim::Offset, offset}});
    EXPECT_EQ(at[0].value, 4 * group + 2 * partition + row);
    EXPECT_EQ(at[1].value, offset % 4);
  }
  EXPECT_EQ(sharedElements(layout, {8, 4}), 32);
}

TEST(PartitionedSharedLayout, PaddingIsThatOfThePieces) {
  PartitionedSharedLayout layout{2, 1, 1,
                                 PaddedSharedLayout::identityFor({{{8, 2}}}, {4, 8}, {1, 0})};
  ASSERT_FALSE(checkShape(layout, {4, 16}));
  EXPECT_EQ(paddedPart(layout)->paddings.front(), (IntervalPadding{8, 2}));
  EXPECT_EQ(sharedElements(layout, {4, 16}), 64 + 7 * 2);
  EXPECT_EQ(*checkShape(layout, {8, 16}),
            "the padded layout is made for the shape [4, 8], not for [8, 8]");
}

TEST(PartitionedSharedLayout, SaysWhatIsWrong) {
  Layout rows = SwizzledSharedLayout{1, 1, 1, {1, 0}, {}};
  auto problem = [](Layout layout) { return layout.validate().value_or("none"); };
  EXPECT_EQ(problem(PartitionedSharedLayout{3, 1, 0, rows}),
            "num_partitions and num_groups must be powers of two, but are [3, 1]");
  EXPECT_EQ(problem(PartitionedSharedLayout{2, 1, 2, rows}),
            "partition_dim 2 is no dimension of a layout of rank 2");
  EXPECT_EQ(problem(PartitionedSharedLayout{2, 1, -1, rows}),
            "partition_dim -1 is no dimension of a layout of rank 2");
  EXPECT_TRUE(PartitionedSharedLayout(2, 1, 0, PartitionedSharedLayout{2, 1, 0, rows}).validate());
  EXPECT_EQ(*checkShape(PartitionedSharedLayout{4, 4, 0, rows}, {8, 4}),
            "the shape [8, 4] cannot be cut into 16 pieces along dimension 0");
}

TEST(SharedLinearLayout, ShapeFollowsFromTheLargestBits) {
  SharedLinearLayout layout{{{0, 1}, {0, 2}, {1, 1}}, {{2, 0}}, 128};
  EXPECT_FALSE(layout.validate());
  EXPECT_EQ(layout.shape(), (Ints{4, 4}));
  EXPECT_EQ(bases(layout.toLinear({4, 4}), Dim::Offset), "[0,1][0,2][1,1]");
  EXPECT_EQ(sharedAlignment(layout), 128);
  EXPECT_EQ(Layout(layout).cga(), (BasisList{{1, 0}}));
}

TEST(Layouts, ValidationNamesWhatIsWrong) {
  auto problem = [](Layout layout) { return layout.validate().value_or("none"); };
  EXPECT_EQ(problem(blocked({1, 1}, {32}, {4, 1}, {1, 0})),
            "size_per_thread, threads_per_warp, warps_per_cta and order must have equal lengths, "
            "but have 2, 1, 2 and 2");
  EXPECT_EQ(problem(blocked({3}, {32}, {4}, {0})),
            "size_per_thread must be powers of two, but are [3]");
  EXPECT_EQ(problem(blocked({1}, {0}, {4}, {0})),
            "threads_per_warp must be powers of two, but are [0]");
  EXPECT_EQ(problem(blocked({1, 1}, {32, 1}, {4, 1}, {1, 1})),
            "order [1, 1] is not a permutation of the dimensions 0 to 1");
  EXPECT_EQ(problem(blocked({1}, {32}, {4}, {7})),
            "order [7] is not a permutation of the dimensions 0 to 0");
  EXPECT_EQ(problem(blocked({}, {}, {}, {})), "a blocked layout needs at least one dimension");
  EXPECT_EQ(problem(blocked({1}, {32}, {4}, {0}, {{2}})),
            "cga_layout [[2]] leaves out some CTAs of a split dimension");
  EXPECT_EQ(problem(blocked({1}, {32}, {4}, {0}, {{1, 0}})),
            "cga_layout has the basis [1, 0], but the layout has 1 dimension");
  EXPECT_EQ(problem(SliceLayout{2, blocked({1, 1}, {32, 1}, {4, 1}, {1, 0})}),
            "slice dimension 2 is out of range for a parent of rank 2");
  EXPECT_EQ(problem(SliceLayout{0, blocked({1}, {32}, {4}, {0})}),
            "the parent of a slice layout must have at least two dimensions");
  EXPECT_EQ(problem(SliceLayout{0, AutoLayout{}}),
            "the parent of a slice layout must be a distributed layout, but is AutoLayout()");
  EXPECT_EQ(problem(DistributedLinearLayout{{{1}}, {}, {}, {}, {4}}),
            "the linear layout does not cover its shape [4]: some elements have no owner");
  EXPECT_EQ(problem(DistributedLinearLayout{{{4}}, {}, {}, {}, {4}}),
            "reg_bases has the basis [4], which lies outside the shape [4]");
  EXPECT_EQ(problem(SwizzledSharedLayout{3, 1, 1, {0}, {}}),
            "vec, per_phase and max_phase must be powers of two, but are [3, 1, 1]");
  EXPECT_EQ(problem(PaddedSharedLayout{{{4, 1}, {4, 2}}, {{1}, {2}, {4}}, {}, {8}}),
            "interval 4 is given twice");
  EXPECT_EQ(problem(PaddedSharedLayout{{}, {{1}}, {}, {2}}),
            "a padded layout needs at least one pair of interval and padding");
  EXPECT_EQ(problem(PaddedSharedLayout{{{4, 1}}, {{1}, {1}}, {}, {4}}),
            "offset_bases must name each element of the shape exactly once");
  EXPECT_EQ(problem(SharedLinearLayout{{}, {}, 16}),
            "a shared linear layout needs at least one offset basis");
  EXPECT_EQ(problem(SharedLinearLayout{{{4}}, {}, 16}), "none");
  EXPECT_EQ(*checkShape(SharedLinearLayout{{{4}}, {}, 16}, {8}),
            "the shared linear layout does not cover the shape [8]: some elements have no place");
  EXPECT_EQ(problem(SharedLinearLayout{{{1}, {0}, {2}}, {{0}, {4}}, 16}), "none");
  const char *dependent =
      "the bases of the shared linear layout must be independent of each other, or zeros";
  EXPECT_EQ(problem(SharedLinearLayout{{{1}, {2}}, {{2}}, 16}), dependent);
  EXPECT_EQ(problem(SharedLinearLayout{{{1}, {2}, {3}}, {}, 16}), dependent);
  EXPECT_EQ(problem(SharedLinearLayout{{{1}}, {{2}, {2}}, 16}), dependent);
  EXPECT_EQ(problem(SharedLinearLayout{{{1}}, {}, 12}),
            "the alignment must be a power of two, but is 12");
}

TEST(Layouts, AbsurdSizesAreRefusedNotComputed) {
  int64_t huge = int64_t{1} << 40;
  EXPECT_TRUE(blocked({huge}, {32}, {4}, {0}).validate());
  EXPECT_TRUE(blocked({1 << 20, 1 << 20}, {32, 1}, {4, 1}, {1, 0}).validate());
  EXPECT_TRUE(Layout(SharedLinearLayout{{{huge}}, {}, 16}).validate());
  EXPECT_TRUE(Layout(SharedLinearLayout{{{1 << 22, 1 << 22}}, {}, 16}).validate());
  EXPECT_TRUE(Layout(DistributedLinearLayout{{}, {}, {}, {}, {huge}}).validate());
  EXPECT_TRUE(checkShape(blocked({1}, {32}, {4}, {0}), {huge}));
}

TEST(Layouts, WhateverIsWrittenIsRefusedOrHasAMeaning) {
  RandomLayouts random(34);
  auto number = [&]() -> int64_t {
    static constexpr int64_t odd[] = {-1, 0, 3, 5, int64_t{1} << 24, int64_t{1} << 62, INT64_MIN};
    return random.below(12) ? int64_t{1} << random.below(6) : odd[random.below(std::size(odd))];
  };
  auto list = [&](unsigned length) {
    Ints result;
    for (unsigned i = random.below(20) ? length : random.below(11); i-- > 0;)
      result.push_back(number());
    return result;
  };
  auto bases = [&](unsigned rank) {
    BasisList result;
    for (unsigned i = random.below(random.below(10) ? 4 : 40); i-- > 0;) {
      Ints basis(rank, 0);
      if (rank)
        basis[random.below(rank)] = random.below(20) ? int64_t{1} << i : number();
      result.push_back(random.below(20) ? basis : list(rank));
    }
    return result;
  };
  std::map<LayoutKind, int> meaningful;
  for (int trial = 0; trial < 20000; ++trial) {
    unsigned rank = 1 + random.below(3);
    Ints order = random.below(8) ? random.permutation(rank) : list(rank);
    BasisList cga = random.below(3) ? BasisList() : bases(rank);
    const Layout candidates[] = {
        BlockedLayout{list(rank), list(rank), list(rank), order, cga},
        DistributedLinearLayout{bases(rank), bases(rank), bases(rank), cga, list(rank)},
        SwizzledSharedLayout{number(), number(), number(), order, cga},
        PaddedSharedLayout{{{number(), number()}}, bases(rank), cga, list(rank)},
        SharedLinearLayout{bases(rank), cga, number()},
        NVMMADistributedLayout{
            random.below(2) ? Ints{3, 0} : Ints{2, 0}, list(rank),
            random.below(4) ? (random.below(2) ? Ints{16, 8} : Ints{16, 32, 16}) : list(3), cga},
        NVMMASharedLayout{int64_t(32 * random.below(6)), int64_t{8} << random.below(4),
                          random.below(8) ? rank : number(), random.below(2) == 0,
                          random.below(4) == 0, cga},
        AutoLayout{},
        CoalescedLayout{},
    };
    Layout layout = candidates[random.below(std::size(candidates))];
    if (random.below(3) == 0)
      layout =
          SliceLayout{random.below(8) ? static_cast<int64_t>(random.below(3)) : number(), layout};
    else if (random.below(3) == 0)
      layout =
          DotOperandLayout{static_cast<int64_t>(random.below(2)), layout,
                           random.below(3) ? 2 * static_cast<int64_t>(random.below(2)) : number()};
    // Printing and comparing must work for anything, because messages do it.
    EXPECT_FALSE(layout.toString().empty());
    EXPECT_EQ(layout, Layout(layout));
    layout.cga();
    layout.rank();
    Ints shape = list(std::min(layout.rank().value_or(rank), 10u));
    bool fits = !layout.validate();
    if (!fits || layout.isPlaceholder() || checkShape(layout, shape))
      continue;
    checkFits(layout, 4, 32, 1);
    LinearLayout linear = layout.toLinear(shape);
    ASSERT_TRUE(linear.isSurjective()) << layout.toString() << linear.toString();
    for (auto [d, size] : llvm::enumerate(shape))
      ASSERT_EQ(linear.outSize(Dim::axis(d)), size);
    ++meaningful[layout.kind()];
  }
  EXPECT_EQ(meaningful.size(), 9u);
}

TEST(Layouts, MemoryRepeatsItselfAlongBasesOfZerosAlone) {
  RandomLayouts random(35);
  std::map<LayoutKind, int> withCopies;
  for (int trial = 0; trial < 8000; ++trial) {
    Ints shape = random.shape(1 + random.below(3), 3, 10);
    Layout layout = random.shared(shape, random.cga(shape.size()));
    if (layout.validate() || checkShape(layout, shape))
      continue;
    LinearLayout linear = layout.toLinear(shape);
    ASSERT_EQ(blockCopies(linear), linear.freeVariableMask(Dim::Block)) << layout.toString();
    withCopies[layout.kind()] += blockCopies(linear) != 0;
  }
  EXPECT_EQ(withCopies.size(), 4u);
  for (auto [kind, count] : withCopies)
    EXPECT_GT(count, 10) << int(kind);
}

TEST(Layouts, ShapesMustBePowersOfTwoOfTheRightRank) {
  Layout layout = blocked({1}, {32}, {4}, {0});
  EXPECT_FALSE(checkShape(layout, {128}));
  EXPECT_EQ(*checkShape(layout, {48}),
            "dimension 0 of the shape [48] has size 48, which is not a power of two");
  EXPECT_EQ(*checkShape(layout, {8, 16}),
            "the layout has rank 1, but the shape [8, 16] has rank 2");
}

TEST(Layouts, LayoutsMustFitWhereTheyAreUsed) {
  Layout layout = blocked({1, 1}, {8, 8}, {4, 2}, {1, 0});
  EXPECT_FALSE(checkFits(layout, 8, 64, 1));
  EXPECT_EQ(*checkFits(layout, 8, 32, 1),
            "the layout has 64 threads per warp, but the target has 32");
  EXPECT_EQ(*checkFits(layout, 4, 64, 1), "the layout has 8 warps, but the context has 4");
  EXPECT_EQ(*checkFits(layout, 8, 64, 2), "the layout is made for 1 CTA, but the kernel has 2");
  EXPECT_TRUE(checkFits(SliceLayout{0, layout}, 4, 64, 1));
  EXPECT_FALSE(checkFits(AutoLayout{}, 4, 64, 1));
  EXPECT_FALSE(checkFits(SwizzledSharedLayout{1, 1, 1, {0}, {}}, 4, 64, 1));
}

TEST(Layouts, PrintAsTheLanguageConstructsThem) {
  Layout layout = blocked({1, 8}, {4, 8}, {4, 1}, {1, 0});
  EXPECT_EQ(layout.toString(), "BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])");
  EXPECT_EQ(Layout(SliceLayout{1, layout}).toString(),
            "SliceLayout(1, BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))");
  EXPECT_EQ(blocked({1}, {32}, {4}, {0}, {{1}}).toString(),
            "BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])");
  EXPECT_EQ(Layout(AutoLayout{}).toString(), "AutoLayout()");
  EXPECT_EQ(Layout(SwizzledSharedLayout{8, 1, 4, {1, 0}, {}}).toString(),
            "SwizzledSharedLayout(vec=8, per_phase=1, max_phase=4, order=[1, 0])");
  EXPECT_EQ(Layout(SharedLinearLayout{{{1}}, {}, 16}).toString(),
            "SharedLinearLayout(offset_bases=[[1]], block_bases=[], alignment=16)");
}

TEST(Layouts, EqualityIsByContentAndHashesFollow) {
  RandomLayouts random(33);
  for (int trial = 0; trial < 200; ++trial) {
    Layout a = random.blocked(2), b = random.blocked(2);
    Layout copy = BlockedLayout(*a.as<BlockedLayout>());
    ASSERT_EQ(a, copy);
    ASSERT_EQ(hash_value(a), hash_value(copy));
    ASSERT_EQ(a == b, a.toString() == b.toString());
    ASSERT_NE(Layout(SliceLayout{0, a}), Layout(SliceLayout{1, a}));
    ASSERT_EQ(Layout(SliceLayout{0, a}), Layout(SliceLayout{0, copy}));
  }
}

TEST(Layouts, OrderIsFastestFirst) {
  EXPECT_EQ(orderOf(blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}).toLinear({64, 64}))[0], 1u);
  EXPECT_EQ(orderOf(blocked({4, 1}, {8, 4}, {4, 1}, {0, 1}).toLinear({64, 64}))[0], 0u);
}

TEST(Layouts, EveryCtaHasItsShare) {
  Layout layout = blocked({1, 1}, {32, 1}, {4, 1}, {1, 0}, {{1, 0}, {0, 0}});
  EXPECT_EQ(shapePerCta(layout, {128, 64}), (Ints{64, 64}));
  EXPECT_EQ(shapePerCta(layout, {1, 64}), (Ints{1, 64}));
}

namespace {

std::string pythonText(int64_t value) { return std::to_string(value); }
std::string pythonText(bool value) { return value ? "True" : "False"; }
template <typename T> std::string pythonText(const T &) { return "None"; }

template <typename T> void checkSchema(const T *) {
  std::set<std::string> names;
  unsigned count = 0;
  T::fields([&](const Field &field, auto member) {
    ++count;
    EXPECT_TRUE(names.insert(field.name.str()).second) << field.name.str();
    if (!field.missing.empty() && field.missing != "None") {
      EXPECT_EQ(pythonText(T{}.*member), field.missing.str()) << field.name.str();
    }
  });
  if constexpr (requires { T::textOrder; }) {
    std::set<unsigned> places(std::begin(T::textOrder), std::end(T::textOrder));
    EXPECT_EQ(places.size(), count);
    EXPECT_EQ(*places.rbegin(), count - 1);
  }
}

} // namespace

TEST(Layouts, SchemasSayWhatTheStructsAre) {
#define GL_LAYOUT(Kind, Where)                                                                     \
  EXPECT_EQ(nameOf(LayoutKind::Kind), #Kind "Layout");                                             \
  checkSchema(static_cast<const Kind##Layout *>(nullptr));
#include "layout/named/Layouts.def"
}
