#include "layout/named/Inference.h"

#include "layout/RandomLayouts.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <map>

using namespace gluonc::layout;

namespace {

Ints coordinates(const LinearLayout &layout, uint64_t packedIn) {
  Ints result;
  uint64_t image = layout.applyPacked(packedIn);
  for (const DimSize &out : layout.outDims())
    result.push_back(layout.outComponent(image, out.dim));
  return result;
}

int64_t rowMajor(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    number = number * size + i;
  return number;
}

BlockedLayout blocked(Ints spt, Ints tpw, Ints wpc, Ints order) {
  return {spt, tpw, wpc, order, {}};
}

/// A layout of some family for `shape`.
Layout someLayout(RandomLayouts &random, llvm::ArrayRef<int64_t> shape) {
  unsigned rank = shape.size();
  BlockedLayout base = random.blocked(rank);
  switch (random.below(rank < 2 ? 3 : 4)) {
  case 3:
    return random.matrix(rank);
  case 0:
    return base;
  case 1:
    return toExplicit(base.toLinear(shape));
  default:
    BlockedLayout parent = random.blocked(rank + 1);
    return SliceLayout{static_cast<int64_t>(random.below(rank + 1)), parent};
  }
}

constexpr int trials = 300;

} // namespace

TEST(Inference, TransposedThreadsKeepTheirElements) {
  RandomLayouts random(40);
  for (int trial = 0; trial < trials; ++trial) {
    unsigned rank = 1 + random.below(3);
    Ints shape = random.shape(rank, 0, 9), order = random.permutation(rank), newShape;
    for (int64_t d : order)
      newShape.push_back(shape[d]);
    Layout source = someLayout(random, shape);
    Inferred result = transposeLayout(source, shape, order);
    ASSERT_TRUE(result) << result.why;
    LinearLayout from = source.toLinear(shape), to = result.layout->toLinear(newShape);
    ASSERT_EQ(from.totalInLog2(), to.totalInLog2());
    for (uint64_t place = 0; place < uint64_t{1} << from.totalInLog2(); ++place) {
      Ints before = coordinates(from, place), after = coordinates(to, place);
      for (auto [i, d] : llvm::enumerate(order))
        ASSERT_EQ(after[i], before[d]) << source.toString();
    }
  }
}

TEST(Inference, TransposedBlockedStaysBlocked) {
  Inferred result =
      transposeLayout(blocked({1, 2, 4}, {2, 4, 4}, {4, 1, 1}, {2, 1, 0}), {8, 8, 16}, {2, 0, 1});
  ASSERT_TRUE(result);
  EXPECT_EQ(*result.layout, Layout(blocked({4, 1, 2}, {4, 2, 4}, {1, 4, 1}, {0, 2, 1})));
}

TEST(Inference, NothingChangesWhereDimsKeepTheirPlaces) {
  RandomLayouts random(48);
  for (int trial = 0; trial < 50; ++trial) {
    Layout layout = random.matrix(2);
    EXPECT_EQ(*transposeLayout(layout, {64, 64}, {0, 1}).layout, layout);
    EXPECT_EQ(*reshapeLayout(layout, {64, 64}, {64, 64}).layout, layout);
  }
}

TEST(Inference, TransposedTilesOfTensorCoresStayTiles) {
  NVMMASharedLayout tiles{128, 16, 2, false, false, {{0, 1}}};
  NVMMASharedLayout turned{128, 16, 2, true, false, {{1, 0}}};
  EXPECT_EQ(*transposeLayout(tiles, {64, 128}, {1, 0}).layout, Layout(turned));
  EXPECT_EQ(*transposeLayout(turned, {128, 64}, {1, 0}).layout, Layout(tiles));
}

TEST(Inference, ReshapedTilesOfTensorCoresStayTilesWhereRowsDo) {
  NVMMASharedLayout flat{64, 16, 2, false, false, {}}, deep{64, 16, 3, false, false, {}};
  EXPECT_EQ(*reshapeLayout(flat, {64, 32}, {4, 16, 32}).layout, Layout(deep));
  EXPECT_EQ(*reshapeLayout(deep, {4, 16, 32}, {64, 32}).layout, Layout(flat));
  // Rows of another length: only the bases can say it.
  Inferred other = reshapeLayout(flat, {64, 32}, {32, 64});
  ASSERT_TRUE(other);
  EXPECT_EQ(other.layout->kind(), LayoutKind::SharedLinear);
  EXPECT_EQ(other.layout->as<SharedLinearLayout>()->alignment, 512);
}

TEST(Inference, SlicesOfFragmentsGrowBack) {
  RandomLayouts random(49);
  for (int trial = 0; trial < 50; ++trial) {
    Layout layout = random.matrix(2);
    int64_t axis = random.below(2);
    Inferred reduced = reduceLayout(layout, axis);
    ASSERT_TRUE(reduced);
    EXPECT_EQ(*expandDimsLayout(*reduced.layout, {64}, axis).layout, layout);
  }
}

TEST(Inference, TransposedSharedMemoryKeepsItsBytes) {
  const Layout sources[] = {
      NVMMASharedLayout{64, 16, 2, false, false, {}}, NVMMASharedLayout{32, 16, 2, true, false, {}},
      SwizzledSharedLayout{4, 1, 8, {1, 0}, {}},
      PaddedSharedLayout::identityFor({{{8, 1}}}, {16, 32}, {1, 0}),
      SharedLinearLayout{
          {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 1}, {2, 2}, {4, 4}, {8, 8}}, {}, 16}};
  for (const Layout &source : sources) {
    Inferred result = transposeLayout(source, {16, 32}, {1, 0});
    ASSERT_TRUE(result) << result.why;
    EXPECT_EQ(result.layout->kind(), source.kind());
    LinearLayout from = source.toLinear({16, 32}), to = result.layout->toLinear({32, 16});
    for (uint64_t offset = 0; offset < 512; ++offset) {
      Ints before = coordinates(from, offset), after = coordinates(to, offset);
      ASSERT_EQ(before[0], after[1]);
      ASSERT_EQ(before[1], after[0]);
    }
  }
}

/// The places of the elements of shared memory, by their row-major numbers in `shape`.
std::vector<int64_t> elementsByPlace(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  LinearLayout linear = layout.toLinear(shape);
  std::vector<int64_t> elements;
  for (uint64_t place = 0; place < uint64_t{1} << linear.totalInLog2(); ++place)
    elements.push_back(rowMajor(coordinates(linear, place), shape));
  return elements;
}

TEST(Inference, ReshapedSharedMemoryKeepsItsBytes) {
  RandomLayouts random(43);
  std::map<LayoutKind, int> reshaped;
  for (int trial = 0; trial < 4000; ++trial) {
    unsigned log2 = random.below(10);
    Ints from = random.factors(log2, 1 + random.below(3)),
         to = random.factors(log2, 1 + random.below(3));
    Layout source = random.shared(from, random.below(2) ? random.cga(from.size()) : BasisList());
    Inferred result = reshapeLayout(source, from, to);
    if (source.validate() || checkShape(source, from)) {
      EXPECT_FALSE(result);
      continue;
    }
    if (!result) {
      ASSERT_FALSE(source.cga().empty()) << result.why;
      continue;
    }
    ASSERT_FALSE(result.layout->validate()) << source.toString();
    ASSERT_FALSE(checkShape(*result.layout, to)) << source.toString();
    ASSERT_EQ(elementsByPlace(source, from), elementsByPlace(*result.layout, to))
        << source.toString() << " " << result.layout->toString();
    ++reshaped[source.kind()];
  }
  EXPECT_EQ(reshaped.size(), 4u);
}

TEST(Inference, RefusesMoreDimsThanALayoutHas) {
  DistributedLinearLayout line{{}, {{1}}, {}, {}, {2}};
  Ints shape(24, 1);
  shape.back() = 2;
  EXPECT_TRUE(reshapeLayout(line, {2}, shape));
  shape.insert(shape.begin(), 1);
  EXPECT_EQ(reshapeLayout(line, {2}, shape).why, "a linear layout can have at most 24 dimensions");
}

TEST(Inference, BuffersHaveDims) {
  SwizzledSharedLayout one{1, 1, 1, {0}, {}};
  EXPECT_EQ(reshapeLayout(one, {1}, {}).why, "a buffer has at least one dimension");
  EXPECT_EQ(reshapeLayout(one, {1}, {1, 1}).layout->toString(),
            Layout(SwizzledSharedLayout{1, 1, 1, {1, 0}, {}}).toString());
}

TEST(Inference, ReshapedThreadsKeepTheirElements) {
  RandomLayouts random(41);
  int stayedBlocked = 0;
  for (int trial = 0; trial < trials; ++trial) {
    unsigned log2 = random.below(10);
    Ints from = random.factors(log2, 1 + random.below(3)),
         to = random.factors(log2, 1 + random.below(3));
    Layout source = someLayout(random, from);
    Inferred result = reshapeLayout(source, from, to);
    ASSERT_TRUE(result) << result.why;
    stayedBlocked += result.layout->kind() == LayoutKind::Blocked;
    LinearLayout before = source.toLinear(from), after = result.layout->toLinear(to);
    ASSERT_EQ(before.totalInLog2(), after.totalInLog2());
    for (uint64_t place = 0; place < uint64_t{1} << before.totalInLog2(); ++place)
      ASSERT_EQ(rowMajor(coordinates(before, place), from), rowMajor(coordinates(after, place), to))
          << source.toString() << " " << result.layout->toString();
  }
  EXPECT_GT(stayedBlocked, 20);
}

TEST(Inference, ReshapeSplitsABlockedDim) {
  Inferred result = reshapeLayout(blocked({4}, {32}, {4}, {0}), {512}, {4, 128});
  ASSERT_TRUE(result);
  EXPECT_EQ(*result.layout, Layout(blocked({1, 4}, {1, 32}, {4, 1}, {1, 0})));
  Inferred back = reshapeLayout(*result.layout, {4, 128}, {512});
  ASSERT_TRUE(back);
  EXPECT_EQ(*back.layout, Layout(blocked({4}, {32}, {4}, {0})));
}

TEST(Inference, ReshapeNeedsTheSameNumberOfElements) {
  EXPECT_EQ(reshapeLayout(blocked({4}, {32}, {4}, {0}), {512}, {4, 64}).why,
            "the shapes [512] and [4, 64] have different numbers of elements");
}

TEST(Inference, ExpandedSliceIsTheParent) {
  Layout parent = blocked({1, 4}, {8, 4}, {4, 1}, {1, 0});
  Inferred result = expandDimsLayout(SliceLayout{1, parent}, {64}, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result.layout, parent);
  EXPECT_EQ(expandDimsLayout(SliceLayout{1, parent}, {64}, 0).why,
            "a new dimension 0 needs a slice layout of that dimension, but the layout is "
            "SliceLayout(1, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))");
  EXPECT_FALSE(expandDimsLayout(blocked({1}, {32}, {4}, {0}), {64}, 0));
}

TEST(Inference, ReductionsLeaveASlice) {
  Layout source = blocked({1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_EQ(*reduceLayout(source, 0).layout, Layout(SliceLayout{0, source}));
  EXPECT_FALSE(reduceLayout(source, 2));
}

TEST(Inference, SplitUndoesJoin) {
  RandomLayouts random(42);
  for (int trial = 0; trial < trials; ++trial) {
    unsigned rank = 1 + random.below(2);
    Ints shape = random.shape(rank, 0, 8), pair = shape;
    pair.push_back(2);
    Layout source = someLayout(random, shape);
    Inferred joined = joinLayout(source, shape);
    ASSERT_TRUE(joined) << joined.why;
    // A slice that was split off goes back to where it was.
    if (const auto *slice = source.as<SliceLayout>(); slice && *joined.layout == slice->parent)
      continue;
    LinearLayout one = source.toLinear(shape), two = joined.layout->toLinear(pair);
    // Register 2 r + k holds element r of operand k.
    for (uint64_t place = 0; place < uint64_t{1} << one.totalInLog2(); ++place) {
      for (int64_t k = 0; k < 2; ++k) {
        Ints expected = coordinates(one, place);
        expected.push_back(k);
        ASSERT_EQ(coordinates(two, place * 2 + k), expected) << joined.layout->toString();
      }
    }
    Inferred split = splitLayout(*joined.layout, pair);
    ASSERT_TRUE(split) << split.why;
    ASSERT_EQ(split.layout->toLinear(shape), one.removeZeroBases(Dim::Register));
  }
}

TEST(Inference, JoinUndoesSplitWhereverThePairLies) {
  for (Ints order : {Ints{2, 1, 0}, Ints{0, 1, 2}, Ints{0, 2, 1}}) {
    Layout whole = blocked({1, 64, 2}, {32, 1, 1}, {4, 1, 1}, order);
    Inferred half = splitLayout(whole, {128, 64, 2});
    ASSERT_TRUE(half) << half.why;
    EXPECT_EQ(*half.layout, Layout(SliceLayout{2, whole}));
    EXPECT_EQ(*joinLayout(*half.layout, {128, 64}).layout, whole);
  }
}

TEST(Inference, SplitNeedsBothElementsInOneThread) {
  EXPECT_FALSE(splitLayout(blocked({1, 1}, {16, 2}, {4, 1}, {1, 0}), {64, 2}));
  EXPECT_FALSE(splitLayout(blocked({1, 2}, {32, 1}, {4, 1}, {1, 0}), {64, 4}));
}

TEST(Inference, UnpackingDoublesTheElementsOfAThread) {
  Inferred result = unpackLayout(blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}), {32, 16}, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result.layout, Layout(blocked({1, 8}, {8, 4}, {4, 1}, {1, 0})));
  result = unpackLayout(blocked({1, 1}, {8, 4}, {4, 1}, {1, 0}), {32, 16}, 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result.layout, Layout(blocked({2, 1}, {8, 4}, {4, 1}, {1, 0})));
}

TEST(Inference, UnpackingPutsPairsBeforeOtherNeighbours) {
  Inferred result = unpackLayout(blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}), {32, 16}, 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(
      result.layout->toLinear({64, 16}).packedBases(Dim::Register)[0],
      blocked({2, 1}, {8, 4}, {4, 1}, {0, 1}).toLinear({64, 16}).packedBases(Dim::Register)[0]);
}

TEST(Inference, PlaceholdersAreNotReshaped) {
  EXPECT_EQ(transposeLayout(AutoLayout{}, {4, 4}, {1, 0}).why,
            "AutoLayout() has not been resolved yet");
}
