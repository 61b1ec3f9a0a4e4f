// Tensor memory and registers: the layouts of instructions, and which instructions move a layout.
#include "layout/plan/TensorMemoryAccess.h"

#include <gtest/gtest.h>

#include <set>

using namespace gluonc::layout;

namespace {

struct Tile {
  LinearLayout memory;
  Ints shape;
  unsigned bits;
};

Tile tile(Ints block, int64_t stride, Ints shape, unsigned bits) {
  return {TensorMemoryLayout{block, stride, {}, false, false}.toLinear(shape), shape, bits};
}

Tile scales(Ints shape) { return {TensorMemoryScalesLayout{}.toLinear(shape), shape, 8}; }

DistributedLinearLayout registersOf(const Tile &tile, llvm::StringRef variant, int64_t warps = 4) {
  std::string why;
  auto registers = tensorMemoryRegisters(tile.memory, tile.shape, tile.bits, variant, warps, why);
  EXPECT_TRUE(registers) << why;
  return registers.value_or(DistributedLinearLayout{});
}

std::optional<TensorMemoryAccess> planOf(const Tile &tile, llvm::StringRef variant,
                                         int64_t warps = 4, unsigned words = 128) {
  LinearLayout registers = registersOf(tile, variant, warps).toLinear(tile.shape);
  return planTensorMemoryAccess(registers.removeZeroBases(Dim::Register), tile.memory, tile.bits,
                                words);
}

/// "32x32b.x64 0 64": the instruction, and where each begins.
std::string textOfPlan(const Tile &tile, llvm::StringRef variant, int64_t warps = 4,
                       unsigned words = 128) {
  auto plan = planOf(tile, variant, warps, words);
  if (!plan)
    return "none";
  std::string text = textOf(plan->shape).str() + ".x" + std::to_string(plan->repeat()) +
                     (plan->packs ? ".pack" : "");
  for (const auto &message : plan->messages)
    text += " " + std::to_string(message.offset >> 16 ? int(message.offset >> 16) * 1000 +
                                                            int(message.offset & 0xffff)
                                                      : int(message.offset));
  return text;
}

} // namespace

// What Triton 3.6 chooses for these tiles; offsets of 16 rows count 16000.
TEST(TensorMemoryAccess, InstructionsAreThoseOfTriton) {
  Tile square = tile({128, 64}, 1, {128, 64}, 32);
  EXPECT_EQ(textOfPlan(square, "32x32b"), "32x32b.x64 0");
  EXPECT_EQ(textOfPlan(tile({128, 128}, 1, {128, 128}, 32), "32x32b"), "32x32b.x128 0");
  EXPECT_EQ(textOfPlan(tile({128, 256}, 1, {128, 256}, 32), "32x32b", 4, 64),
            "32x32b.x64 0 64 128 192");
  EXPECT_EQ(textOfPlan(square, "16x64b"), "16x64b.x32 0 16000");
  EXPECT_EQ(textOfPlan(square, "16x128b"), "16x128b.x16 0 16000");
  EXPECT_EQ(textOfPlan(square, "16x256b"), "16x256b.x8 0 16000");
  EXPECT_EQ(textOfPlan(square, "16x64b", 8), "16x64b.x32 0");
  EXPECT_EQ(textOfPlan(square, "32x32b_splitn", 8), "32x32b.x16 0 32");
  EXPECT_EQ(textOfPlan(tile({128, 64}, 1, {128, 64}, 16), "32x32b"), "32x32b.x32 0");
  EXPECT_EQ(textOfPlan(tile({128, 64}, 2, {128, 64}, 16), "32x32b"), "32x32b.x32.pack 0");
  EXPECT_EQ(textOfPlan(tile({64, 64}, 1, {64, 64}, 32), "32x32b"), "16x32bx2.x32 0");
  EXPECT_EQ(planOf(tile({64, 64}, 1, {64, 64}, 32), "32x32b")->secondHalf, 32u);
  EXPECT_EQ(textOfPlan(tile({64, 64}, 1, {64, 64}, 32), "32x32b_splitn"), "16x32bx2.x16 0 32");
  EXPECT_EQ(planOf(tile({64, 64}, 1, {64, 64}, 32), "32x32b_splitn")->secondHalf, 16u);
  EXPECT_EQ(textOfPlan(tile({64, 32}, 1, {64, 64}, 32), "32x32b"), "32x32b.x32 0");
  EXPECT_EQ(textOfPlan(tile({64, 64}, 1, {128, 64}, 32), "32x32b"), "32x32b.x64 0");
  EXPECT_EQ(textOfPlan(tile({128, 16}, 1, {128, 16}, 8), "32x32b"), "32x32b.x4 0");
}

// A block of 64 along the depth has two scales of 32 elements: half of each column are copies.
TEST(TensorMemoryAccess, WordsMayEndInCopies) {
  EXPECT_EQ(textOfPlan(scales({128, 2}), "32x32b"), "32x32b.x4 0");
  auto plan = planOf(scales({128, 2}), "32x32b");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->wordBits.size(), 2u);
  EXPECT_NE(plan->wordBits[0], 0u);
  EXPECT_EQ(plan->wordBits[1], 0u);
  EXPECT_EQ(registersOf(scales({128, 2}), "32x32b").toLinear({128, 2}).inSize(Dim::Register), 8u);
}

TEST(TensorMemoryAccess, FurtherWarpsTakeTheHighestColumnsOrTheUpperRows) {
  Tile square = tile({128, 64}, 1, {128, 64}, 32);
  EXPECT_EQ(registersOf(square, "32x32b", 8).warpBases[2], (Ints{0, 32}));
  EXPECT_EQ(registersOf(square, "16x64b", 8).warpBases[2], (Ints{16, 0}));
  DistributedLinearLayout split = registersOf(square, "32x32b_splitn", 8);
  EXPECT_EQ(split.regBases.back(), (Ints{0, 32}));
  EXPECT_EQ(split.warpBases[2], (Ints{0, 16}));
  split = registersOf(tile({64, 64}, 1, {64, 64}, 32), "32x32b_splitn", 4);
  EXPECT_EQ(split.regBases.back(), (Ints{0, 32}));
  EXPECT_EQ(split.laneBases.back(), (Ints{0, 16}));
  EXPECT_EQ(registersOf(tile({128, 512}, 1, {128, 512}, 32), "32x32b", 8).warpBases[2],
            (Ints{0, 256}));
}

TEST(TensorMemoryAccess, NothingIsSplitWhereAThreadHasOneColumn) {
  Tile bytes = tile({128, 16}, 1, {128, 16}, 8);
  std::string why;
  EXPECT_FALSE(tensorMemoryRegisters(bytes.memory, bytes.shape, 8, "32x32b_splitn", 16, why));
  EXPECT_EQ(why, "a thread has less than two columns of 32 bits to split");
  EXPECT_EQ(textOfPlan(bytes, "32x32b_splitn", 8), "32x32b.x1 0 2");
  EXPECT_EQ(textOfPlan(bytes, "32x32b", 16), "32x32b.x1 0");
}

// Every element of the tile is moved once, from the row and column where it lies: the plan's words,
// read back by the fragments of the PTX ISA, against the layout of the memory itself.
TEST(TensorMemoryAccess, PlansMoveEachElementFromWhereItLies) {
  struct Case {
    Tile tile;
    int64_t warps;
  };
  const Case cases[] = {
      {tile({128, 64}, 1, {128, 64}, 32), 4},
      {tile({128, 64}, 1, {128, 64}, 32), 8},
      {tile({128, 64}, 1, {128, 64}, 32), 16},
      {tile({128, 32}, 1, {128, 128}, 32), 4},
      {tile({128, 64}, 1, {256, 64}, 32), 8},
      {tile({64, 64}, 1, {64, 64}, 32), 4},
      {tile({64, 32}, 1, {64, 64}, 32), 4},
      {tile({64, 64}, 1, {128, 64}, 32), 8},
      {tile({128, 64}, 1, {128, 64}, 16), 4},
      {tile({128, 64}, 2, {128, 64}, 16), 8},
      {tile({128, 64}, 1, {128, 64}, 8), 4},
      {tile({128, 64}, 4, {128, 64}, 8), 4},
      {tile({128, 256}, 1, {128, 256}, 32), 4},
      {scales({128, 2}), 4},
      {scales({256, 2}), 4},
      {scales({64, 2}), 8},
      {scales({128, 4}), 4},
  };
  unsigned checked = 0;
  for (const Case &each : cases)
    for (llvm::StringRef variant : {"32x32b", "16x64b", "16x128b", "16x256b", "32x32b_splitn"}) {
      const Tile &tile = each.tile;
      auto plan = planOf(tile, variant, each.warps);
      if (!plan)
        continue;
      ++checked;
      LinearLayout registers = registersOf(tile, variant, each.warps)
                                   .toLinear(tile.shape)
                                   .removeZeroBases(Dim::Register);
      std::set<std::pair<int64_t, int64_t>> seen;
      auto fragment = [&](unsigned lane, unsigned word) -> std::pair<unsigned, unsigned> {
        // (row, column) within an instruction.
        switch (plan->shape) {
        case TensorMemoryShape::S32x32b:
          return {lane, word};
        case TensorMemoryShape::S16x64b:
          return {lane / 4 + (lane & 1 ? 8 : 0), 0};
        case TensorMemoryShape::S16x128b:
          return {lane / 4 + (word & 1) * 8, lane % 4 + word / 2 * 4};
        case TensorMemoryShape::S16x256b:
          return {lane / 4 + (word & 2) * 4, lane % 4 * 2 + (word & 1) + word / 4 * 8};
        case TensorMemoryShape::S16x32bx2:
          return {lane % 16, word + (lane / 16) * plan->secondHalf};
        }
        return {0, 0};
      };
      for (unsigned warp = 0; warp < each.warps; ++warp)
        for (unsigned lane = 0; lane < 32; ++lane)
          for (const auto &message : plan->messages)
            for (unsigned word = 0; word < plan->words(); ++word)
              for (unsigned part = 0; part < plan->elementsPerWord(); ++part) {
                auto [row, column] = fragment(lane, word);
                if (plan->shape == TensorMemoryShape::S16x64b) {
                  // Lane bits: row 8, column 1, rows 1 2 4.
                  row = (lane & 1) * 8 + lane / 4;
                  column = (lane >> 1 & 1) + word * 2;
                }
                if (plan->packs)
                  column = column * 2 + part;
                unsigned group = 0;
                for (auto [bit, offset] : llvm::enumerate(plan->groupOffsets))
                  group += warp >> (2 + bit) & 1 ? offset : 0;
                const unsigned address = message.offset + group;
                row += warp % 4 * 32 + (address >> 16);
                column += address & 0xffff;
                // Several narrow elements in one column.
                const unsigned perColumn = 32 / tile.bits;
                const unsigned within = plan->packs ? 0 : part;
                auto inMemory =
                    tile.memory.apply({{Dim::Row, row}, {Dim::Col, column * perColumn + within}});
                auto inRegisters =
                    registers.apply({{Dim::Register, plan->registerOf(message.base, word, part)},
                                     {Dim::Lane, lane},
                                     {Dim::Warp, warp}});
                ASSERT_EQ(inMemory[0].value, inRegisters[0].value) << variant.str();
                ASSERT_EQ(inMemory[1].value, inRegisters[1].value) << variant.str();
                seen.insert({inMemory[0].value, inMemory[1].value});
              }
      EXPECT_EQ(seen.size(), size_t(tile.shape[0] * tile.shape[1])) << variant.str();
    }
  EXPECT_GT(checked, 50u);
}

TEST(TensorMemoryAccess, WhatNoInstructionMovesHasNoPlan) {
  Tile square = tile({128, 64}, 1, {128, 64}, 32);
  LinearLayout blocked = BlockedLayout{{1, 4}, {4, 8}, {4, 1}, {1, 0}, {}}.toLinear({128, 64});
  EXPECT_FALSE(planTensorMemoryAccess(blocked, square.memory, 32, 128));
  std::string why;
  EXPECT_FALSE(tensorMemoryRegisters(square.memory, square.shape, 32, "8x8", 4, why));
  EXPECT_EQ(why, "there is no such variant");
  EXPECT_FALSE(tensorMemoryRegisters(square.memory, square.shape, 32, "32x32b", 2, why));
}

TEST(TensorMemoryAccess, BuffersTakeWholeColumns) {
  EXPECT_EQ(tensorMemoryColumns(tile({128, 64}, 1, {128, 64}, 32).memory, 32), 64u);
  EXPECT_EQ(tensorMemoryColumns(tile({128, 64}, 1, {128, 64}, 16).memory, 16), 32u);
  EXPECT_EQ(tensorMemoryColumns(tile({128, 64}, 2, {128, 64}, 16).memory, 16), 64u);
  EXPECT_EQ(tensorMemoryColumns(TensorMemoryScalesLayout{}.toLinear({128, 8}), 8), 8u);
  EXPECT_TRUE(leavesHalfOfTensorMemory(tile({64, 64}, 1, {64, 64}, 32).memory));
  EXPECT_FALSE(leavesHalfOfTensorMemory(tile({64, 32}, 1, {64, 64}, 32).memory));
  EXPECT_EQ(tensorMemoryOffset(tile({128, 128}, 1, {256, 128}, 32).memory, 32, {128, 0}), 128u);
  EXPECT_EQ(tensorMemoryOffset(tile({64, 64}, 1, {128, 64}, 32).memory, 32, {64, 0}), 16u << 16);
}
