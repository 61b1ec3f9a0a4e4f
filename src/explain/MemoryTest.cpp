//===- MemoryTest.cpp - Sectors and wavefronts counted by hand ------------------===//
#include "explain/Memory.h"

#include <gtest/gtest.h>

#include <array>

namespace gluonc::explain {
namespace {

/// Lane l accesses `bytes` at begin + l * stride.
llvm::SmallVector<ptx::Touch, 32> lanes(uint64_t begin, int64_t stride, unsigned bytes,
                                        unsigned count = 32) {
  llvm::SmallVector<ptx::Touch, 32> touches;
  for (unsigned lane = 0; lane != count; ++lane)
    touches.push_back({begin + lane * stride, bytes, static_cast<uint8_t>(lane)});
  return touches;
}

void expectSectors(const SectorCount &count, unsigned sectors, unsigned ideal, unsigned used) {
  EXPECT_EQ(count.sectors, sectors);
  EXPECT_EQ(count.idealSectors, ideal);
  EXPECT_EQ(count.usedBytes, used);
}

TEST(ExplainSectors, NeighboursFillThem) {
  expectSectors(countSectors(lanes(256, 4, 4)), 4, 4, 128);
  expectSectors(countSectors(lanes(256, 16, 16)), 16, 16, 512);
  expectSectors(countSectors(lanes(256, 1, 1)), 1, 1, 32);
  EXPECT_EQ(countSectors(lanes(256, 4, 4)).stride, 4);
}

TEST(ExplainSectors, AMisalignedRunTakesOneMore) {
  expectSectors(countSectors(lanes(260, 4, 4)), 5, 4, 128);
}

TEST(ExplainSectors, StridesWasteTheRest) {
  expectSectors(countSectors(lanes(256, 8, 4)), 8, 4, 128);
  expectSectors(countSectors(lanes(256, 4096, 4)), 32, 4, 128);
  expectSectors(countSectors(lanes(256, 16, 4)), 16, 4, 128);
  // Downwards as upwards.
  expectSectors(countSectors(lanes(4096, -8, 4)), 9, 4, 128);
}

TEST(ExplainSectors, OneWordForAllLanesIsOneSector) {
  SectorCount count = countSectors(lanes(256, 0, 4));
  expectSectors(count, 1, 1, 4);
  EXPECT_EQ(count.stride, 0);
}

TEST(ExplainSectors, LanesThatOverlapCountOnce) {
  expectSectors(countSectors(lanes(256, 4, 8)), 5, 5, 132);
}

TEST(ExplainSectors, AFewLanesMayNotFillOne) {
  expectSectors(countSectors(lanes(256, 4, 4, 3)), 1, 1, 12);
  expectSectors(countSectors({}), 0, 0, 0);
  EXPECT_FALSE(countSectors(lanes(256, 4, 4, 1)).stride);
}

TEST(ExplainSectors, AddressesWithoutAPatternHaveNoStride) {
  auto touches = lanes(256, 4, 4);
  for (unsigned lane = 0; lane != 32; ++lane)
    touches[lane].address = 256 + 64 * (lane * lane % 37);
  EXPECT_FALSE(countSectors(touches).stride);
}

TEST(ExplainSectors, RowsOfATileArePieces) {
  // Four rows of eight lanes, 100 bytes apart: two of them begin within a sector.
  llvm::SmallVector<ptx::Touch, 32> touches;
  for (unsigned lane = 0; lane != 32; ++lane)
    touches.push_back({256 + lane / 8 * 96 + lane / 16 * 4 + lane % 8 * 4, 4, uint8_t(lane)});
  SectorCount count = countSectors(touches);
  EXPECT_EQ(count.stride, 4);
  EXPECT_EQ(count.pieces, 4u);
  EXPECT_EQ(count.misalignedPieces, 2u);
  expectSectors(count, 6, 4, 128);
  EXPECT_EQ(countSectors(lanes(256, 4, 4)).pieces, 1u);
  EXPECT_EQ(countSectors(lanes(256, 8, 4)).pieces, 32u);
}

void expectWavefronts(const WavefrontCount &count, unsigned wavefronts, unsigned ideal) {
  EXPECT_EQ(count.wavefronts, wavefronts);
  EXPECT_EQ(count.ideal, ideal);
}

TEST(ExplainWavefronts, WordsOfDifferentBanksTakeOne) {
  expectWavefronts(countWavefronts(lanes(1024, 4, 4)), 1, 1);
  // An odd number of words apart: another bank each.
  expectWavefronts(countWavefronts(lanes(1024, 33 * 4, 4)), 1, 1);
  // One word for all lanes, and halves of words.
  expectWavefronts(countWavefronts(lanes(1024, 0, 4)), 1, 1);
  expectWavefronts(countWavefronts(lanes(1024, 2, 2)), 1, 1);
}

TEST(ExplainWavefronts, WordsOfOneBankComeOneByOne) {
  expectWavefronts(countWavefronts(lanes(1024, 128, 4)), 32, 1);
  expectWavefronts(countWavefronts(lanes(1024, 8, 4)), 2, 1);
  expectWavefronts(countWavefronts(lanes(1024, 64, 4)), 16, 1);
}

TEST(ExplainWavefronts, WideAccessesRunInPhases) {
  expectWavefronts(countWavefronts(lanes(1024, 8, 8)), 2, 2);
  expectWavefronts(countWavefronts(lanes(1024, 16, 16)), 4, 4);
  // 16 lanes, each two words, all from banks 0 and 1.
  expectWavefronts(countWavefronts(lanes(1024, 128, 8)), 32, 2);
  // Eight lanes of a phase, two rows of 64 bytes apart: banks 0-3, 16-19 in turns.
  expectWavefronts(countWavefronts(lanes(1024, 64, 16)), 16, 4);
}

TEST(ExplainWavefronts, HalvesOfAWarpShareWideAddresses) {
  expectWavefronts(countWavefronts(lanes(1024, 0, 16)), 2, 2);
  expectWavefronts(countWavefronts(lanes(1024, 0, 16, 1)), 1, 1);
  // Eight addresses, four times: phases stay apart.
  auto touches = lanes(1024, 16, 16);
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane % 8 * 16;
  expectWavefronts(countWavefronts(touches), 4, 4);
}

TEST(ExplainWavefronts, PhasesAreOneWhereNeighboursWantTheSame) {
  // As a reduction reads what two warps left: each four lanes, or all even ones, one pair of words.
  auto touches = lanes(1024, 8, 8);
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane / 4 * 8;
  expectWavefronts(countWavefronts(touches), 1, 1);
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane % 2 * 64;
  expectWavefronts(countWavefronts(touches), 1, 1);
  // Not of a store.
  expectWavefronts(countWavefronts(touches, /*reads=*/false), 2, 2);
  // Words of one bank still come one by one.
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane % 2 * 128;
  expectWavefronts(countWavefronts(touches), 2, 1);
  // Every fourth lane agrees: not near enough.
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane % 4 * 8;
  expectWavefronts(countWavefronts(touches), 2, 2);
  // Lanes that want nothing agree with all.
  llvm::erase_if(touches, [](const ptx::Touch &touch) { return touch.lane % 2 != 0; });
  for (ptx::Touch &touch : touches)
    touch.address = 1024 + touch.lane * 4;
  expectWavefronts(countWavefronts(touches), 1, 1);
}

TEST(ExplainWavefronts, RowsOfMatricesAreAPhaseEach) {
  // ldmatrix.x2: rows of 16 bytes in rows of 128 bytes lie in the same banks.
  expectWavefronts(countWavefronts(lanes(1024, 128, 16, 16)), 16, 2);
  expectWavefronts(countWavefronts(lanes(1024, 16, 16, 16)), 2, 2);
}

// -- LDS of AMD's chips ----------------------------------------------------------

void expectCycles(llvm::ArrayRef<ptx::Touch> touches, unsigned banks, bool reads, unsigned cycles,
                  unsigned ideal) {
  WavefrontCount count = countLdsCycles(touches, banks, reads);
  EXPECT_EQ(count.wavefronts, cycles);
  EXPECT_EQ(count.ideal, ideal);
}

TEST(ExplainLds, NeighboursTakeAsManyLanesAsThereAreBanks) {
  expectCycles(lanes(0, 4, 4, 64), 32, true, 2, 2);
  expectCycles(lanes(0, 8, 8, 64), 32, true, 4, 4);
  expectCycles(lanes(0, 16, 16, 64), 32, true, 8, 8);
  // gfx950 reads the widest accesses from twice as many.
  expectCycles(lanes(0, 16, 16, 64), 64, true, 4, 4);
  expectCycles(lanes(0, 4, 4, 64), 64, true, 2, 2);
}

TEST(ExplainLds, AStrideOfAllBanksIsOneLaneAtATime) {
  expectCycles(lanes(0, 128, 4, 64), 32, true, 64, 2);
  // Where all lanes ask for one word they get it at once.
  expectCycles(lanes(64, 0, 4, 64), 32, true, 2, 2);
}

TEST(ExplainLds, WideReadsGoByFoursOfLanesAndWritesDoNot) {
  // Fours of lanes in one half of the banks or the other, in rows of their own.
  auto touchesOf = [](std::array<unsigned, 8> halves) {
    llvm::SmallVector<ptx::Touch, 64> touches;
    for (unsigned lane = 0; lane != 64; ++lane)
      touches.push_back({lane / 4 * 128 + halves[lane / 4 % 8] * 64 + lane % 4 * 16, 16,
                         static_cast<uint8_t>(lane)});
    return touches;
  };
  expectCycles(touchesOf({0, 1, 0, 1, 0, 1, 0, 1}), 32, /*reads=*/false, 8, 8);
  expectCycles(touchesOf({0, 1, 0, 1, 0, 1, 0, 1}), 32, /*reads=*/true, 8, 8);
  // Neighbours are apart; the first four and the sixth, which reads bring together, are not.
  expectCycles(touchesOf({0, 1, 0, 1, 1, 0, 1, 0}), 32, /*reads=*/false, 8, 8);
  expectCycles(touchesOf({0, 1, 0, 1, 1, 0, 1, 0}), 32, /*reads=*/true, 16, 8);
}

TEST(ExplainLds, TwoAddressesAreServedOneAfterTheOther) {
  llvm::SmallVector<ptx::Touch, 64> touches;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned half : {0u, 1u})
      touches.push_back({lane * 4 + half * 128, 4, static_cast<uint8_t>(lane)});
  expectCycles(touches, 64, true, 2, 2);
}

} // namespace
} // namespace gluonc::explain
