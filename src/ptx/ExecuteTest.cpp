//===- ExecuteTest.cpp - What instructions do, and what goes wrong -------------===//
#include "ptx/Execute.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gluonc::ptx {
namespace {

/// Runs a kernel whose body gets the address of `out` in %out and the thread's number in %t.
class Executed {
public:
  std::vector<uint32_t> out;
  ParseError error;
  std::optional<Fault> fault;

  explicit Executed(const std::string &body, Launch launch = {}, size_t words = 64)
      : out(words, 0xdeadbeef) {
    std::unique_ptr<Module> module =
        parse(".version 8.4\n.target sm_90a\n.address_size 64\n"
              ".extern .shared .align 16 .b8 mem[];\n"
              ".visible .entry k(.param .u64 p) {\n"
              ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n"
              ".reg .b64 %rd<16>;\n.reg .b32 %t;\n.reg .b64 %out;\n"
              "ld.param.b64 %out, [p];\nmov.u32 %t, %tid.x;\n" +
                  body + "\n}\n",
              error);
    if (!module)
      return;
    uint64_t slot = reinterpret_cast<uint64_t>(out.data());
    Range range = {slot, slot + 4 * words};
    launch.slots = slot;
    launch.memory = range;
    launch.sharedBytes = 1024;
    fault = execute(*module->kernel("k"), *module, launch);
  }
};

/// Thread t stores register %r1 in out[t].
const char *const storeResult =
    "mul.wide.u32 %rd15, %t, 4;\nadd.s64 %rd15, %out, %rd15;\nst.global.b32 [%rd15], %r1;\n";

Launch threads(unsigned count) {
  Launch launch;
  launch.threads = count;
  launch.stepLimit = 100000;
  return launch;
}

/// What one thread's instruction leaves in %r1.
uint32_t resultOf(const std::string &body) {
  Executed run(body + "\n" + storeResult, threads(1));
  EXPECT_EQ(run.error.message, "") << "line " << run.error.line;
  EXPECT_FALSE(run.fault) << run.fault->message;
  return run.out[0];
}

TEST(Ptx, IntegersWrapShiftAndExtract) {
  EXPECT_EQ(resultOf("add.s32 %r1, 2147483647, 1;"), 0x80000000u);
  EXPECT_EQ(resultOf("mul.hi.u32 %r1, 0xffffffff, 0xffffffff;"), 0xfffffffeu);
  EXPECT_EQ(resultOf("mul.wide.s32 %rd1, -2, 3; cvt.u32.u64 %r1, %rd1;"), 0xfffffffau);
  EXPECT_EQ(resultOf("div.s32 %r1, -7, 2;"), uint32_t(-3));
  EXPECT_EQ(resultOf("rem.s32 %r1, -7, 2;"), uint32_t(-1));
  EXPECT_EQ(resultOf("shl.b32 %r1, 1, 32;"), 0u);
  EXPECT_EQ(resultOf("shr.s32 %r1, -8, 99;"), 0xffffffffu);
  EXPECT_EQ(resultOf("shr.u32 %r1, 0x80000000, 31;"), 1u);
  EXPECT_EQ(resultOf("bfe.s32 %r1, 0x00000f00, 8, 4;"), 0xffffffffu);
  EXPECT_EQ(resultOf("bfi.b32 %r1, 0xf, 0, 4, 8;"), 0xf0u);
  EXPECT_EQ(resultOf("prmt.b32 %r1, 0x44332211, 0x88776655, 0x0f70;"), 0x11ff8811u);
  EXPECT_EQ(resultOf("lop3.b32 %r1, 0xc, 0xa, 0x6, 0xe8;"), 0xeu);
  EXPECT_EQ(resultOf("clz.b32 %r1, 0x00010000;"), 15u);
  EXPECT_EQ(resultOf("shf.l.wrap.b32 %r1, 0x80000000, 1, 1;"), 3u);
}

TEST(Ptx, NarrowTypesAreExtendedIntoWiderRegisters) {
  EXPECT_EQ(resultOf("mov.b32 %r2, 0x000000ff; cvt.s8.s32 %h1, %r2; cvt.s32.s16 %r1, %h1;"),
            0xffffffffu);
  EXPECT_EQ(resultOf("cvt.u16.u32 %h1, 0x12345678; cvt.u32.u16 %r1, %h1;"), 0x5678u);
  EXPECT_EQ(resultOf("cvt.sat.u8.s32 %r1, -5;"), 0u);
}

TEST(Ptx, FloatsRoundAsAsked) {
  // 1 + 2^-24 is between two floats.
  EXPECT_EQ(resultOf("add.rn.f32 %r1, 0f3F800000, 0f33800000;"), 0x3f800000u);
  EXPECT_EQ(resultOf("add.rp.f32 %r1, 0f3F800000, 0f33800000;"), 0x3f800001u);
  EXPECT_EQ(resultOf("add.rm.f32 %r1, 0fBF800000, 0fB3800000;"), 0xbf800001u);
  EXPECT_EQ(resultOf("add.rz.f32 %r1, 0f3F800000, 0f33FFFFFF;"), 0x3f800000u);
  EXPECT_EQ(resultOf("sqrt.rp.f32 %r1, 0f40000000;"), 0x3fb504f4u);
  EXPECT_EQ(resultOf("sqrt.rz.f32 %r1, 0f40000000;"), 0x3fb504f3u);
  EXPECT_EQ(resultOf("mul.rn.ftz.f32 %r1, 0f00800000, 0f3F000000;"), 0u);
  EXPECT_EQ(resultOf("mul.rn.f32 %r1, 0f00800000, 0f3F000000;"), 0x00400000u);
  EXPECT_EQ(resultOf("add.rn.sat.f32 %r1, 0f3F800000, 0f3F800000;"), 0x3f800000u);
  EXPECT_EQ(resultOf("max.f32 %r1, 0f7FC00000, 0fBF800000;"), 0xbf800000u);
  EXPECT_EQ(resultOf("max.NaN.f32 %r1, 0f7FC00000, 0fBF800000;"), 0x7fffffffu);
  EXPECT_EQ(resultOf("min.f32 %r1, 0f00000000, 0f80000000;"), 0x80000000u);
}

TEST(Ptx, ConversionsRoundAndSaturate) {
  EXPECT_EQ(resultOf("cvt.rni.s32.f32 %r1, 0f40200000;"), 2u); // 2.5
  EXPECT_EQ(resultOf("cvt.rpi.s32.f32 %r1, 0f40200000;"), 3u);
  EXPECT_EQ(resultOf("cvt.rzi.s32.f32 %r1, 0f7F800000;"), 0x7fffffffu);
  EXPECT_EQ(resultOf("cvt.rzi.u32.f32 %r1, 0fBF800000;"), 0u);
  EXPECT_EQ(resultOf("cvt.rzi.s32.f32 %r1, 0f7FC00000;"), 0u);
  EXPECT_EQ(resultOf("cvt.rn.f16x2.f32 %r1, 0f3F800000, 0f40000000;"), 0x3c004000u);
  EXPECT_EQ(resultOf("cvt.rn.bf16x2.f32 %r1, 0f3F800000, 0f40000000;"), 0x3f804000u);
  EXPECT_EQ(
      resultOf("cvt.rn.satfinite.e4m3x2.f32 %h1, 0f47000000, 0f3F800000; cvt.u32.u16 %r1, %h1;"),
      0x7e38u);
  EXPECT_EQ(resultOf("cvt.rna.tf32.f32 %r1, 0f3F801000;"), 0x3f802000u);
}

TEST(Ptx, LanesThatWentApartMeetAgain) {
  // Each lane runs a loop of its own length; the shuffle then needs all.
  Executed run(R"(
    mov.b32 %r1, 0;
    mov.b32 %r2, 0;
  again:
    setp.ge.u32 %p1, %r2, %t;
    @%p1 bra done;
    add.s32 %r1, %r1, %r2;
    add.s32 %r2, %r2, 1;
    bra again;
  done:
    shfl.sync.down.b32 %r1|%p2, %r1, 1, 31, -1;
    selp.b32 %r1, %r1, 777, %p2;
)" + std::string(storeResult),
               threads(32));
  ASSERT_FALSE(run.fault) << run.fault->message;
  EXPECT_EQ(run.out[3], 0u + 1 + 2 + 3);
  EXPECT_EQ(run.out[31], 777u);
}

TEST(Ptx, ALaneThatSpinsDoesNotKeepAwayTheOneItWaitsFor) {
  Executed run(R"(
    setp.eq.u32 %p1, %t, 0;
    @!%p1 bra store;
  spin:
    ld.volatile.shared.b32 %r2, [mem];
    setp.ne.b32 %p2, %r2, 5;
    @%p2 bra spin;
    bra join;
  store:
    st.volatile.shared.b32 [mem], 5;
  join:
    mov.b32 %r1, %t;
)" + std::string(storeResult),
               threads(32));
  ASSERT_FALSE(run.fault) << run.fault->message;
  EXPECT_EQ(run.out[31], 31u);
}

TEST(Ptx, BarriersOrderWarps) {
  Executed run(R"(
    shl.b32 %r3, %t, 2;
    mov.b32 %r4, mem;
    add.s32 %r4, %r4, %r3;
    st.shared.b32 [%r4], %t;
    bar.sync 0;
    xor.b32 %r3, %r3, 128;
    mov.b32 %r4, mem;
    add.s32 %r4, %r4, %r3;
    ld.shared.b32 %r1, [%r4];
)" + std::string(storeResult),
               threads(64));
  ASSERT_FALSE(run.fault) << run.fault->message;
  EXPECT_EQ(run.out[0], 32u);
  EXPECT_EQ(run.out[40], 8u);
}

TEST(Ptx, MbarriersCountArrivalsAndBytes) {
  Executed run(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra ready;
    mbarrier.init.shared::cta.b64 [mem], 2;
  ready:
    bar.sync 0;
    setp.ne.u32 %p1, %t, 32;
    @%p1 bra wait;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [mem], 8;
    mbarrier.arrive.shared::cta.b64 _, [mem];
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [mem+64], {7, 9}, [mem];
  wait:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [mem], 0;
    @!%p2 bra wait;
    ld.shared.b32 %r1, [mem+68];
)" + std::string(storeResult),
               threads(64));
  ASSERT_FALSE(run.fault) << run.fault->message;
  EXPECT_EQ(run.out[0], 9u);
}

TEST(Ptx, CtasOfAClusterReachEachOther) {
  Launch launch = threads(1);
  launch.ctasPerCluster = 2;
  launch.grid = {2, 1, 1};
  Executed run(R"(
    mov.u32 %r2, %cluster_ctarank;
    add.s32 %r3, %r2, 10;
    st.shared.b32 [mem], %r3;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    xor.b32 %r4, %r2, 1;
    mov.b32 %r5, mem;
    mapa.shared::cluster.u32 %r6, %r5, %r4;
    ld.shared::cluster.b32 %r1, [%r6];
    mov.b32 %t, %r2;
)" + std::string(storeResult),
               launch);
  ASSERT_FALSE(run.fault) << run.fault->message;
  EXPECT_EQ(run.out[0], 11u);
  EXPECT_EQ(run.out[1], 10u);
}

TEST(Ptx, AtomicsReturnWhatWasThere) {
  Executed run(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra ready;
    st.shared.b32 [mem], 100;
  ready:
    bar.sync 0;
    atom.shared.add.u32 %r1, [mem], 1;
)" + std::string(storeResult),
               threads(64));
  ASSERT_FALSE(run.fault) << run.fault->message;
  std::sort(run.out.begin(), run.out.end());
  EXPECT_EQ(run.out[0], 100u);
  EXPECT_EQ(run.out[63], 163u);
}

TEST(Ptx, FaultsNameLineAndThread) {
  Executed beyond("mov.b32 %r1, 0;\nmul.wide.u32 %rd1, %t, 64;\nadd.s64 %rd1, %out, "
                  "%rd1;\nst.global.b32 [%rd1], %r1;",
                  threads(32));
  ASSERT_TRUE(beyond.fault);
  EXPECT_EQ(beyond.fault->line, 17u);
  EXPECT_EQ(beyond.fault->thread, 4u);
  Executed unaligned("st.global.b32 [%out+2], 0;", threads(1));
  ASSERT_TRUE(unaligned.fault);
  EXPECT_NE(unaligned.fault->message.find("multiple of 4"), std::string::npos);
  Executed shared("st.shared.b32 [mem+1024], 0;", threads(1));
  EXPECT_TRUE(shared.fault);
}

TEST(Ptx, WhatDoesNotEndIsAFault) {
  Executed endless("again:\nbra again;", threads(1));
  ASSERT_TRUE(endless.fault);
  EXPECT_EQ(endless.fault->message, "the kernel does not end");
  Executed waits("setp.eq.u32 %p1, %t, 0;\n@%p1 bra end;\nbar.sync 1, 64;\nend:\nret;",
                 threads(64));
  ASSERT_TRUE(waits.fault);
  EXPECT_EQ(waits.fault->message, "waits for ever");
  EXPECT_EQ(waits.fault->line, 16u);
}

TEST(Ptx, ErrorsOfTheTextNameTheLine) {
  EXPECT_EQ(Executed("frobnicate.b32 %r1, %r2;").error.line, 14u);
  EXPECT_NE(Executed("bra nowhere;").error.message.find("'nowhere' is not declared"),
            std::string::npos);
  EXPECT_NE(Executed("add.s32 %r1, %r2").error.message, "");
  EXPECT_NE(Executed("mov.b32 [%r1, 2;").error.message, "");
}

} // namespace
} // namespace gluonc::ptx
