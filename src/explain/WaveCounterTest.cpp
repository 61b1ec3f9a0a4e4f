//===- WaveCounterTest.cpp - What executes AMD's instructions ---------------------===//
#include "explain/WaveCounter.h"
#include "explain/WaveTiming.h"

#include <gtest/gtest.h>

namespace gluonc::explain {
namespace {

TEST(ExplainWaves, InstructionsBelongToUnitsByTheirNames) {
  for (auto [name, pipe] : std::initializer_list<std::pair<const char *, Pipe>>{
           {"v_mfma_f32_32x32x8_f16", Pipe::Tensor},
           {"v_wmma_f32_16x16x32_f16", Pipe::Tensor},
           {"v_fma_f32", Pipe::Float},
           {"v_pk_add_f16", Pipe::Float},
           {"v_exp_f32", Pipe::Special},
           {"v_add_u32", Pipe::Integer},
           {"v_and_or_b32", Pipe::Integer},
           {"v_mov_b32", Pipe::Move},
           {"v_accvgpr_read_b32", Pipe::Move},
           {"s_add_u32", Pipe::Scalar},
           {"s_mov_b32", Pipe::Scalar},
           {"s_waitcnt", Pipe::Control},
           {"s_cbranch_execz", Pipe::Control},
           {"s_load_dwordx4", Pipe::Memory},
           {"global_load_dwordx4", Pipe::Memory},
           {"buffer_load_dword", Pipe::Memory},
           {"ds_read_b128", Pipe::Memory},
           {"ds_bpermute_b32", Pipe::Shuffle},
           {"v_readfirstlane_b32", Pipe::Shuffle}})
    EXPECT_EQ(nameOf(wavePipeOf(name)), nameOf(pipe)) << name;
}

/// Of an instruction without a code object, so without lines.
TEST(ExplainWaves, AccessesAreCountedByCacheLines) {
  WaveCounter counter(/*codeObject=*/"", /*ldsBanks=*/32);
  amdgcn::Instruction load;
  load.mnemonic = "global_load_dword";
  amdgcn::Touched touched;
  for (unsigned lane = 0; lane != 64; ++lane)
    touched.addGlobal(lane, 4096 + 256 * lane, 4);
  counter.executed({load, 16, {0, 0, 0}, 0, ~uint64_t(0), touched});
  counter.executed({load, 16, {0, 0, 0}, 0, ~uint64_t(0), touched});
  Counts counts = counter.take();
  ASSERT_EQ(counts.instructions.size(), 1u);
  const GlobalCount &global = counts.instructions[0].global;
  EXPECT_EQ(counts.instructions[0].warps, 2u);
  EXPECT_EQ(global.requests, 2u);
  EXPECT_EQ(global.sectors, 128u);
  EXPECT_EQ(global.idealSectors, 4u);
  EXPECT_EQ(global.stride, 256);
  // The second time the lanes ask for the same.
  EXPECT_EQ(global.repeats, 1u);
}

TEST(ExplainWaves, PartsOfALaneThatLieSideBySideAreOneAccess) {
  amdgcn::Touched touched;
  for (unsigned part = 0; part != 4; ++part)
    touched.addGlobal(3, 1000 + 4 * part, 4);
  touched.addGlobal(4, 1016, 4);
  ASSERT_EQ(touched.global.size(), 2u);
  EXPECT_EQ(touched.global[0].bytes, 16u);
}

/// Instructions of 4 bytes, executed in any order.
class Waves {
public:
  Waves(std::initializer_list<const char *> code) {
    for (const char *text : code)
      this->code.push_back(amdgcn::parse(text));
  }
  WaveLiveness::Result run(std::initializer_list<size_t> order) {
    WaveLiveness liveness;
    std::optional<uint64_t> before;
    for (size_t number : order) {
      liveness.executed(4 * number, *code[number], before);
      before = 4 * number;
    }
    return liveness.find([](uint64_t address) {
      return ptx::SourcePlace{0, static_cast<unsigned>(address / 4 + 1), 1};
    });
  }
  std::vector<std::unique_ptr<amdgcn::Instruction>> code;
};

TEST(ExplainWaves, LiveRegistersAreThoseThatAreReadLater) {
  Waves waves = {"v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v2, 1", "v_add_u32_e32 v3, v1, v2",
                 "global_store_dword v3, v1, s[0:1]", "s_endpgm"};
  for (const auto &instruction : waves.code)
    ASSERT_TRUE(instruction);
  WaveLiveness::Result live = waves.run({0, 1, 2, 3, 4});
  EXPECT_EQ(live.counts[0], 0u);
  EXPECT_EQ(live.counts[4], 1u);
  EXPECT_EQ(live.counts[8], 2u);
  EXPECT_EQ(live.counts[12], 2u) << "a store reads what it stores";
  EXPECT_EQ(live.counts[16], 0u);
  EXPECT_EQ(live.most.registers, 2u);
  EXPECT_EQ(live.most.place.line, 3u);
  ASSERT_EQ(live.most.values.size(), 2u);
  EXPECT_EQ(live.most.values[0].second, 1u);
}

TEST(ExplainWaves, LoopsKeepWhatTheirNextIterationReads) {
  Waves waves = {"v_mov_b32_e32 v1, 0", "v_mov_b32_e32 v9, 0", "v_add_u32_e32 v1, v1, v9",
                 "s_cbranch_scc1 65534", "s_endpgm"};
  WaveLiveness::Result live = waves.run({0, 1, 2, 3, 2, 3, 4});
  EXPECT_EQ(live.counts[12], 2u) << "they go round again";
  EXPECT_EQ(live.counts[16], 0u);
}

TEST(ExplainWaves, ProductsReadTheirSumsAndAccumulatorsAreOthers) {
  std::unique_ptr<amdgcn::Instruction> product =
      amdgcn::parse("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]");
  ASSERT_TRUE(product);
  VectorUses uses = vectorUsesOf(*product);
  EXPECT_EQ(uses.written.count(), 16u);
  EXPECT_EQ(uses.read.count(), 20u);
  EXPECT_TRUE(uses.written[amdgcn::accumulatorRow]);
  std::unique_ptr<amdgcn::Instruction> sum = amdgcn::parse("v_fmac_f32_e32 v4, v1, v2");
  ASSERT_TRUE(sum);
  EXPECT_TRUE(vectorUsesOf(*sum).read[4]) << "what it adds to";
  std::unique_ptr<amdgcn::Instruction> write = amdgcn::parse("ds_write_b64 v0, v[2:3]");
  ASSERT_TRUE(write);
  EXPECT_TRUE(vectorUsesOf(*write).written.none());
  EXPECT_EQ(vectorUsesOf(*write).read.count(), 3u);
}

TEST(ExplainWaves, TheUnitThatNeedsMostIsTheLeastTime) {
  const target::amd::Speeds &speeds = *target::amd::speedsOf(*target::Target::parse("hip:gfx942"));
  Counts counts;
  InstructionCount product;
  product.text = "v_mfma_f32_32x32x8_f16";
  product.pipe = Pipe::Tensor;
  product.warps = 608;
  product.flops = uint64_t(608) * 2 * 32 * 32 * 8;
  InstructionCount sum;
  sum.pipe = Pipe::Float;
  sum.warps = 608 * 4;
  counts.instructions = {product, sum};
  // Two workgroups of four waves for each of 304 compute units.
  Timing timing = leastTimeOf(counts, speeds, 608, 4);
  EXPECT_TRUE(timing.isBound);
  EXPECT_EQ(timing.limit, "matrix cores");
  EXPECT_DOUBLE_EQ(timing.cycles, 2 * 2.0 * 32 * 32 * 8 / 2048);
  EXPECT_DOUBLE_EQ(timing.microseconds, timing.cycles / 2100);
  EXPECT_EQ(timing.busy[1].first, "vector units");
  EXPECT_DOUBLE_EQ(timing.busy[1].second, 8 / timing.cycles);
  // One wave has one of four SIMDs.
  EXPECT_DOUBLE_EQ(leastTimeOf(counts, speeds, 1, 1).cycles, 608 * 2.0 * 32 * 32 * 8 / 512);
  counts.memoryLines = 1 << 20;
  timing = leastTimeOf(counts, speeds, 608, 4);
  EXPECT_EQ(timing.limit, "memory");
  EXPECT_NEAR(timing.microseconds, 1e6 * (1 << 20) * 128 / 5.3e12, 1e-6);
}

TEST(ExplainWaves, RatesOfMatrixInstructions) {
  const target::amd::Speeds &mi300 = *target::amd::speedsOf(*target::Target::parse("hip:gfx942")),
                            &mi355 = *target::amd::speedsOf(*target::Target::parse("hip:gfx950"));
  EXPECT_FALSE(target::amd::speedsOf(*target::Target::parse("hip:gfx1250")));
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f32_32x32x8_f16"), 2048u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f32_16x16x16_bf16"), 2048u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f32_16x16x32_fp8_bf8"), 4096u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_i32_32x32x16_i8"), 4096u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f32_16x16x8_xf32"), 1024u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f32_32x32x2_f32"), 256u);
  EXPECT_EQ(matrixRateOf(mi300, "v_mfma_f64_16x16x4_f64"), 256u);
  EXPECT_EQ(matrixRateOf(mi300, "v_smfmac_f32_32x32x16_f16"), 4096u);
  EXPECT_EQ(matrixRateOf(mi300, "v_add_f32"), 0u);
  EXPECT_EQ(matrixRateOf(mi355, "v_mfma_f32_32x32x16_f16"), 4096u);
  EXPECT_EQ(matrixRateOf(mi355, "v_mfma_scale_f32_16x16x128_f8f6f4"), 16384u);
}

} // namespace
} // namespace gluonc::explain
