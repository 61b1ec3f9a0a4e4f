//===- WaveCounterTest.cpp - What executes AMD's instructions ---------------------===//
#include "explain/WaveCounter.h"

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

} // namespace
} // namespace gluonc::explain
