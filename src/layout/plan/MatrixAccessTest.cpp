#include "layout/plan/MatrixAccess.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

using namespace gluonc::layout;

namespace {

using Images = std::vector<uint32_t>;

LinearLayout mapOf(const Images &registers, const Images &lanes, const Images &warps,
                   unsigned offsetLog2, const Images &blocks = {}) {
  std::vector<uint64_t> bases;
  for (const Images *list : {&registers, &lanes, &warps, &blocks})
    bases.insert(bases.end(), list->begin(), list->end());
  return LinearLayout::fromPacked({{Dim::Register, unsigned(registers.size())},
                                   {Dim::Lane, unsigned(lanes.size())},
                                   {Dim::Warp, unsigned(warps.size())},
                                   {Dim::Block, unsigned(blocks.size())}},
                                  {{Dim::Offset, offsetLog2}}, bases);
}

uint32_t at(const LinearLayout &map, uint32_t reg, uint32_t lane, uint32_t warp) {
  return map.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}})[0].value;
}

/// Does what the instruction does, from its definition: which offset each lane's word comes from.
void expectMovesTheTensor(const LinearLayout &map, const MatrixAccess &plan) {
  std::set<uint32_t> moved;
  for (uint32_t warp = 0; warp < map.inSize(Dim::Warp); ++warp)
    for (uint32_t base : plan.bases) {
      auto rowAddress = [&](unsigned matrix, unsigned row) {
        uint32_t address = at(map, base, 0, warp), lane = 8 * matrix + row;
        for (unsigned bit = 0; bit < 5; ++bit)
          address ^= lane >> bit & 1 ? plan.laneImages[bit] : 0;
        return address;
      };
      for (unsigned matrix = 0; matrix < plan.matrices(); ++matrix)
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (unsigned i = 0; i < plan.elementsPerWord(); ++i) {
            uint32_t offset = plan.transposed ? rowAddress(matrix, 2 * (lane % 4) + i) + lane / 4
                                              : rowAddress(matrix, lane / 4) +
                                                    lane % 4 * plan.elementsPerWord() + i;
            uint32_t reg = plan.registerOf(base, matrix, i);
            ASSERT_EQ(offset, at(map, reg, lane, warp)) << "register " << reg << " lane " << lane;
            moved.insert(reg);
          }
    }
  EXPECT_EQ(moved.size(), size_t(map.inSize(Dim::Register)));
}

/// Random images for bits that may go anywhere: multiples of a row's elements, independent.
Images randomSteps(std::mt19937 &random, unsigned count, unsigned rowLog2) {
  Images steps(count);
  std::iota(steps.begin(), steps.end(), rowLog2);
  for (uint32_t &step : steps)
    step = 1u << step;
  for (unsigned i = 0; i < 20; ++i) { // row operations keep them independent
    unsigned to = random() % count, from = random() % count;
    if (to != from)
      steps[to] ^= steps[from];
  }
  return steps;
}

TEST(MatrixAccess, RowsAnywhere) {
  std::mt19937 random(1);
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned trial = 0; trial < 40; ++trial) {
      unsigned rowLog2 = bits == 8 ? 4 : bits == 16 ? 3 : 2;
      Images steps = randomSteps(random, 8, rowLog2), registers, lanes;
      uint32_t next = 1;
      for (; next < 32 / bits; next *= 2)
        registers.push_back(next);
      lanes = {next, 2 * next, steps[0], steps[1], steps[2]};
      unsigned more = random() % 4;
      registers.insert(registers.end(), steps.begin() + 3, steps.begin() + 3 + more);
      std::shuffle(registers.begin(), registers.end(), random);
      LinearLayout map = mapOf(registers, lanes, {steps[6], steps[7]}, 8 + rowLog2);
      std::optional<MatrixAccess> plan = planMatrixAccess(map, bits, true);
      ASSERT_TRUE(plan);
      EXPECT_FALSE(plan->transposed);
      EXPECT_EQ(plan->matrices(), 1u << std::min(more, 2u));
      expectMovesTheTensor(map, *plan);
    }
}

TEST(MatrixAccess, Transposed) {
  std::mt19937 random(2);
  for (unsigned trial = 0; trial < 40; ++trial) {
    Images steps = randomSteps(random, 8, 3);
    Images registers(steps.begin(), steps.begin() + 1 + trial % 4);
    LinearLayout map = mapOf(registers, {steps[4], steps[5], 1, 2, 4}, {steps[6]}, 11);
    EXPECT_FALSE(planMatrixAccess(map, 16, false));
    std::optional<MatrixAccess> plan = planMatrixAccess(map, 16, true);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->transposed);
    expectMovesTheTensor(map, *plan);
  }
}

TEST(MatrixAccess, NotThere) {
  // A thread that holds 8 bytes, a row cut by a warp, 64-bit elements, two copies in registers.
  EXPECT_FALSE(planMatrixAccess(mapOf({1, 2}, {4, 8, 16, 32, 64}, {}, 7), 16, true));
  EXPECT_FALSE(planMatrixAccess(mapOf({1}, {2, 4, 16, 32, 64}, {8 | 1}, 7), 16, true));
  EXPECT_FALSE(planMatrixAccess(mapOf({}, {1, 2, 4, 8, 16}, {}, 5), 64, true));
  EXPECT_FALSE(planMatrixAccess(mapOf({1, 8, 8}, {2, 4, 16, 32, 64}, {}, 7), 16, true));
  EXPECT_FALSE(planMatrixAccess(mapOf({1}, {2, 4, 8, 16}, {}, 5), 16, true));
  // A CTA of a cluster that begins within a row.
  EXPECT_TRUE(planMatrixAccess(mapOf({4, 64}, {1, 2, 8, 16, 32}, {}, 8, {128}), 32, true));
  EXPECT_FALSE(planMatrixAccess(mapOf({4, 64}, {1, 2, 8, 16, 32}, {}, 8, {128 | 1}), 32, true));
}

TEST(MatrixAccess, CopiesInLanes) {
  // All rows are one row: lanes 4 apart hold the same.
  LinearLayout map = mapOf({1, 8}, {2, 4, 0, 0, 0}, {0}, 4);
  std::optional<MatrixAccess> plan = planMatrixAccess(map, 16, true);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->matrices(), 2u);
  expectMovesTheTensor(map, *plan);
}

TEST(MatrixAccess, RowsInTheSameBanksComeOneByOne) {
  // Rows of 128 bytes; four matrices side by side.
  auto wavefronts = [](const Images &rows) {
    LinearLayout map = mapOf({1, 8, 16}, {2, 4, rows[0], rows[1], rows[2]}, {}, 9);
    std::optional<MatrixAccess> plan = planMatrixAccess(map, 16, true);
    return plan ? countMatrixWavefronts(map, *plan, 16) : 0;
  };
  EXPECT_EQ(wavefronts({64, 128, 256}), 4 * 8);
  // The first half of a swizzle, and all of it.
  EXPECT_EQ(wavefronts({64 | 8, 128, 256}), 4 * 4);
  EXPECT_EQ(wavefronts({64 | 8, 128 | 16, 256 | 32}), 4);
}

} // namespace
