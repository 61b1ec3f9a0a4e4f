#include "layout/linear/LinearLayout.h"

#include "layout/RandomLayouts.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <set>

using namespace gluonc::layout;

namespace {

const Dim d0 = Dim::axis(0), d1 = Dim::axis(1), d2 = Dim::axis(2);

LinearLayout id(unsigned log2, Dim in, Dim out) { return LinearLayout::identity1D(log2, in, out); }

LinearLayout identityOf(llvm::ArrayRef<DimSize> dims) {
  LinearLayout result;
  for (const DimSize &size : dims)
    result *= id(size.log2, size.dim, size.dim);
  return result;
}

constexpr int trials = 300;

} // namespace

TEST(LinearLayout, AppliesTheXorOfItsBases) {
  std::optional<LinearLayout> layout = LinearLayout::create(
      {{Dim::Register, {{0, 1}, {3, 2}}}, {Dim::Lane, {{4, 1}}}}, {{d0, 3}, {d1, 2}});
  ASSERT_TRUE(layout);
  for (uint32_t reg = 0; reg < 4; ++reg) {
    for (uint32_t lane = 0; lane < 2; ++lane) {
      uint32_t x = (reg & 2 ? 3 : 0) ^ (lane ? 4 : 0);
      uint32_t y = (reg & 1 ? 1 : 0) ^ (reg & 2 ? 2 : 0) ^ (lane ? 1 : 0);
      auto result = layout->apply({{Dim::Lane, lane}, {Dim::Register, reg}});
      EXPECT_EQ(result[0], (Coord{d0, x}));
      EXPECT_EQ(result[1], (Coord{d1, y}));
    }
  }
}

TEST(LinearLayout, CreateRefusesWhatIsNoLayoutAndSaysWhy) {
  std::string why;
  EXPECT_FALSE(LinearLayout::create({{Dim::Lane, {{8}}}}, {{d0, 3}}, &why));
  EXPECT_EQ(why, "a lane basis has component 8, outside dimension dim0 of size 8");
  EXPECT_FALSE(LinearLayout::create({{Dim::Lane, {{-1}}}}, {{d0, 3}}));
  EXPECT_FALSE(LinearLayout::create({{Dim::Lane, {{1, 0}}}}, {{d0, 3}}, &why));
  EXPECT_EQ(why, "a lane basis has 2 components, but there are 1 dimensions");
  EXPECT_FALSE(LinearLayout::create({{Dim::Lane, {{1}}}, {Dim::Lane, {{2}}}}, {{d0, 3}}, &why));
  EXPECT_EQ(why, "input dimension lane is given twice");
  EXPECT_FALSE(LinearLayout::create({}, {{d0, 3}, {d0, 1}}));
  EXPECT_FALSE(LinearLayout::create({}, {{d0, 30}, {d1, 30}, {d2, 30}}));
}

TEST(LinearLayout, ProductAppendsBasesAndScalesThem) {
  LinearLayout product = id(2, Dim::Register, d0) * id(1, Dim::Lane, d1) *
                         id(1, Dim::Register, d1) * id(1, Dim::Lane, d0);
  EXPECT_EQ(product.toString(), "register: [1, 0] [2, 0] [0, 2]; lane: [0, 1] [4, 0]; "
                                "-> dim0 8, dim1 4");
}

TEST(LinearLayout, ProductIsAssociative) {
  RandomLayouts random(10);
  for (int i = 0; i < trials; ++i) {
    LinearLayout a = random.any({{Dim::Register, 2}, {Dim::Lane, 1}}, {{d0, 2}, {d1, 1}});
    LinearLayout b = random.any({{Dim::Lane, 2}}, {{d1, 2}, {d2, 1}});
    LinearLayout c = random.any({{Dim::Warp, 1}, {Dim::Register, 1}}, {{d2, 1}, {d0, 2}});
    ASSERT_EQ((a * b) * c, a * (b * c));
  }
}

TEST(LinearLayout, ComposeIsApplicationInTurn) {
  RandomLayouts random(11);
  for (int i = 0; i < trials; ++i) {
    LinearLayout inner = random.any({{Dim::Register, 3}, {Dim::Lane, 2}}, {{d0, 2}, {d1, 3}});
    // Other order and a larger input than needed.
    LinearLayout outer = random.any({{d1, 4}, {d0, 2}}, {{Dim::Offset, 5}});
    LinearLayout both = inner.compose(outer);
    for (uint64_t x = 0; x < 32; ++x) {
      uint64_t middle = inner.applyPacked(x);
      ASSERT_EQ(both.applyPacked(x),
                outer.applyPacked(outer.packIn(
                    {{d0, inner.outComponent(middle, d0)}, {d1, inner.outComponent(middle, d1)}})));
    }
  }
}

TEST(LinearLayout, ComposeIsAssociative) {
  RandomLayouts random(12);
  for (int i = 0; i < trials; ++i) {
    LinearLayout a = random.any({{Dim::Register, 4}}, {{d0, 2}, {d1, 3}});
    LinearLayout b = random.any({{d0, 2}, {d1, 3}}, {{Dim::Offset, 4}});
    LinearLayout c = random.any({{Dim::Offset, 4}}, {{Dim::Row, 3}, {Dim::Col, 3}});
    ASSERT_EQ(a.compose(b).compose(c), a.compose(b.compose(c)));
  }
}

TEST(LinearLayout, ComposedWithItsInverseIsTheIdentity) {
  RandomLayouts random(13);
  for (int i = 0; i < trials; ++i) {
    LinearLayout layout =
        random.surjective({{Dim::Register, 2}, {Dim::Lane, 4}}, {{d0, 3}, {d1, 3}});
    std::optional<LinearLayout> inverse = layout.invert();
    ASSERT_TRUE(inverse);
    ASSERT_EQ(layout.compose(*inverse), identityOf(layout.inDims()));
    ASSERT_EQ(inverse->compose(layout), identityOf(layout.outDims()));
  }
}

TEST(LinearLayout, OnlyBijectionsHaveAnInverse) {
  EXPECT_FALSE(LinearLayout::zeros1D(1, Dim::Lane, d0, 1).invert());
  EXPECT_FALSE((id(2, Dim::Lane, d0) * LinearLayout::zeros1D(1, Dim::Warp, d0)).invert());
}

TEST(LinearLayout, PseudoInverseFindsTheLeastPreimage) {
  RandomLayouts random(14);
  for (int i = 0; i < trials; ++i) {
    LinearLayout layout =
        random.surjective({{Dim::Register, 3}, {Dim::Lane, 3}, {Dim::Warp, 2}}, {{d0, 2}, {d1, 3}});
    std::optional<LinearLayout> inverse = layout.pseudoInvert();
    ASSERT_TRUE(inverse);
    ASSERT_EQ(inverse->compose(layout), identityOf(layout.outDims()));
    for (uint64_t y = 0; y < 32; ++y) {
      uint64_t least = 0;
      while (layout.applyPacked(least) != y)
        ++least;
      ASSERT_EQ(inverse->applyPacked(y), least);
    }
  }
}

TEST(LinearLayout, PseudoInverseNeedsSurjectivity) {
  EXPECT_FALSE(LinearLayout::zeros1D(3, Dim::Lane, d0, 1).pseudoInvert());
}

TEST(LinearLayout, InvertAndComposeSolvesForTheOuterLayout) {
  RandomLayouts random(15);
  for (int i = 0; i < trials; ++i) {
    LinearLayout wanted = random.any({{Dim::Register, 3}, {Dim::Lane, 2}}, {{d0, 2}, {d1, 3}});
    LinearLayout outer = random.surjective({{Dim::Offset, 6}}, {{d1, 3}, {d0, 2}});
    std::optional<LinearLayout> x = wanted.invertAndCompose(outer);
    ASSERT_TRUE(x);
    ASSERT_TRUE(x->compose(outer).transposeOuts({d0, d1}) == wanted);
  }
}

TEST(LinearLayout, InvertAndComposeFailsWhereTheOuterLayoutDoesNotReach) {
  EXPECT_FALSE(id(2, Dim::Lane, d0).invertAndCompose(LinearLayout::zeros1D(3, Dim::Offset, d0, 2)));
}

TEST(LinearLayout, RankCountsTheImages) {
  RandomLayouts random(18);
  for (int i = 0; i < trials; ++i) {
    LinearLayout layout = random.any({{Dim::Register, 2}, {Dim::Lane, 4}}, {{d0, 3}, {d1, 2}});
    std::set<uint64_t> images;
    for (uint64_t x = 0; x < 64; ++x)
      images.insert(layout.applyPacked(x));
    ASSERT_EQ(images.size(), size_t{1} << layout.rank());
    ASSERT_EQ(layout.isSurjective(), images.size() == 32);
    ASSERT_EQ(layout.isInjective(), images.size() == 64);
  }
}

TEST(LinearLayout, OwnersWithoutFreeVariablesAreUniqueAndReachEverything) {
  RandomLayouts random(19);
  for (int i = 0; i < trials; ++i) {
    LinearLayout layout = random.any({{Dim::Register, 2}, {Dim::Lane, 4}}, {{d0, 3}, {d1, 2}});
    uint64_t free = layout.freeVariables();
    EXPECT_EQ(layout.freeVariableMask(Dim::Register), free & 3);
    EXPECT_EQ(layout.freeVariableMask(Dim::Lane), free >> 2);
    std::set<uint64_t> all, owned;
    unsigned owners = 0;
    for (uint64_t x = 0; x < 64; ++x) {
      all.insert(layout.applyPacked(x));
      if (!(x & free)) {
        owned.insert(layout.applyPacked(x));
        ++owners;
      }
    }
    ASSERT_EQ(all, owned);
    ASSERT_EQ(owners, owned.size());
  }
}

TEST(LinearLayout, SublayoutKeepsWhatItNames) {
  RandomLayouts random(20);
  LinearLayout layout =
      random.any({{Dim::Register, 2}, {Dim::Lane, 3}, {Dim::Warp, 1}}, {{d0, 3}, {d1, 2}});
  LinearLayout part = layout.sublayout({Dim::Warp, Dim::Register}, {d1});
  for (uint32_t reg = 0; reg < 4; ++reg)
    for (uint32_t warp = 0; warp < 2; ++warp)
      EXPECT_EQ(part.apply({{Dim::Register, reg}, {Dim::Warp, warp}})[0],
                layout.apply({{Dim::Register, reg}, {Dim::Warp, warp}})[1]);
}

TEST(LinearLayout, SublayoutIsZeroOnlyWhereNothingMoves) {
  LinearLayout layout = id(2, Dim::Register, d0) * id(1, Dim::Lane, d1);
  EXPECT_TRUE(layout.sublayoutIsZero({Dim::Register}, {d1}));
  EXPECT_FALSE(layout.sublayoutIsZero({Dim::Register, Dim::Lane}, {d1}));
}

TEST(LinearLayout, ReshapingKeepsPackedIndices) {
  RandomLayouts random(21);
  LinearLayout layout = random.any({{Dim::Register, 2}, {Dim::Lane, 3}}, {{d0, 3}, {d1, 2}});
  LinearLayout flat = layout.flattenOuts(d0);
  for (uint64_t x = 0; x < 32; ++x)
    EXPECT_EQ(flat.applyPacked(x), layout.applyPacked(x));
  EXPECT_EQ(flat.reshapeOuts(layout.outDims()), layout);
}

TEST(LinearLayout, TransposingTwiceIsNothing) {
  RandomLayouts random(22);
  LinearLayout layout = random.any({{Dim::Register, 2}, {Dim::Lane, 3}}, {{d0, 3}, {d1, 2}});
  LinearLayout swapped = layout.transposeIns({Dim::Lane, Dim::Register}).transposeOuts({d1, d0});
  EXPECT_NE(swapped, layout);
  EXPECT_EQ(swapped.transposeIns({Dim::Register, Dim::Lane}).transposeOuts({d0, d1}), layout);
}

TEST(LinearLayout, ResizingMakesSmallTensorsBroadcastAndLargeOnesWrap) {
  LinearLayout tile = id(2, Dim::Register, d0) * id(1, Dim::Lane, d0);
  EXPECT_EQ(tile.notLarger({{d0, 1}}).toString(), "register: [1] [0]; lane: [0]; -> dim0 2");
  EXPECT_EQ(tile.notSmaller({{d0, 4}}).toString(), "register: [1] [2] [8]; lane: [4]; -> dim0 16");
  EXPECT_EQ(tile.notSmaller({{d0, 3}}), tile);
  EXPECT_EQ(tile.notLarger({{d0, 3}}), tile);
}

TEST(LinearLayout, ZeroBasesOfOneDimCanBeDropped) {
  LinearLayout layout =
      LinearLayout::fromPacked({{Dim::Register, 3}, {Dim::Lane, 1}}, {{d0, 2}}, {1, 0, 2, 0});
  EXPECT_EQ(layout.removeZeroBases(Dim::Register).toString(),
            "register: [1] [2]; lane: [0]; -> dim0 4");
}

TEST(LinearLayout, TrivialDimsMapToThemselvesAlone) {
  LinearLayout layout = LinearLayout::fromPacked({{Dim::Lane, 2}, {Dim::Warp, 1}},
                                                 {{Dim::Lane, 2}, {Dim::Warp, 1}}, {2, 1, 4});
  EXPECT_TRUE(layout.isTrivialOver({Dim::Warp}));
  EXPECT_FALSE(layout.isTrivialOver({Dim::Lane}));
  LinearLayout disturbed = LinearLayout::fromPacked({{Dim::Lane, 2}, {Dim::Warp, 1}},
                                                    {{Dim::Lane, 2}, {Dim::Warp, 1}}, {2, 5, 4});
  EXPECT_FALSE(disturbed.isTrivialOver({Dim::Warp}));
}
