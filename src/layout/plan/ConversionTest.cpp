#include "layout/plan/Conversion.h"

#include "layout/RandomLayouts.h"
#include "layout/named/Layouts.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <map>

using namespace gluonc::layout;

namespace {

/// What every register of every thread holds; element ids are packed output indices + 1, so that 0
/// means never written.
class RegisterFile {
public:
  explicit RegisterFile(const LinearLayout &layout)
      : registers(layout.inSize(Dim::Register)), lanes(layout.inSize(Dim::Lane)),
        warps(layout.inSize(Dim::Warp)), blocks(layout.inSize(Dim::Block)),
        values(registers * lanes * warps * blocks, 0) {}

  uint64_t &at(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) {
    return values[((block * warps + warp) * lanes + lane) * registers + reg];
  }

  template <typename Body> void eachThread(Body body) {
    for (uint32_t block = 0; block < blocks; ++block)
      for (uint32_t warp = 0; warp < warps; ++warp)
        for (uint32_t lane = 0; lane < lanes; ++lane)
          body(lane, warp, block);
  }

  static RegisterFile filledBy(const LinearLayout &layout, llvm::ArrayRef<Dim> outs) {
    RegisterFile file(layout);
    LinearLayout ordered = layout.transposeOuts(outs);
    file.eachThread([&](uint32_t lane, uint32_t warp, uint32_t block) {
      for (uint32_t reg = 0; reg < file.registers; ++reg)
        file.at(reg, lane, warp, block) =
            1 +
            ordered.applyPacked(ordered.packIn(
                {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, block}}));
    });
    return file;
  }

  bool operator==(const RegisterFile &other) const { return values == other.values; }

  uint32_t registers, lanes, warps, blocks;
  std::vector<uint64_t> values;
};

void exchange(std::vector<uint64_t> &values, llvm::ArrayRef<LaneSwap> swaps, uint32_t lane) {
  for (const LaneSwap &swap : swaps) {
    if (!(llvm::popcount(lane & swap.laneMask) & 1))
      continue;
    std::vector<uint64_t> old = values;
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = old[i ^ swap.registerMask];
  }
}

void run(const IdentityPlan &, RegisterFile &src, RegisterFile &dst) { dst.values = src.values; }

void run(const RegisterPlan &plan, RegisterFile &src, RegisterFile &dst) {
  dst.eachThread([&](uint32_t lane, uint32_t warp, uint32_t block) {
    for (uint32_t reg = 0; reg < dst.registers; ++reg)
      dst.at(reg, lane, warp, block) = src.at(plan.source[reg], lane, warp, block);
  });
}

void run(const ShufflePlan &plan, RegisterFile &src, RegisterFile &dst) {
  for (uint32_t block = 0; block < dst.blocks; ++block) {
    for (uint32_t warp = 0; warp < dst.warps; ++warp) {
      std::vector<std::vector<uint64_t>> work(src.lanes);
      for (uint32_t lane = 0; lane < src.lanes; ++lane) {
        for (uint32_t reg = 0; reg < 1u << plan.sourceLog2; ++reg)
          work[lane].push_back(src.at(reg, lane, warp, block));
        exchange(work[lane], plan.before, lane);
      }
      for (uint32_t lane = 0; lane < dst.lanes; ++lane) {
        std::vector<uint64_t> result(size_t{1} << plan.resultLog2, 0);
        for (const ShuffleRound &round : plan.rounds)
          result[round.result] = work[plan.sourceLane(lane, round.laneXor)][round.source];
        exchange(result, plan.after, lane);
        for (uint32_t reg = 0; reg < dst.registers; ++reg)
          dst.at(reg, lane, warp, block) = result[plan.destination[reg]];
      }
    }
  }
}

/// The address of a thread's part of an access: what code would compute once.
uint64_t threadPlace(const SharedHalf &half, uint32_t lane, uint32_t warp, uint32_t block) {
  return half.map.applyPacked(
      half.map.packIn({{Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, block}}));
}

/// Where in memory the registers of an instruction are: those of one lane's vector, or of its words
/// of matrices, whose rows are where other lanes say.
std::vector<uint32_t> placesOf(const SharedHalf &half, const SharedInstruction &instruction,
                               uint32_t elementBits, uint32_t lane, uint32_t warp, uint32_t block) {
  std::vector<uint32_t> places;
  if (!half.matrices) {
    uint32_t base = half.map.outComponent(threadPlace(half, lane, warp, block), Dim::Offset);
    uint32_t start =
        (base ^ (instruction.offset & half.threadBits)) + (instruction.offset & ~half.threadBits);
    EXPECT_EQ(start % instruction.registers.size(), 0u);
    for (uint32_t j = 0; j < instruction.registers.size(); ++j)
      places.push_back(start + j);
    return places;
  }
  uint32_t base = half.map.outComponent(threadPlace(half, 0, warp, block), Dim::Offset);
  uint32_t perWord = 32 / elementBits;
  for (uint32_t matrix = 0; matrix < half.matrices->matrices(); ++matrix) {
    for (uint32_t element = 0; element < perWord; ++element) {
      bool isTransposed = half.matrices->transposed;
      uint32_t row = isTransposed ? lane % 4 * perWord + element : lane / 4;
      uint32_t start = base ^ instruction.offset;
      for (auto [bit, image] : llvm::enumerate(half.matrices->laneImages))
        start ^= (8 * matrix + row) >> bit & 1 ? image : 0;
      EXPECT_EQ(start * elementBits % 128, 0u);
      places.push_back(start + (isTransposed ? lane / 4 : lane % 4 * perWord + element));
    }
  }
  return places;
}

void run(const SharedPlan &plan, RegisterFile &src, RegisterFile &dst) {
  bool crosses = plan.sync == SyncScope::Cluster;
  // For a warp-wide sync, every warp must find what it needs in what it wrote itself.
  auto scratchOf = [&](uint32_t warp, uint32_t block) {
    return std::pair(plan.sync == SyncScope::Warp ? warp : 0, block);
  };
  for (unsigned repetition = 0; repetition < plan.repetitions; ++repetition) {
    std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, uint64_t>> scratch;
    src.eachThread([&](uint32_t lane, uint32_t warp, uint32_t block) {
      if ((lane & plan.store.redundantLanes) || (warp & plan.store.redundantWarps))
        return;
      for (const SharedInstruction &instruction : plan.store.instructions[repetition]) {
        auto places = placesOf(plan.store, instruction, plan.elementBits, lane, warp, block);
        for (auto [place, reg] : llvm::zip_equal(places, instruction.registers)) {
          ASSERT_LT((place + 1) * plan.elementBits / 8, plan.scratchBytes + 1u);
          scratch[scratchOf(warp, block)][place] = src.at(reg, lane, warp, block);
        }
      }
    });
    dst.eachThread([&](uint32_t lane, uint32_t warp, uint32_t block) {
      uint64_t place = threadPlace(plan.load, lane, warp, block);
      for (const SharedInstruction &instruction : plan.load.instructions[repetition]) {
        uint32_t from = block;
        if (crosses)
          from =
              plan.load.map.outComponent(place ^ plan.load.map.applyPacked(plan.load.map.packIn(
                                                     {{Dim::Register, instruction.registers[0]}})),
                                         Dim::Block);
        auto places = placesOf(plan.load, instruction, plan.elementBits, lane, warp, block);
        for (auto [offset, reg] : llvm::zip_equal(places, instruction.registers))
          dst.at(reg, lane, warp, block) = scratch[scratchOf(warp, from)][offset];
      }
    });
  }
  dst.eachThread([&](uint32_t lane, uint32_t warp, uint32_t block) {
    for (uint32_t reg = 0; reg < dst.registers; ++reg)
      dst.at(reg, lane, warp, block) = dst.at(plan.load.representative[reg], lane, warp, block);
  });
}

llvm::SmallVector<Dim, 4> outDimsOf(const LinearLayout &layout) {
  llvm::SmallVector<Dim, 4> outs;
  for (const DimSize &out : layout.outDims())
    outs.push_back(out.dim);
  return outs;
}

/// Runs the plan on a register file and compares with the definition.
::testing::AssertionResult isRight(const ConversionPlan &plan, const LinearLayout &src,
                                   const LinearLayout &dst) {
  RegisterFile before = RegisterFile::filledBy(src, outDimsOf(src)), after(dst);
  std::visit([&](const auto &steps) { run(steps, before, after); }, plan);
  if (after == RegisterFile::filledBy(dst, outDimsOf(src)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << describe(plan).str() << "\nfrom " << src.toString() << "\nto   " << dst.toString();
}

int64_t conflicts(const SharedHalf &half, unsigned elementBits) {
  if (half.matrices)
    return countMatrixWavefronts(half.map, *half.matrices, elementBits) -
           half.matrices->matrices() * int64_t(half.matrices->bases.size());
  RegisterVectors vectors;
  vectors.log2 = half.vectorLog2;
  for (const auto &instructions : half.instructions)
    for (const SharedInstruction &instruction : instructions)
      vectors.vectors.push_back(instruction.registers);
  return countBankConflicts(half.map, vectors, elementBits);
}

LinearLayout blocked(Ints spt, Ints tpw, Ints wpc, Ints order, llvm::ArrayRef<int64_t> shape) {
  return BlockedLayout{spt, tpw, wpc, order, {}}.toLinear(shape);
}

const DimSize threadDims[] = {{Dim::Register, 3}, {Dim::Lane, 5}, {Dim::Warp, 2}};
const DimSize tensorDims[] = {{Dim::axis(0), 6}, {Dim::axis(1), 4}};

} // namespace

TEST(Conversion, SameLayoutNeedsNothing) {
  LinearLayout layout = blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}, {64, 64});
  EXPECT_EQ(describe(planConversion(layout, layout, 32)), "identity");
}

TEST(Conversion, OtherOrderOfRegistersNeedsNoCommunication) {
  LinearLayout src = blocked({2, 4}, {8, 4}, {4, 1}, {1, 0}, {64, 16});
  LinearLayout dst = src.withBases(Dim::Register, {src.packedBasis(Dim::Register, 2),
                                                   src.packedBasis(Dim::Register, 0),
                                                   src.packedBasis(Dim::Register, 1)});
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(describe(plan), "registers");
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, LaneForRegisterIsOneExchangeAndShuffles) {
  LinearLayout src = blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}, {32, 16});
  // The lowest lane bit and the lowest register bit change places.
  llvm::SmallVector<uint64_t, 8> registers(src.packedBases(Dim::Register)),
      lanes(src.packedBases(Dim::Lane));
  std::swap(registers[0], lanes[0]);
  LinearLayout dst = src.withBases(Dim::Register, registers).withBases(Dim::Lane, lanes);
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(describe(plan), "shuffle");
  const ShufflePlan &shuffle = std::get<ShufflePlan>(plan);
  EXPECT_EQ(shuffle.before.size(), 1u);
  EXPECT_EQ(shuffle.after.size(), 1u);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, ManyExchangesGoThroughSharedMemoryWithoutCtaBarrier) {
  // A transposition inside each warp.
  LinearLayout src = blocked({1, 8}, {32, 1}, {4, 1}, {1, 0}, {128, 8});
  LinearLayout dst = blocked({8, 1}, {4, 8}, {4, 1}, {0, 1}, {128, 8});
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(describe(plan), "shared");
  EXPECT_EQ(std::get<SharedPlan>(plan).sync, SyncScope::Warp);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, BroadcastAcrossWarpsIsReadFromTheOwnCopy) {
  LinearLayout src = blocked({1}, {32}, {4}, {0}, {32});
  LinearLayout sources = nearestSources(src, src);
  EXPECT_TRUE(sources.isTrivialOver({Dim::Register, Dim::Lane, Dim::Warp, Dim::Block}));
}

TEST(Conversion, LanesThatHoldCopiesMayReadAnyOfThem) {
  LinearLayout src = blocked({1}, {32}, {1}, {0}, {32});
  LinearLayout dst =
      BlockedLayout{{1, 1}, {8, 4}, {1, 1}, {1, 0}, {}}.toLinear({32, 1}).reshapeOuts(
          {{Dim::axis(0), 5}});
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(describe(plan), "shuffle");
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, TransposeIsVectorizedAndConflictFree) {
  Ints shape{64, 64};
  LinearLayout src = blocked({1, 4}, {2, 16}, {4, 1}, {1, 0}, shape);
  LinearLayout dst = blocked({4, 1}, {16, 2}, {1, 4}, {0, 1}, shape);
  SharedPlan plan = planThroughShared(src, dst, 32);
  EXPECT_EQ(conflicts(plan.store, 32), 0);
  EXPECT_EQ(conflicts(plan.load, 32), 0);
  EXPECT_EQ(plan.sync, SyncScope::Cta);
  EXPECT_EQ(plan.scratchBytes, 64 * 64 * 4);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, CommonRegistersAreOneVector) {
  Ints shape{64, 64};
  LinearLayout src = blocked({1, 4}, {2, 16}, {4, 1}, {1, 0}, shape);
  LinearLayout dst = blocked({1, 4}, {32, 1}, {1, 4}, {1, 0}, shape);
  SharedPlan plan = planThroughShared(src, dst, 32);
  EXPECT_EQ(plan.store.vectorLog2, 2u);
  EXPECT_EQ(plan.load.vectorLog2, 2u);
}

TEST(Conversion, OneSideIsWideEvenIfNoRegistersAreCommon) {
  // Rows to columns: the loading side finds its own elements consecutive.
  Ints shape{128, 64};
  LinearLayout src = blocked({1, 1}, {1, 32}, {4, 1}, {1, 0}, shape);
  LinearLayout dst = blocked({1, 1}, {32, 1}, {1, 4}, {0, 1}, shape);
  for (unsigned elementBits : {16u, 32u}) {
    SharedPlan plan = planThroughShared(src, dst, elementBits);
    EXPECT_EQ(std::max(plan.store.vectorLog2, plan.load.vectorLog2), elementBits == 16 ? 3u : 2u);
    EXPECT_EQ(conflicts(plan.store, elementBits), 0);
    EXPECT_EQ(conflicts(plan.load, elementBits), 0);
    EXPECT_TRUE(isRight(plan, src, dst));
  }
}

TEST(Conversion, OperandsAreLoadedAsMatrices) {
  // 16 bytes of a row of A in a thread; each of 8 words of an operand would be a load of its own.
  Ints shape{64, 64};
  LinearLayout src = blocked({1, 8}, {4, 8}, {4, 1}, {1, 0}, shape);
  Layout mma = NVMMADistributedLayout{{2, 0}, {2, 2}, {16, 8}, {}};
  LinearLayout a =
      Layout(DotOperandLayout{0, mma, 2}).toLinear(shape).removeZeroBases(Dim::Register);
  LinearLayout b =
      Layout(DotOperandLayout{1, mma, 2}).toLinear(shape).removeZeroBases(Dim::Register);
  ConversionOptions options;
  options.matrixLoads = true;
  for (bool isB : {false, true}) {
    const LinearLayout &dst = isB ? b : a;
    SharedPlan plan = planThroughShared(src, dst, 16, options);
    ASSERT_TRUE(plan.load.matrices);
    EXPECT_EQ(plan.load.matrices->matrices(), 4u);
    EXPECT_EQ(plan.load.matrices->transposed, isB);
    EXPECT_EQ(plan.store.vectorLog2, 3u);
    EXPECT_TRUE(isRight(plan, src, dst));
  }
}

TEST(Conversion, RepetitionsKeepScratchWithinTheBudget) {
  Ints shape{128, 128};
  LinearLayout src = blocked({1, 4}, {1, 32}, {4, 1}, {1, 0}, shape);
  LinearLayout dst = blocked({1, 4}, {32, 1}, {1, 4}, {1, 0}, shape);
  ConversionOptions options;
  options.scratchBudgetBytes = 16 * 1024;
  SharedPlan plan = planThroughShared(src, dst, 32, options);
  EXPECT_GT(plan.repetitions, 1u);
  EXPECT_LT(plan.scratchBytes, 128 * 128 * 4);
  EXPECT_EQ(plan.scratchBytes * plan.repetitions, 128 * 128 * 4);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, EveryPlanBetweenBlockedLayoutsIsRightAndConflictFree) {
  RandomLayouts random(1);
  std::map<std::string, int> kinds;
  for (int trial = 0; trial < 1000; ++trial) {
    unsigned rank = 1 + random.below(3);
    Ints shape = random.shape(rank, 0, 11);
    LinearLayout src = random.blocked(rank).toLinear(shape);
    LinearLayout dst = random.blocked(rank).toLinear(shape);
    unsigned elementBits = 8u << random.below(4);
    ConversionOptions options;
    options.scratchBudgetBytes = 1024 << random.below(6);
    ConversionPlan plan = planConversion(src, dst, elementBits, options);
    ++kinds[describe(plan).str()];
    ASSERT_TRUE(isRight(plan, src, dst)) << elementBits;
    SharedPlan shared = planThroughShared(src, dst, elementBits, options);
    ASSERT_TRUE(isRight(shared, src, dst)) << elementBits;
    ASSERT_EQ(conflicts(shared.store, elementBits), 0) << src.toString() << "\n" << dst.toString();
    ASSERT_EQ(conflicts(shared.load, elementBits), 0) << src.toString() << "\n" << dst.toString();
  }
  // The trials must reach every kind of plan.
  EXPECT_EQ(kinds.size(), 4u);
}

TEST(Conversion, EveryPlanBetweenLayoutsOfMatrixProductsIsRightAndFreeOfConflicts) {
  RandomLayouts random(6);
  std::map<std::string, int> kinds;
  for (int trial = 0; trial < 400; ++trial) {
    unsigned rank = 2 + random.below(5) / 4;
    Ints shape = random.shape(rank, 4, 12);
    Layout from = random.matrix(rank), to = random.matrix(rank);
    // Often layouts of one family: a result becomes the operand of the next product.
    if (const auto *operand = to.as<DotOperandLayout>(); operand && random.below(2))
      from = operand->parent;
    LinearLayout src = from.toLinear(shape).removeZeroBases(Dim::Register);
    LinearLayout dst = to.toLinear(shape).removeZeroBases(Dim::Register);
    unsigned elementBits = 8u << random.below(4);
    ConversionPlan plan = planConversion(src, dst, elementBits);
    ++kinds[describe(plan).str()];
    ASSERT_TRUE(isRight(plan, src, dst)) << from.toString() << "\n" << to.toString();
    SharedPlan shared = planThroughShared(src, dst, elementBits);
    ASSERT_TRUE(isRight(shared, src, dst)) << from.toString() << "\n" << to.toString();
    ASSERT_EQ(conflicts(shared.store, elementBits), 0) << from.toString() << "\n" << to.toString();
    ASSERT_EQ(conflicts(shared.load, elementBits), 0) << from.toString() << "\n" << to.toString();
  }
  EXPECT_GE(kinds.size(), 3u);
}

TEST(Conversion, EveryPlanByMatricesIsRightAndFreeOfConflicts) {
  RandomLayouts random(11);
  int loads = 0, stores = 0, columns = 0, inRepetitions = 0;
  auto layout = [&](unsigned rank) {
    for (;;) {
      Layout any = random.below(2) ? random.matrix(rank) : Layout(random.blocked(rank));
      if (any.toLinear(Ints(rank, 64)).inLog2(Dim::Lane) == 5)
        return any;
    }
  };
  for (int trial = 0; trial < 1500; ++trial) {
    unsigned rank = 2 + random.below(5) / 4;
    Ints shape = random.shape(rank, 4, 12);
    Layout from = layout(rank), to = layout(rank);
    LinearLayout src = from.toLinear(shape).removeZeroBases(Dim::Register);
    LinearLayout dst = to.toLinear(shape).removeZeroBases(Dim::Register);
    if (src.inLog2(Dim::Warp) != dst.inLog2(Dim::Warp))
      continue;
    unsigned elementBits = 8u << random.below(3);
    ConversionOptions options;
    options.matrixLoads = true;
    options.matrixStores = random.below(2);
    options.scratchBudgetBytes = 1024 << random.below(6);
    SharedPlan plan = planThroughShared(src, dst, elementBits, options);
    ASSERT_TRUE(isRight(plan, src, dst)) << from.toString() << "\n" << to.toString();
    ASSERT_EQ(conflicts(plan.store, elementBits), 0) << from.toString() << to.toString();
    ASSERT_EQ(conflicts(plan.load, elementBits), 0) << from.toString() << to.toString();
    loads += plan.load.matrices.has_value();
    stores += plan.store.matrices.has_value();
    columns += plan.load.matrices && plan.load.matrices->transposed;
    inRepetitions += plan.repetitions > 1 && (plan.load.matrices || plan.store.matrices);
  }
  EXPECT_GT(loads, 20);
  EXPECT_GT(stores, 10);
  EXPECT_GT(columns, 5);
  EXPECT_GT(inRepetitions, 1);
}

// The result of a product of halves is the left operand of the next one without any move: what
// attention kernels live from.
TEST(Conversion, ResultsAreLeftOperandsInPlace) {
  for (int64_t version : {2, 3}) {
    Layout result = NVMMADistributedLayout{
        {version, 0}, {4, 1}, version == 2 ? Ints{16, 8} : Ints{16, 64, 16}, {}};
    LinearLayout src = result.toLinear({64, 64});
    LinearLayout dst = Layout(DotOperandLayout{0, result, 2}).toLinear({64, 64});
    EXPECT_EQ(describe(planConversion(src, dst, 16)), "identity");
    LinearLayout bytes = Layout(DotOperandLayout{0, result, 4}).toLinear({64, 64});
    EXPECT_EQ(describe(planConversion(src, bytes, 8)), "shuffle");
  }
}

TEST(Conversion, EveryPlanBetweenPermutationsWithinAWarpIsRight) {
  RandomLayouts random(2);
  int shuffles = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    unsigned registers = random.below(5);
    Ints image = random.permutation(registers + 5);
    auto permuted = [&] {
      Ints order = random.permutation(registers + 5);
      llvm::SmallVector<uint64_t, 12> bases;
      for (int64_t bit : order)
        bases.push_back(uint64_t{1} << bit);
      return LinearLayout::fromPacked({{Dim::Register, registers}, {Dim::Lane, 5}},
                                      {{Dim::axis(0), registers + 5}}, bases);
    };
    LinearLayout src = permuted(), dst = permuted();
    ConversionOptions options;
    options.maxSwaps = 5;
    ConversionPlan plan = planConversion(src, dst, 32, options);
    shuffles += describe(plan) == "shuffle";
    // Shuffles always suffice here.
    ASSERT_NE(describe(plan), "shared");
    ASSERT_TRUE(isRight(plan, src, dst));
  }
  EXPECT_GT(shuffles, 500);
}

TEST(Conversion, EveryPlanBetweenArbitraryLinearLayoutsIsRight) {
  RandomLayouts random(3);
  for (int trial = 0; trial < 800; ++trial) {
    LinearLayout src = random.surjective(threadDims, tensorDims);
    LinearLayout dst = random.surjective(threadDims, tensorDims);
    // Half of the trials keep the warps, so that shuffles are possible.
    if (trial % 2) {
      LinearLayout mix = random.surjective({{Dim::Register, 3}, {Dim::Lane, 5}},
                                           {{Dim::Register, 3}, {Dim::Lane, 5}}) *
                         LinearLayout::identity1D(2, Dim::Warp, Dim::Warp);
      dst = mix.compose(src);
    }
    ConversionOptions options;
    options.maxSwaps = 5;
    options.scratchBudgetBytes = 1024 << random.below(4);
    unsigned elementBits = 8u << random.below(4);
    ASSERT_TRUE(isRight(planConversion(src, dst, elementBits, options), src, dst));
    SharedPlan shared = planThroughShared(src, dst, elementBits, options);
    ASSERT_TRUE(isRight(shared, src, dst));
    ASSERT_EQ(conflicts(shared.store, elementBits), 0);
    ASSERT_EQ(conflicts(shared.load, elementBits), 0);
  }
}

/// A layout of 64 elements whose bases are zero or sums of others now and then: every kind of
/// copies.
LinearLayout withCopies(RandomLayouts &random, llvm::ArrayRef<DimSize> ins) {
  for (;;) {
    LinearLayout layout = random.any(ins, {{Dim::axis(0), 6}});
    llvm::SmallVector<uint64_t, 12> bases(layout.packedBases());
    for (uint64_t &basis : bases)
      if (random.below(5) == 0)
        basis = 0;
    layout = LinearLayout::fromPacked(layout.inDims(), layout.outDims(), bases);
    if (layout.isSurjective())
      return layout;
  }
}

TEST(Conversion, EveryPlanWithCopiesIsRight) {
  RandomLayouts random(4);
  const DimSize ins[] = {{Dim::Register, 3}, {Dim::Lane, 5}, {Dim::Warp, 2}};
  for (int trial = 0; trial < 800; ++trial) {
    LinearLayout src = withCopies(random, ins), dst = withCopies(random, ins);
    ASSERT_TRUE(isRight(planConversion(src, dst, 16), src, dst));
    ASSERT_TRUE(isRight(planThroughShared(src, dst, 16), src, dst));
  }
}

TEST(Conversion, EveryPlanWithCopiesInClustersIsRight) {
  RandomLayouts random(8);
  const DimSize ins[] = {{Dim::Register, 2}, {Dim::Lane, 3}, {Dim::Warp, 1}, {Dim::Block, 3}};
  for (int trial = 0; trial < 3000; ++trial) {
    LinearLayout src = withCopies(random, ins), dst = withCopies(random, ins);
    ASSERT_TRUE(isRight(planConversion(src, dst, 16), src, dst));
    ASSERT_TRUE(isRight(planThroughShared(src, dst, 16), src, dst));
  }
}

TEST(Conversion, BlocksThatKeepTheirShareNeedNoCluster) {
  BasisList cga{{1, 0}};
  LinearLayout src = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, cga}.toLinear({128, 64});
  LinearLayout dst = BlockedLayout{{4, 1}, {4, 8}, {1, 4}, {0, 1}, cga}.toLinear({128, 64});
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(describe(plan), "shared");
  EXPECT_EQ(std::get<SharedPlan>(plan).sync, SyncScope::Cta);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, BlocksThatChangeTheirShareNeedTheCluster) {
  LinearLayout src = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{1, 0}}}.toLinear({128, 64});
  LinearLayout dst = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{0, 1}}}.toLinear({128, 64});
  ConversionPlan plan = planConversion(src, dst, 32);
  ASSERT_EQ(describe(plan), "shared");
  EXPECT_EQ(std::get<SharedPlan>(plan).sync, SyncScope::Cluster);
  EXPECT_TRUE(isRight(plan, src, dst));
}

TEST(Conversion, EveryPlanOverClustersIsRight) {
  RandomLayouts random(5);
  const BasisList clusters[] = {{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}, {{0, 0}, {1, 0}},
                                {{1, 0}, {2, 0}}, {{0, 0}, {0, 0}}, {{0, 1}, {0, 2}}};
  for (int trial = 0; trial < 300; ++trial) {
    Ints shape = random.shape(2, 2, 11);
    BlockedLayout from = random.blocked(2), to = random.blocked(2);
    from.cga = clusters[random.below(std::size(clusters))];
    to.cga = clusters[random.below(std::size(clusters))];
    LinearLayout src = from.toLinear(shape), dst = to.toLinear(shape);
    ASSERT_TRUE(isRight(planConversion(src, dst, 32), src, dst));
  }
}

TEST(BankConflicts, UnswizzledColumnAccessCollides) {
  // 32 lanes walk down a column of 32 floats a row: all in one bank.
  LinearLayout column = blocked({1, 1}, {32, 1}, {1, 1}, {1, 0}, {32, 32});
  LinearLayout plain = SwizzledSharedLayout{1, 1, 1, {1, 0}, {}}.toLinear({32, 32});
  EXPECT_EQ(bankConflicts(blocked({1, 1}, {32, 1}, {1, 1}, {0, 1}, {32, 1}),
                          SwizzledSharedLayout{1, 1, 1, {1, 0}, {}}.toLinear({32, 1}), 32),
            0);
  RegisterVectors one = vectorizeAlong(*column.invertAndCompose(plain), Dim::Offset, 0);
  EXPECT_EQ(countBankConflicts(*column.invertAndCompose(plain), one, 32), 32 * 31);
  // In vectors of 4 words, 8 lanes a phase, each 8 ways.
  EXPECT_EQ(bankConflicts(column, plain, 32), 7);
  // With an XOR by the row they spread over all banks.
  LinearLayout swizzled = SwizzledSharedLayout{1, 1, 32, {1, 0}, {}}.toLinear({32, 32});
  EXPECT_EQ(bankConflicts(column, swizzled, 32), 0);
}

TEST(BankConflicts, PaddingByOneWordSpreadsAColumn) {
  LinearLayout column = blocked({1, 1}, {32, 1}, {1, 1}, {1, 0}, {32, 32});
  PaddedSharedLayout padded = PaddedSharedLayout::identityFor({{{32, 1}}}, {32, 32}, {1, 0});
  EXPECT_EQ(bankConflicts(
                column, padded.toLinear({32, 32}), 32,
                [&](int64_t offset) { return padded.physicalOffset(offset); }, padded.maxVector()),
            0);
}

TEST(BankConflicts, LanesOfOneWordDoNotCollide) {
  LinearLayout row = blocked({1}, {32}, {1}, {0}, {32});
  LinearLayout plain = SwizzledSharedLayout{1, 1, 1, {0}, {}}.toLinear({32});
  for (unsigned bits : {8u, 16u, 32u, 64u})
    EXPECT_EQ(bankConflicts(row, plain, bits), 0) << bits;
}

TEST(BankConflicts, StrideOfTwoWordsCostsOneWavefront) {
  // Lane l reads word 2 l: lanes 0 and 16 share a bank.
  LinearLayout map = LinearLayout::zeros1D(0, Dim::Register, Dim::Offset) *
                     LinearLayout::zeros1D(0, Dim::Lane, Dim::Offset, 1) *
                     LinearLayout::identity1D(5, Dim::Lane, Dim::Offset);
  EXPECT_EQ(countBankConflicts(map, vectorizeAlong(map, Dim::Offset, 2), 32), 1);
}

TEST(Vectorize, GroupsFollowTheBasesNotTheNumbers) {
  LinearLayout map = LinearLayout::fromPacked({{Dim::Register, 3}, {Dim::Lane, 1}},
                                              {{Dim::Offset, 4}}, {4, 1, 2, 8});
  RegisterVectors vectors = vectorizeAlong(map, Dim::Offset, 2);
  ASSERT_EQ(vectors.log2, 2u);
  ASSERT_EQ(vectors.vectors.size(), 2u);
  EXPECT_TRUE(llvm::equal(vectors.vectors[0], std::vector<uint32_t>{0, 2, 4, 6}));
  EXPECT_TRUE(llvm::equal(vectors.vectors[1], std::vector<uint32_t>{1, 3, 5, 7}));
}

TEST(Vectorize, UnalignedLanesForbidVectors) {
  // Lane 1 begins at offset 1, in the middle of a pair.
  LinearLayout map =
      LinearLayout::fromPacked({{Dim::Register, 1}, {Dim::Lane, 1}}, {{Dim::Offset, 2}}, {1, 3});
  EXPECT_EQ(vectorizeAlong(map, Dim::Offset, 2).log2, 0u);
}

TEST(Vectorize, CopiesAppearOnce) {
  LinearLayout map = blocked({2}, {32}, {1}, {0}, {1});
  RegisterVectors vectors = vectorizeAlong(map, Dim::axis(0), 2);
  EXPECT_EQ(vectors.log2, 0u);
  ASSERT_EQ(vectors.vectors.size(), 1u);
  EXPECT_TRUE(llvm::equal(vectors.representative, std::vector<uint32_t>{0, 0}));
}

TEST(Vectorize, ContiguityIsPerDim) {
  LinearLayout layout = blocked({2, 8}, {32, 1}, {4, 1}, {1, 0}, {256, 8});
  EXPECT_EQ(contiguousLog2(layout, 1), 3u);
  EXPECT_EQ(contiguousLog2(layout, 0), 1u);
}
