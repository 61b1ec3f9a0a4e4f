#include "sim/ptx/InlinePtx.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace gluonc::sim;

namespace {

/// Runs `text` on operands; $0 … are the results. Why it is refused or fails goes to `why`.
std::vector<uint64_t> run(const std::string &text, std::vector<uint64_t> operands, size_t results,
                          std::string &why) {
  std::optional<PtxProgram> program = PtxProgram::parse(text, results, operands.size(), why);
  if (!program)
    return {};
  std::vector<uint64_t> registers(program->registerCount);
  std::copy(operands.begin(), operands.end(), registers.begin() + results);
  why = program->run(registers);
  registers.resize(results);
  return registers;
}

/// The one result of `OPCODE $0, $1, …;`.
uint64_t apply(const std::string &opcode, std::vector<uint64_t> operands) {
  std::string text = opcode + " $0", why;
  for (size_t i = 0; i < operands.size(); ++i)
    text += ", $" + std::to_string(i + 1);
  std::vector<uint64_t> results = run(text + ";", operands, 1, why);
  EXPECT_EQ(why, "") << opcode;
  return results.empty() ? 0 : results[0];
}

std::string refusal(const std::string &text) {
  std::string why;
  run(text, {0}, 1, why);
  return why;
}

uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
float floatOf(uint64_t word) { return std::bit_cast<float>(uint32_t(word)); }
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint64_t kNan = 0x7fffffff;

TEST(InlinePtx, IntegersWrapOrSaturate) {
  EXPECT_EQ(apply("add.s32", {0x7fffffff, 1}), 0x80000000u);
  EXPECT_EQ(apply("add.sat.s32", {0x7fffffff, 1}), 0x7fffffffu);
  EXPECT_EQ(apply("sub.sat.s32", {0x80000000, 1}), 0x80000000u);
  EXPECT_EQ(apply("sub.u64", {0, 1}), ~uint64_t(0));
  EXPECT_EQ(apply("add.u16x2", {0x0001ffff, 0x00010001}), 0x00020000u);
  EXPECT_EQ(apply("mul.lo.s32", {0x10000, 0x10000}), 0u);
  EXPECT_EQ(apply("mul.hi.s32", {uint32_t(-2), 3}), 0xffffffffu);
  EXPECT_EQ(apply("mul.hi.u32", {0xfffffffe, 3}), 2u);
  EXPECT_EQ(apply("mul.wide.s32", {uint32_t(-2), 3}), uint64_t(-6));
  EXPECT_EQ(apply("mul.hi.u64", {~uint64_t(0), 2}), 1u);
  EXPECT_EQ(apply("mad.lo.s32", {7, 6, uint32_t(-2)}), 40u);
  EXPECT_EQ(apply("div.s32", {uint32_t(-7), 2}), uint32_t(-3));
  EXPECT_EQ(apply("rem.s32", {uint32_t(-7), 2}), uint32_t(-1));
  EXPECT_EQ(apply("div.u32", {5, 0}), 0xffffffffu);
  EXPECT_EQ(apply("min.s32", {uint32_t(-1), 1}), uint32_t(-1));
  EXPECT_EQ(apply("min.u32", {uint32_t(-1), 1}), 1u);
  EXPECT_EQ(apply("max.relu.s32", {uint32_t(-5), uint32_t(-1)}), 0u);
  EXPECT_EQ(apply("abs.s32", {uint32_t(-9)}), 9u);
  EXPECT_EQ(apply("neg.s16", {1}), 0xffffu);
}

TEST(InlinePtx, BitsAreWhatTheIsaSays) {
  EXPECT_EQ(apply("lop3.b32", {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96}),
            0xf0f0f0f0u ^ 0xccccccccu ^ 0xaaaaaaaau);
  EXPECT_EQ(apply("prmt.b32", {0x33221100, 0x77665544, 0x7531}), 0x77553311u);
  EXPECT_EQ(apply("prmt.b32", {0x00000080, 0, 0x8888}), 0xffffffffu);
  EXPECT_EQ(apply("shf.l.wrap.b32", {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(apply("shf.r.clamp.b32", {1, 0xdead, 40}), 0xdeadu);
  EXPECT_EQ(apply("shr.s32", {0x80000000, 40}), 0xffffffffu);
  EXPECT_EQ(apply("shr.u32", {0x80000000, 40}), 0u);
  EXPECT_EQ(apply("shl.b64", {1, 63}), uint64_t(1) << 63);
  EXPECT_EQ(apply("bfe.u32", {0xabcd, 4, 8}), 0xbcu);
  EXPECT_EQ(apply("bfe.s32", {0x0f00, 8, 4}), 0xffffffffu);
  // Beyond the highest bit there is only the sign.
  EXPECT_EQ(apply("bfe.s32", {0x80000000, 40, 4}), 0xffffffffu);
  EXPECT_EQ(apply("bfe.s32", {0x80000000, 30, 8}), 0xfffffffeu);
  EXPECT_EQ(apply("bfi.b32", {0xff, 0, 28, 8}), 0xf0000000u);
  EXPECT_EQ(apply("brev.b32", {1}), 0x80000000u);
  EXPECT_EQ(apply("clz.b32", {1}), 31u);
  EXPECT_EQ(apply("popc.b64", {~uint64_t(0)}), 64u);
  EXPECT_EQ(apply("cnot.b32", {0}), 1u);
}

TEST(InlinePtx, FloatsRoundOnceInTheDirectionThatIsGiven) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-20, 20);
  auto draw = [&] { return std::ldexp(mantissa(random), exponent(random)); };
  for (int i = 0; i < 2000; ++i) {
    float a = draw(), b = -draw(), c = draw();
    EXPECT_EQ(apply("add.f32", {bits(a), bits(b)}), bits(a + b));
    EXPECT_EQ(apply("mul.rn.f32", {bits(a), bits(b)}), bits(a * b));
    EXPECT_EQ(apply("div.rn.f32", {bits(a), bits(b)}), bits(a / b));
    EXPECT_EQ(apply("sqrt.rn.f32", {bits(a)}), bits(std::sqrt(a)));
    EXPECT_EQ(apply("fma.rn.f32", {bits(a), bits(b), bits(c)}), bits(std::fmaf(a, b, c)));
    // A product of floats is exact in double.
    double exact = double(a) * b;
    float down = floatOf(apply("mul.rm.f32", {bits(a), bits(b)}));
    float up = floatOf(apply("mul.rp.f32", {bits(a), bits(b)}));
    EXPECT_LE(double(down), exact);
    EXPECT_GE(double(up), exact);
    EXPECT_EQ(down == up ? down : std::nextafter(down, kInfinity), up);
    EXPECT_EQ(apply("mul.rz.f32", {bits(a), bits(b)}), bits(up)) << "b is negative";
  }
  // 1 + 2^-11 is halfway between two f16.
  EXPECT_EQ(apply("fma.rn.f16", {0x3c00, 0x3c00, 0x1000}), 0x3c00u);
}

TEST(InlinePtx, ModifiersOfFloats) {
  const uint64_t tiny = 1, half = bits(0.5f);
  EXPECT_EQ(apply("add.f32", {tiny, 0}), tiny);
  EXPECT_EQ(apply("add.ftz.f32", {tiny, 0}), 0u);
  EXPECT_EQ(apply("add.ftz.f32", {0x80000001, bits(-0.0f)}), 0x80000000u);
  EXPECT_EQ(apply("add.sat.f32", {bits(3.0f), half}), bits(1.0f));
  EXPECT_EQ(apply("add.sat.f32", {kNan, half}), 0u);
  EXPECT_EQ(apply("fma.rn.relu.f16x2", {0xbc00'3c00, 0x3c00'3c00, 0}), 0x0000'3c00u);
  EXPECT_EQ(apply("add.f32", {bits(kInfinity), bits(-kInfinity)}), kNan);
  EXPECT_EQ(apply("min.f32", {kNan, half}), half);
  EXPECT_EQ(apply("min.NaN.f32", {kNan, half}), kNan);
  EXPECT_EQ(apply("min.f32", {bits(0.0f), bits(-0.0f)}), bits(-0.0f));
  EXPECT_EQ(apply("max.f32", {bits(-0.0f), bits(0.0f)}), bits(0.0f));
  EXPECT_EQ(apply("copysign.f32", {bits(-1.0f), half}), bits(-0.5f));
  EXPECT_EQ(apply("ex2.approx.ftz.f32", {bits(3.0f)}), bits(8.0f));
  EXPECT_EQ(apply("add.rn.f32x2", {bits(2.0f) << 32 | half, bits(1.0f) << 32 | half}),
            bits(3.0f) << 32 | bits(1.0f));
}

TEST(InlinePtx, ComparisonsKnowNan) {
  auto compare = [&](const std::string &opcode, uint64_t a, uint64_t b) {
    std::string why;
    auto result =
        run("{ .reg .pred p; " + opcode + " p, $1, $2; selp.b32 $0, 1, 0, p; }", {a, b}, 1, why);
    EXPECT_EQ(why, "") << opcode;
    return result.empty() ? 2 : result[0];
  };
  EXPECT_EQ(compare("setp.lt.s32", uint32_t(-1), 1), 1u);
  EXPECT_EQ(compare("setp.lt.u32", uint32_t(-1), 1), 0u);
  EXPECT_EQ(compare("setp.hs.u32", 1, 1), 1u);
  for (const char *ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_EQ(compare(std::string("setp.") + ordered + ".f32", kNan, kNan), 0u) << ordered;
  for (const char *unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_EQ(compare(std::string("setp.") + unordered + ".f32", kNan, kNan), 1u) << unordered;
  EXPECT_EQ(compare("setp.gtu.f32", bits(1.0f), bits(2.0f)), 0u);
  EXPECT_EQ(compare("setp.eq.ftz.f32", 1, 0), 1u);
}

TEST(InlinePtx, ConversionsRoundSaturateAndKeepSigns) {
  EXPECT_EQ(apply("cvt.sat.s8.s32", {1000}), 127u);
  EXPECT_EQ(apply("cvt.s8.s32", {0x180}), uint64_t(int64_t(-128)));
  EXPECT_EQ(apply("cvt.sat.u8.s32", {uint32_t(-3)}), 0u);
  EXPECT_EQ(apply("cvt.s64.s32", {uint32_t(-3)}), uint64_t(-3));
  EXPECT_EQ(apply("cvt.rni.s32.f32", {bits(2.5f)}), 2u);
  EXPECT_EQ(apply("cvt.rpi.s32.f32", {bits(2.1f)}), 3u);
  EXPECT_EQ(apply("cvt.rzi.u32.f32", {bits(-1.0f)}), 0u);
  EXPECT_EQ(uint32_t(apply("cvt.rzi.s32.f32", {bits(1e20f)})), 0x7fffffffu);
  EXPECT_EQ(apply("cvt.rzi.s32.f32", {kNan}), 0u);
  EXPECT_EQ(apply("cvt.rn.f32.s32", {16777217}), bits(16777216.0f));
  EXPECT_EQ(apply("cvt.rp.f32.s32", {16777217}), bits(16777218.0f));
  EXPECT_EQ(apply("cvt.rmi.f32.f32", {bits(-1.5f)}), bits(-2.0f));
  EXPECT_EQ(apply("cvt.rn.f16x2.f32", {bits(1.0f), bits(-2.0f)}), 0x3c00'c000u);
  EXPECT_EQ(apply("cvt.rz.bf16x2.f32", {bits(1.999f), bits(0.5f)}), 0x3fff'3f00u);
  EXPECT_EQ(apply("cvt.f64.f32", {bits(1.5f)}), bits(1.5));
}

TEST(InlinePtx, PairsOfSmallFloats) {
  EXPECT_EQ(apply("cvt.rn.satfinite.e2m1x2.f32", {bits(-6.0f), bits(0.5f)}), 0xf1u);
  // 0.25 and 2.5 are ties; 100 is the greatest number, as NaN is.
  EXPECT_EQ(apply("cvt.rn.satfinite.e2m1x2.f32", {bits(0.25f), bits(2.5f)}), 0x04u);
  EXPECT_EQ(apply("cvt.rn.satfinite.e2m1x2.f32", {bits(-100.0f), kNan}), 0xf7u);
  EXPECT_EQ(apply("cvt.rn.satfinite.relu.e2m1x2.f32", {bits(-3.0f), bits(3.0f)}), 0x05u);
  EXPECT_EQ(apply("cvt.rn.satfinite.e4m3x2.f32", {bits(1.0f), bits(-1000.0f)}), 0x38feu);
  EXPECT_EQ(apply("cvt.rn.satfinite.e5m2x2.f32", {kNan, bits(-1.0f)}), 0x7fbcu);
  EXPECT_EQ(apply("cvt.rn.satfinite.e4m3x2.f16x2", {0x3c00'c000}), 0x38c0u);
  EXPECT_EQ(apply("cvt.rn.f16x2.e2m1x2", {0xf1}), 0xc600'3800u);
  EXPECT_EQ(apply("cvt.rn.f16x2.e4m3x2", {0x38fe}), 0x3c00'df00u);
  EXPECT_EQ(apply("cvt.rn.relu.f16x2.e5m2x2", {0xbc7f}), 0x0000'7fffu);
  EXPECT_EQ(refusal("cvt.rn.e2m1x2.f32 $0, $1, $1;"), "`cvt.rn.e2m1x2.f32` is not simulated");
}

TEST(InlinePtx, VectorsPackAndUnpack) {
  std::string why;
  auto halves =
      run("{ .reg .b16 h<2>; mov.b32 {h0, h1}, $1; mov.b32 $0, {h1, h0}; }", {0x12345678}, 1, why);
  EXPECT_EQ(why, "");
  EXPECT_EQ(halves[0], 0x56781234u);
  auto words = run("mov.b64 {$0, $1}, $2;", {0x1122334455667788}, 2, why);
  EXPECT_EQ(why, "");
  EXPECT_EQ(words, (std::vector<uint64_t>{0x55667788, 0x11223344}));
}

TEST(InlinePtx, TheClockGoesOn) {
  std::string why;
  auto times = run("mov.u64 $0, %globaltimer; wait: mov.u64 $1, %globaltimer;\n"
                   "{ .reg .pred p; setp.eq.u64 p, $0, $1; @p bra wait; } mov.u32 $2, %smid;",
                   {}, 3, why);
  ASSERT_EQ(why, "");
  EXPECT_GT(times[1], times[0]);
  EXPECT_EQ(times[2], 0u);
  EXPECT_EQ(refusal("mov.u32 $0, %globaltimer;"), "`%globaltimer` is not simulated as an operand");
  EXPECT_NE(refusal("mov.u64 %globaltimer, 0;"), "");
}

TEST(InlinePtx, WhatPtxDoesNotTakeIsRefused) {
  EXPECT_EQ(refusal("prmt.b32 $0, $1;"), "`prmt.b32` has 4 operands, not 2");
  EXPECT_EQ(refusal("fma.rn.f32 $0, $1, $1, $1, $1;"), "`fma.rn.f32` has 4 operands, not 5");
  for (const char *opcode : {"fma.f32", "add.rz.s32", "add.f8", "mov.s128", "mul.s32",
                             "mul.wide.s64", "add.rn.ftz.ftz.f32", "add.ftz.rn.f32", "cvt.s32.f32",
                             "cvt.rn.f32.f32", "shl.s32", "sin.f32", "setp.lo.s32", "ld.global.b32",
                             "shfl.sync.idx.b32", "add", "cvt.f32", "bar.sync"})
    EXPECT_EQ(refusal(std::string(opcode) + " $0, $1, $1;"),
              "`" + std::string(opcode) + "` is not simulated");
  EXPECT_EQ(refusal("mov.u32 $0, %laneid;"), "`%laneid` is not simulated as an operand");
  EXPECT_EQ(refusal("mov.u32 $0, other;"), "`other` is not simulated as an operand");
  EXPECT_EQ(refusal("mov.u32 5, $1;"), "`mov.u32` needs a register for its result");
  EXPECT_EQ(refusal("add.s32 {$0, $0}, $1, $1;"), "`add.s32` with a vector of 2 is not simulated");
  EXPECT_EQ(refusal("mov.b32 $0, {$1, $1, $1};"), "`mov.b32` with a vector of 3 is not simulated");
  EXPECT_EQ(refusal("mov.u32 $0, $1"), "`mov.u32 $0, $1` ends without a semicolon");
  EXPECT_EQ(refusal("bra nowhere;"), "there is no label `nowhere`");
  EXPECT_EQ(refusal(".reg .v2.f32 a;"), "registers of type `.v2.f32` are not simulated");
  EXPECT_EQ(refusal("{ .reg .pred p, q; setp.eq.s32 p|q, $1, 0; }"),
            "`p|q` is not simulated as an operand");
  EXPECT_EQ(refusal("again: bra again;"), "inline assembly has executed 1048576 instructions");
}

/// The one result of a text of AMD's.
uint64_t applyAmd(const std::string &text, std::vector<uint64_t> operands, std::string &why) {
  std::optional<PtxProgram> program = PtxProgram::parseAmd(text, 1, operands.size(), why);
  if (!program)
    return 0;
  std::vector<uint64_t> registers(program->registerCount);
  std::copy(operands.begin(), operands.end(), registers.begin() + 1);
  why = program->run(registers);
  return registers[0];
}

uint64_t applyAmd(const std::string &text, std::vector<uint64_t> operands) {
  std::string why;
  uint64_t result = applyAmd(text, std::move(operands), why);
  EXPECT_EQ(why, "") << text;
  return result;
}

TEST(InlineAmd, Floats) {
  EXPECT_EQ(applyAmd("v_mul_f32_e32 $0, 0.5, $1", {bits(3.0f)}), bits(1.5f));
  EXPECT_EQ(applyAmd("v_mul_f32_e32 $0, 0x3fb8aa3b, $1;", {bits(2.0f)}), bits(2 * 1.442695f));
  EXPECT_EQ(applyAmd("v_rndne_f32 $0, $1", {bits(2.5f)}), bits(2.0f));
  EXPECT_EQ(applyAmd("v_med3_f32 $0, $1, $2, 0", {bits(-3.0f), bits(2.0f)}), bits(0.0f));
  EXPECT_EQ(applyAmd("v_cvt_i32_f32 $0, $1", {bits(-1e20f)}), 0x80000000u);
  EXPECT_EQ(applyAmd("v_cvt_pk_bf16_f32 $0, $1, $2", {bits(1.0f), bits(-2.0f)}), 0xc0003f80u);
  EXPECT_EQ(
      applyAmd("v_cvt_scalef32_pk_fp4_f32 $0, $1, $2, $3", {bits(4.0f), bits(-1.0f), bits(2.0f)}),
      0x94u);
  EXPECT_EQ(applyAmd("v_pk_add_f16 $0, $1, $2", {0x3c004000, 0x3c003c00}), 0x40004200u);
  EXPECT_EQ(applyAmd("v_fma_f64 $0, $1, 0.5, 1.0", {bits(3.0)}), bits(2.5));
}

TEST(InlineAmd, Bits) {
  EXPECT_EQ(applyAmd("v_and_or_b32 $0, $1, $2, 0x64006400", {0x12345678, 0xf000f}), 0x64046408u);
  EXPECT_EQ(applyAmd("v_ashrrev_i32 $0, 4, $1", {0x80000000}), 0xf8000000u);
  EXPECT_EQ(applyAmd("v_bfe_i32 $0, $1, 4, 4", {0xf0}), 0xffffffffu);
  EXPECT_EQ(applyAmd("v_bfe_u32 $0, $1, 28, 8", {0xabcdef01}), 0xau);
  EXPECT_EQ(applyAmd("v_perm_b32 $0, $1, $2, 0x0c080700", {0x80ffffff, 0x000080aa}), 0x00ff80aau);
  EXPECT_EQ(applyAmd("s_waitcnt vmcnt(0)\nv_lshl_add_u32 $0, $1, 3, $1\ns_nop 0", {5}), 45u);
}

TEST(InlineAmd, Refused) {
  std::string why;
  applyAmd("v_mad_nothing $0, $1", {1}, why);
  EXPECT_NE(why.find("v_mad_nothing"), std::string::npos);
  // Registers by their own names, modifiers, and a half of a pair that reads what the other writes.
  for (const char *text : {"v_mov_b32 $0, v3", "v_mul_f32 $0, -$1, $1", "v_mov_b32 $0", "v_mov_b32",
                           "v_dual_mov_b32 $0, $1 :: v_dual_mov_b32 $1, $0"}) {
    why.clear();
    applyAmd(text, {1}, why);
    EXPECT_NE(why, "") << text;
  }
}

} // namespace
