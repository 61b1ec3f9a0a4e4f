//===- ScaledMatricesTest.cpp - mma.sync with kinds, ldmatrix of bytes ---------------===//
#include "ptx/Numbers.h"
#include "ptx/TestKernel.h"

#include <cmath>
#include <functional>

namespace gluonc::ptx {
namespace {

/// Registers %r0 on of each thread from `in`: `count` per thread.
std::string loadRegisters(unsigned count) {
  std::string text =
      "mul.wide.u32 %rd1, %t, " + std::to_string(4 * count) + ";\nadd.s64 %rd1, %in, %rd1;\n";
  for (unsigned i = 0; i != count; ++i)
    text += "ld.global.b32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  return text;
}
std::string storeRegisters(unsigned first, unsigned count) {
  std::string text =
      "mul.wide.u32 %rd1, %t, " + std::to_string(4 * count) + ";\nadd.s64 %rd1, %out, %rd1;\n";
  for (unsigned i = 0; i != count; ++i)
    text += "st.global.b32 [%rd1+" + std::to_string(4 * i) + "], %r" + std::to_string(first + i) +
            ";\n";
  return text;
}

/// Numbers that a seed gives one after another.
struct Stream {
  uint32_t state;
  uint32_t next(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % below;
  }
};

struct Type {
  const char *name;
  const numeric::FloatFormat *format;
  /// Bits in a register, and where in them the number begins.
  unsigned bits, shift;
};
const Type e4m3 = {"e4m3", &numeric::kF8E4M3FN, 8, 0};
const Type e5m2 = {"e5m2", &numeric::kF8E5M2, 8, 0};
const Type e2m3 = {"e2m3", &e2m3Format, 8, 0};
const Type e3m2 = {"e3m2", &e3m2Format, 8, 0};
const Type e2m1 = {"e2m1", &numeric::kF4E2M1, 8, 2};
const Type packed = {"e2m1", &numeric::kF4E2M1, 4, 0};

struct Case {
  const char *modifiers;
  const Type *a, *b;
  unsigned k;
  /// 0 without scales.
  unsigned perScale;
  bool isExponent;
  unsigned byte, lanesA, lanesB;
};

TEST(PtxScaledMatrices, ProductsOfEveryKind) {
  for (const Case &c : std::initializer_list<Case>{
           {"kind::f8f6f4.m16n8k32.row.col.f32", &e4m3, &e2m1, 32, 0, true, 0, 0, 0},
           {"m16n8k32.row.col.kind::f8f6f4.f32", &e3m2, &e5m2, 32, 0, true, 0, 0, 0},
           {"kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32", &e2m3, &e4m3, 32, 32, true, 3, 1, 2},
           {"kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32", &packed, &packed, 64, 32,
            true, 2, 0, 3},
           {"kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32", &packed, &packed, 64,
            16, false, 0, 1, 1}}) {
    Stream stream = {7};
    // Places: A of row and k, B of k and column, each in a lane's register at a bit.
    auto number = [&](const Type &type, uint32_t &code) {
      // Magnitudes around 1, so that sums are exact.
      static constexpr double values[] = {0.5, 1, -1.5, 2, -1, 0, 1.5};
      double value = values[stream.next(7)];
      code = numeric::encode(*type.format, value, numeric::Rounding::NearestEven);
      return value;
    };
    double a[16][64], b[8][64];
    std::vector<uint32_t> in(32 * 8);
    unsigned each = 32 / c.a->bits;
    for (unsigned row = 0; row != 16; ++row)
      for (unsigned k = 0; k != c.k; ++k) {
        uint32_t code;
        a[row][k] = number(*c.a, code);
        unsigned lane = row % 8 * 4 + k / each % 4, reg = row / 8 + k / (4 * each) * 2;
        in[lane * 8 + reg] |= code << (k % each * c.a->bits + c.a->shift);
      }
    for (unsigned column = 0; column != 8; ++column)
      for (unsigned k = 0; k != c.k; ++k) {
        uint32_t code;
        b[column][k] = number(*c.b, code);
        unsigned lane = column * 4 + k / each % 4, reg = 4 + k / (4 * each);
        in[lane * 8 + reg] |= code << (k % each * c.b->bits + c.b->shift);
      }
    // Scales: each lane has others.
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned operand : {6u, 7u})
        for (unsigned byte = 0; byte != 4; ++byte)
          in[lane * 8 + operand] |= (c.isExponent ? 126 + stream.next(4) : 0x30 + stream.next(16))
                                    << (8 * byte);
    auto scaleOf = [&](unsigned operand, unsigned lane, unsigned k) {
      if (!c.perScale)
        return 1.0;
      uint32_t code = in[lane * 8 + operand] >> (8 * (c.byte + k / c.perScale)) & 0xff;
      return c.isExponent ? std::ldexp(1.0, int(code) - 127)
                          : numeric::decode(numeric::kF8E4M3FN, code);
    };
    std::string byte = std::to_string(c.byte);
    std::string scales = ", %r6, {" + byte + ", " + std::to_string(c.lanesA) + "}, %r7, {" + byte +
                         ", " + std::to_string(c.lanesB) + "}";
    Executed run(
        loadRegisters(8) +
            "mov.b32 %r10, 0f3F800000; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0;\n"
            "mma.sync.aligned." +
            c.modifiers + "." + c.a->name + "." + c.b->name + ".f32" +
            (!c.perScale    ? ""
             : c.isExponent ? ".ue8m0"
                            : ".ue4m3") +
            " {%r10, %r11, %r12, %r13}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
            "{%r10, %r11, %r12, %r13}" +
            (c.perScale ? scales : "") + ";\n" + storeRegisters(10, 4),
        threads(32), 128, in);
    ASSERT_TRUE(run.isFine()) << c.modifiers << ": " << run.message();
    for (unsigned row = 0; row != 16; ++row)
      for (unsigned column = 0; column != 8; ++column) {
        double sum = row < 8 && column % 2 == 0 ? 1 : 0;
        for (unsigned k = 0; k != c.k; ++k)
          sum += a[row][k] * scaleOf(6, row % 8 * 4 + 2 * c.lanesA + row / 8, k) * b[column][k] *
                 scaleOf(7, column * 4 + c.lanesB, k);
        unsigned lane = row % 8 * 4 + column / 2;
        EXPECT_EQ(asFloat(run.out[lane * 4 + row / 8 * 2 + column % 2]), float(sum))
            << c.modifiers << " " << row << " " << column;
      }
  }
}

/// `in` goes to shared memory; lane l's address is that of its 16 bytes.
const char *const shareRows = R"(
  shl.b32 %r20, %t, 4; mov.b32 %r21, mem; add.s32 %r20, %r20, %r21;
  mul.wide.u32 %rd1, %t, 16; add.s64 %rd1, %in, %rd1;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];
  st.shared.v4.b32 [%r20], {%r0, %r1, %r2, %r3};
  bar.warp.sync -1;
)";

TEST(PtxScaledMatrices, BytesAreLoadedTransposed) {
  std::vector<uint32_t> in(128);
  for (unsigned i = 0; i != 128; ++i)
    in[i] = 0x01010101 * (4 * i % 256 & 0xf0) + 0x03020100 + 0x04040404 * (i % 4);
  auto byteAt = [&](unsigned row, unsigned column) {
    return in[row * 4 + column / 4] >> (8 * (column % 4)) & 0xff;
  };
  Executed run(
      std::string(shareRows) +
          "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r4, %r5, %r6, %r7}, [%r20];\n" +
          storeRegisters(4, 4),
      threads(32), 128, in);
  ASSERT_TRUE(run.isFine()) << run.message();
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned reg = 0; reg != 4; ++reg)
      for (unsigned i = 0; i != 4; ++i)
        EXPECT_EQ(run.out[lane * 4 + reg] >> (8 * i) & 0xff,
                  byteAt(reg / 2 * 16 + lane % 4 * 4 + i, lane / 4 + reg % 2 * 8));
}

TEST(PtxScaledMatrices, SmallNumbersGetBytes) {
  for (unsigned bits : {4u, 6u}) {
    std::vector<uint32_t> in(128);
    Stream stream = {3};
    uint32_t numbers[32][16];
    for (unsigned row = 0; row != 32; ++row)
      for (unsigned i = 0; i != 16; ++i) {
        numbers[row][i] = stream.next(1u << bits);
        for (unsigned bit = 0; bit != bits; ++bit)
          if (numbers[row][i] >> bit & 1)
            in[row * 4 + (i * bits + bit) / 32] |= 1u << ((i * bits + bit) % 32);
      }
    Executed run(std::string(shareRows) + "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16." +
                     (bits == 4 ? "b4x16_p64" : "b6x16_p32") + " {%r4, %r5, %r6, %r7}, [%r20];\n" +
                     storeRegisters(4, 4),
                 threads(32), 128, in);
    ASSERT_TRUE(run.isFine()) << run.message();
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned reg = 0; reg != 4; ++reg)
        for (unsigned i = 0; i != 4; ++i)
          EXPECT_EQ(run.out[lane * 4 + reg] >> (8 * i) & 0xff,
                    numbers[reg * 8 + lane / 4][lane % 4 * 4 + i] << (bits == 4 ? 2 : 0));
  }
}

} // namespace
} // namespace gluonc::ptx
