//===- ExecuteTest.cpp - What instructions do, and what goes wrong -------------===//
#include "ptx/TestKernel.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

namespace gluonc::ptx {
namespace {

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

TEST(Ptx, NarrowOperandsOfWideSums) {
  // 2 as f16, 1.5 as bf16.
  std::string narrow = "mov.b16 %h1, 0x4000; mov.b16 %h2, 0x3fc0; ";
  EXPECT_EQ(resultOf(narrow + "add.rn.f32.f16 %r1, %h1, 0f3F800000;"), 0x40400000u);
  EXPECT_EQ(resultOf(narrow + "add.rn.f32.bf16 %r1, %h2, 0f3F800000;"), 0x40200000u);
  EXPECT_EQ(resultOf(narrow + "sub.rn.f32.f16 %r1, %h1, 0f3F800000;"), 0x3f800000u);
  EXPECT_EQ(resultOf(narrow + "fma.rn.f32.f16 %r1, %h1, %h1, 0f3F800000;"), 0x40a00000u);
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

TEST(Ptx, NumbersOfFourAndSixBitsAndExponents) {
  auto small = [](const std::string &name, const std::string &a, const std::string &b) {
    std::string pair = name == "e2m1x2"
                           ? "{.reg .b8 d; cvt.rn.satfinite.e2m1x2.f32 d, " + a + ", " + b +
                                 "; mov.b16 %h1, {d, 0};}"
                           : "cvt.rn.satfinite." + name + ".f32 %h1, " + a + ", " + b + ";";
    return resultOf(pair + " cvt.u32.u16 %r1, %h1;");
  };
  // 2.5 is between 2 and 3; 5 between 4 and 6; 100 is too large.
  EXPECT_EQ(small("e2m1x2", "0f40200000", "0f40A00000"), 0x46u);
  EXPECT_EQ(small("e2m1x2", "0fC2C80000", "0f7FC00000"), 0xf7u);
  EXPECT_EQ(small("e2m3x2", "0f3F900000", "0fC2C80000"), 0x093fu); // 1.125, -100
  EXPECT_EQ(small("e3m2x2", "0f3FA00000", "0f41E00000"), 0x0d1fu); // 1.25, 28
  EXPECT_EQ(resultOf("cvt.rn.f16x2.e3m2x2 %r1, 0x0d3f;"), 0x3d00cf00u);
  EXPECT_EQ(resultOf("cvt.rn.f16x2.e2m1x2 %r1, 0xc1;"), 0xc0003800u);
  // 3 is between 2 and 4; 0 and what is below 2^-127 become that.
  auto exponents = [](const char *round, const char *a, const char *b) {
    return resultOf(std::string("cvt.") + round + ".ue8m0x2.f32 %h1, " + a + ", " + b +
                    "; cvt.u32.u16 %r1, %h1;");
  };
  EXPECT_EQ(exponents("rz.satfinite", "0f40400000", "0f00000000"), 0x8000u);
  EXPECT_EQ(exponents("rp.satfinite", "0f40400000", "0f7F7FFFFF"), 0x81feu);
  EXPECT_EQ(exponents("rp", "0f7FC00000", "0f7F7FFFFF"), 0xffffu);
  EXPECT_EQ(resultOf("cvt.rn.bf16x2.ue8m0x2 %r1, 0x7f80;"), 0x3f804000u);
}

TEST(Ptx, PairsOfFloatsAndExtremesOfThree) {
  std::string pair =
      "mov.b64 %rd1, {0f3F800000, 0f40000000}; mov.b64 %rd2, {0f40400000, 0fC0000000};";
  auto high = [&](const std::string &text, unsigned half) {
    return resultOf(pair + text + (half ? " mov.b64 {_, %r1}, %rd3;" : " mov.b64 {%r1, _}, %rd3;"));
  };
  EXPECT_EQ(high("add.rn.f32x2 %rd3, %rd1, %rd2;", 0), 0x40800000u);
  EXPECT_EQ(high("mul.rn.ftz.f32x2 %rd3, %rd1, %rd2;", 1), 0xc0800000u);
  EXPECT_EQ(high("fma.rn.f32x2 %rd3, %rd1, %rd2, %rd2;", 0), 0x40c00000u);
  EXPECT_EQ(high("sub.rn.f32x2 %rd3, %rd1, %rd2;", 1), 0x40800000u);
  EXPECT_NE(Executed("min.f32x2 %rd3, %rd1, %rd2;", threads(1)).error.message, "");
  EXPECT_EQ(resultOf("max.f32 %r1, 0f3F800000, 0fC0000000, 0f7FC00000;"), 0x3f800000u);
  EXPECT_EQ(resultOf("max.abs.f32 %r1, 0f3F800000, 0fC0000000, 0f3F800000;"), 0x40000000u);
  EXPECT_EQ(resultOf("min.NaN.f32 %r1, 0f3F800000, 0fC0000000, 0f7FC00000;"), 0x7fffffffu);
  EXPECT_EQ(resultOf("max.xorsign.abs.f32 %r1, 0f3F800000, 0fC0000000;"), 0xc0000000u);
}

TEST(Ptx, WarpsFindTheLeastAndGreatestFloat) {
  Executed run(R"(
    cvt.rn.f32.u32 %r2, %t;
    sub.f32 %r2, %r2, 0f41A00000;
    redux.sync.min.f32 %r3, %r2, -1;
    redux.sync.max.abs.f32 %r4, %r2, -1;
    setp.eq.u32 %p1, %t, 0;
    selp.b32 %r1, %r3, %r4, %p1;
)" + std::string(storeResult),
               threads(32));
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[0], 0xc1a00000u); // -20
  EXPECT_EQ(run.out[1], 0x41a00000u);
}

TEST(Ptx, AccessesOf256Bits) {
  std::vector<uint32_t> in(24);
  for (uint32_t i = 0; i != 24; ++i)
    in[i] = i;
  Executed run("add.s64 %rd1, %in, 31; and.b64 %rd1, %rd1, -32;\n"
               "add.s64 %rd2, %out, 31; and.b64 %rd2, %rd2, -32;\n"
               "ld.global.L2::evict_last.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];\n"
               "sub.s32 %r1, %r8, %r1;\n"
               "st.global.v8.b32 [%rd2], {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};",
               threads(1), 64, in);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), 7u), 8);
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

TEST(Ptx, FaultsShowTheInstructionAndItsRegisters) {
  Executed run("mov.b32 %r5, 7;\nmov.b64 %rd3, 16;\n  @!%p2 st.global.b32 [%rd3+4], %r5; // here",
               threads(1));
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->instruction, "@!%p2 st.global.b32 [%rd3+4], %r5; // here");
  std::string registers;
  for (const Fault::Register &reg : run.fault->registers)
    registers += reg.name + "=" + std::to_string(reg.value) + " ";
  EXPECT_EQ(registers, "%p2=0 %rd3=16 %r5=7 ");
}

TEST(Ptx, FaultsTellWhatAllThreadsHave) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Launch launch = threads(33);
  launch.state = &stream;
  Executed run("setp.ne.u32 %p1, %t, 32;\n@%p1 bar.sync 0;\nmov.b32 %r5, 0x2a;\n"
               "st.shared.b32 [mem+4], %r5;\ntrap;",
               launch);
  ASSERT_TRUE(run.fault);
  EXPECT_NE(text.find("thread 3: waits at a barrier behind PTX line 15\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread 32: next PTX line"), std::string::npos) << text;
  EXPECT_NE(text.find("  %r5 = 0x2a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  0x000400: ffffffff 0000002a ffffffff"), std::string::npos) << text;
}

TEST(Ptx, LocalMemoryIsALanesOwn) {
  Executed run(R"(
    .local .align 8 .b8 depot[16];
    mov.b64 %rd1, depot;
    cvta.local.u64 %rd2, %rd1;
    st.b32 [%rd2+4], %t;
    ld.local.b32 %r1, [%rd1+4];
)" + std::string(storeResult),
               threads(64));
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[0], 0u);
  EXPECT_EQ(run.out[63], 63u);
  EXPECT_TRUE(Executed(".local .b8 depot[16];\nmov.b64 %rd1, depot;\nst.local.b32 [%rd1+16], 0;",
                       threads(1))
                  .fault);
}

TEST(Ptx, DirectivesMayFollowLabels) {
  Executed run(R"(
    mov.b32 %r1, 0;
LOOP:
    .pragma "nounroll";
    add.u32 %r1, %r1, 3;
    setp.lt.u32 %p1, %r1, 9;
    @%p1 bra LOOP;
)" + std::string(storeResult),
               threads(1));
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[0], 9u);
}

TEST(Ptx, KernelsPrintAndAssert) {
  const char format[] = "%d of %s: %5.2f%% %llx\n\0in";
  std::vector<uint32_t> in(8);
  std::memcpy(in.data(), format, sizeof(format));
  std::string text;
  llvm::raw_string_ostream stream(text);
  Launch launch = threads(1);
  launch.output = &stream;
  Executed run(R"(
    .local .align 8 .b8 values[32];
    mov.b64 %rd1, values;
    st.local.b32 [%rd1], -3;
    add.s64 %rd3, %in, 24;
    st.local.b64 [%rd1+8], %rd3;
    st.local.b64 [%rd1+16], 0d3FF8000000000000;
    st.local.b64 [%rd1+24], 0x123456789a;
    cvta.local.u64 %rd2, %rd1;
    {
    .param .b64 format;
    st.param.b64 [format], %in;
    .param .b64 arguments;
    st.param.b64 [arguments], %rd2;
    .param .b32 result;
    call.uni (result), vprintf, (format, arguments);
    }
)",
               launch, 64, in);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(text, "-3 of in:  1.50% 123456789a\n");
  Executed fails(R"(
    .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    add.s64 %rd1, %in, 24;
    st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 9; st.param.b64 [d], %rd1;
    call.uni __assertfail, (a, b, c, d, e);
)",
                 threads(1), 64, in);
  ASSERT_TRUE(fails.fault);
  EXPECT_EQ(fails.fault->message, "assertion failed: in (in, in:9)");
}

TEST(Ptx, ClustersTakeTheWorkOfThoseThatHaveNotBegun) {
  // Each CTA marks its own place, then those that it takes over.
  Launch launch = threads(1);
  launch.grid = {3, 2, 1};
  Executed run(R"(
    mbarrier.init.shared::cta.b64 [mem], 1;
    mov.b32 %r4, 0;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
  again:
    mad.lo.u32 %r3, %r2, 3, %r1;
    mul.wide.u32 %rd1, %r3, 4;
    add.s64 %rd1, %out, %rd1;
    atom.global.add.u32 %r5, [%rd1], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [mem], 16;
    clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [mem+16], [mem];
  wait:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [mem], %r4;
    @!%p1 bra wait;
    xor.b32 %r4, %r4, 1;
    .reg .b128 %answer;
    ld.shared.b128 %answer, [mem+16];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %answer;
    @%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %answer;
    @%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r2, %answer;
    @%p2 bra again;
)",
               launch);
  ASSERT_TRUE(run.isFine()) << run.message();
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_EQ(run.out[i], 0xdeadbef0u) << i;
}

TEST(Ptx, WhatDoesNotEndIsAFault) {
  Executed endless("again:\nbra again;", threads(1));
  ASSERT_TRUE(endless.fault);
  EXPECT_EQ(endless.fault->message, "the kernel does not end");
  Executed asks(
      "mbarrier.init.shared::cta.b64 [mem], 2;\nmbarrier.arrive.shared::cta.b64 _, [mem];\n"
      "ask:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [mem], 0;\n@!%p1 bra ask;",
      threads(1));
  ASSERT_TRUE(asks.fault);
  EXPECT_EQ(asks.fault->message, "waits for ever");
  EXPECT_EQ(asks.fault->instruction, "mbarrier.try_wait.parity.shared::cta.b64 %p1, [mem], 0;");
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

TEST(Ptx, RunsOnlyTheClustersThatALaunchNames) {
  Launch launch = threads(1);
  launch.grid = {8, 1, 1};
  uint64_t clusters[] = {6, 2};
  launch.clusters = clusters;
  Executed run("mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %out, %rd1;\n"
               "st.global.b32 [%rd1], %r1;",
               launch);
  ASSERT_TRUE(run.isFine()) << run.message();
  for (uint32_t i = 0; i != 8; ++i)
    EXPECT_EQ(run.out[i], i == 2 || i == 6 ? i : 0xdeadbeef);
}

TEST(Ptx, WarpsStopBehindTheStepsThatALaunchAllows) {
  Launch launch = threads(64);
  launch.stepsOfWarp = 7;
  // Warp 0 waits for ever.
  Executed run("setp.lt.u32 %p1, %t, 32;\nmov.u32 %r1, 9;\n@%p1 bar.sync 1, 64;\n" +
                   std::string(storeResult) + "LOOP:\nbra LOOP;",
               launch);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[40], 0xdeadbeef);
  launch.stepsOfWarp = 9;
  EXPECT_EQ(
      Executed("mov.u32 %r1, 9;\n" + std::string(storeResult) + "LOOP:\nbra LOOP;", launch).out[40],
      9u);
}

TEST(Ptx, ProductsThatAreSkippedLeaveTheirResults) {
  Launch launch = threads(32);
  launch.skipsProducts = true;
  Executed run("mov.b32 %r1, 7;\nmov.b32 %r2, 0;\n"
               "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, "
               "{%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r2, %r2, %r2, %r2};\n" +
                   std::string(storeResult),
               launch);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[5], 7u);
}

/// Each of eight CTAs counts itself, where 0xdeadbeef is, and waits for the others.
Executed meet(uint64_t residentClusters, unsigned hostThreads) {
  Launch launch = threads(64);
  launch.grid = {8, 1, 1};
  launch.residentClusters = residentClusters;
  launch.stepLimit = 100000;
  launch.hostThreads = hostThreads;
  return Executed("setp.ne.u32 %p0, %t, 0;\n@%p0 bra Behind;\n"
                  "red.release.gpu.global.add.u32 [%out], 1;\n"
                  "Wait:\nld.acquire.gpu.global.b32 %r3, [%out];\n"
                  "setp.ne.u32 %p1, %r3, 0xdeadbef7;\n@%p1 bra Wait;\n"
                  "Behind:\nbar.sync 0;\n",
                  launch);
}

TEST(Ptx, ResidentClustersWaitForOneAnother) {
  EXPECT_TRUE(meet(8, 1).isFine());
  EXPECT_TRUE(meet(8, 3).isFine());
  Executed tooFew = meet(7, 1);
  ASSERT_TRUE(tooFew.fault);
  EXPECT_EQ(tooFew.fault->kind, FaultKind::Endless);
}

TEST(Ptx, ThreadsOfTheHostAddUp) {
  Launch launch = threads(64);
  launch.grid = {3000, 1, 1};
  launch.hostThreads = 4;
  Executed run("red.global.add.u32 [%out], 1;\n"
               "red.global.max.u32 [%out+4], %t;\natom.global.exch.b32 %r2, [%out+8], 5;",
               launch);
  ASSERT_TRUE(run.isFine()) << run.message();
  EXPECT_EQ(run.out[0], 0xdeadbeef + 3000 * 64);
  EXPECT_EQ(run.out[2], 5u);
}

} // namespace
} // namespace gluonc::ptx
