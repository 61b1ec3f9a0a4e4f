#include "codegen/amd/MoverShares.h"

#include "gtest/gtest.h"

using gluonc::codegen::amd::MemoryParts;
using gluonc::codegen::amd::MoverShares;
using gluonc::codegen::amd::shareBlock;

using Place = llvm::SmallVector<uint32_t, 5>;
using Places = llvm::SmallVector<Place, 5>;
using gluonc::layout::Ints;

TEST(MoverShares, CutTheOutermostDimFirst) {
  MoverShares shares = shareBlock({64, 32}, 4, std::nullopt);
  EXPECT_EQ(shares.piece, (Ints{16, 32}));
  EXPECT_EQ(shares.places, (Places{{16, 0}, {32, 0}}));
  EXPECT_EQ(shares.fixedBits, 0u);
}

TEST(MoverShares, CutTheNextDimWhereOneIsUsedUp) {
  MoverShares shares = shareBlock({2, 64}, 8, std::nullopt);
  EXPECT_EQ(shares.piece, (Ints{1, 16}));
  EXPECT_EQ(shares.places, (Places{{0, 16}, {0, 32}, {1, 0}}));
}

TEST(MoverShares, LeaveWavesWithoutWork) {
  MoverShares shares = shareBlock({1, 2}, 8, std::nullopt);
  EXPECT_EQ(shares.piece, (Ints{1, 1}));
  EXPECT_EQ(shares.fixedBits, 6u);
  EXPECT_EQ(shares.first, 0u);
}

TEST(MoverShares, GoToTheWavesOfAHint) {
  // Waves 2, 3, 6 and 7.
  MoverShares shares = shareBlock({64, 32}, 8, 0xcc);
  EXPECT_EQ(shares.piece, (Ints{16, 32}));
  EXPECT_EQ(shares.fixedBits, 2u);
  EXPECT_EQ(shares.first, 2u);
}

TEST(MoverShares, OfOneWaveAreTheBlock) {
  MoverShares shares = shareBlock({4, 8}, 4, 1 << 3);
  EXPECT_EQ(shares.piece, (Ints{4, 8}));
  EXPECT_EQ(shares.fixedBits, 3u);
  EXPECT_EQ(shares.first, 3u);
}

TEST(MoverShares, CutPartsOfMemoryFirst) {
  MoverShares shares = shareBlock({64, 32}, 8, std::nullopt, MemoryParts{1, 2});
  EXPECT_EQ(shares.piece, (Ints{16, 16}));
  EXPECT_EQ(shares.places, (Places{{0, 16}, {16, 0}, {32, 0}}));
  EXPECT_EQ(shares.turns.size(), 1u);
}

TEST(MoverShares, TakeMorePartsThanWavesInTurn) {
  MoverShares shares = shareBlock({64, 32}, 2, std::nullopt, MemoryParts{0, 8});
  EXPECT_EQ(shares.piece, (Ints{8, 32}));
  EXPECT_EQ(shares.places, (Places{{8, 0}}));
  EXPECT_EQ(shares.turns, (llvm::SmallVector<Place, 1>{{0, 0}, {16, 0}, {32, 0}, {48, 0}}));
}
