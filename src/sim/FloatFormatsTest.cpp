#include "sim/Elements.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace gluonc::sim;
using llvm::APFloat;

namespace {

struct Case {
  const char *name;
  const FloatFormat &format;
  const llvm::fltSemantics &semantics;
};

const Case kCases[] = {
    {"f16", kF16, APFloat::IEEEhalf()},
    {"bf16", kBF16, APFloat::BFloat()},
    {"f8E4M3FN", kF8E4M3FN, APFloat::Float8E4M3FN()},
    {"f8E5M2", kF8E5M2, APFloat::Float8E5M2()},
    {"f8E4M3FNUZ", kF8E4M3FNUZ, APFloat::Float8E4M3FNUZ()},
    {"f8E5M2FNUZ", kF8E5M2FNUZ, APFloat::Float8E5M2FNUZ()},
};

double referenceDecode(const Case &c, uint32_t bits) {
  APFloat value(c.semantics, llvm::APInt(c.format.bits(), bits));
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

/// LLVM's rounding, with this format's answer where the value does not fit.
uint32_t referenceEncode(const Case &c, double value, Rounding rounding) {
  APFloat reference(value);
  bool lost;
  APFloat::roundingMode mode =
      rounding == Rounding::NearestEven ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero;
  if (std::isnan(value))
    return c.format.nan;
  double largest = decode(c.format, c.format.maxFinite);
  uint32_t sign = std::signbit(value) ? 1u << (c.format.bits() - 1) : 0;
  APFloat::opStatus status = reference.convert(c.semantics, mode, &lost);
  bool overflows = (status & APFloat::opOverflow) || std::isinf(value);
  // Formats without infinity overflow to NaN in LLVM without always saying so.
  if (overflows || reference.isNaN() || reference.isInfinity()) {
    bool toInfinity =
        !c.format.saturates && (std::isinf(value) || rounding == Rounding::NearestEven);
    EXPECT_GT(std::fabs(value), largest * 0.99);
    return sign | (toInfinity ? c.format.infinity : c.format.maxFinite);
  }
  return uint32_t(reference.bitcastToAPInt().getZExtValue());
}

/// Every value of the format, every midpoint of neighbours, and a little to each side.
std::vector<double> interestingValues(const Case &c) {
  std::vector<double> values = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 1e-300};
  for (uint32_t code = 0; code <= c.format.maxFinite; ++code) {
    double value = decode(c.format, code);
    double next = code < c.format.maxFinite ? decode(c.format, code + 1) : value * 1.1;
    double middle = (value + next) / 2;
    for (double v : {value, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e308)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  return values;
}

} // namespace

TEST(FloatFormats, DecodeEveryCodeAsLlvmDoes) {
  for (const Case &c : kCases)
    for (uint32_t code = 0; code < 1u << c.format.bits(); ++code) {
      double expected = referenceDecode(c, code), actual = decode(c.format, code);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(actual)) << c.name << " " << code;
      else {
        EXPECT_EQ(expected, actual) << c.name << " " << code;
        EXPECT_EQ(std::signbit(expected), std::signbit(actual)) << c.name << " " << code;
      }
    }
}

TEST(FloatFormats, EncodeRoundsAsLlvmDoesAroundEveryValueAndMidpoint) {
  for (const Case &c : kCases)
    for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
      for (double value : interestingValues(c)) {
        uint32_t expected = referenceEncode(c, value, rounding);
        ASSERT_EQ(expected, encode(c.format, value, rounding))
            << c.name << " " << value << " " << int(rounding);
      }
}

TEST(FloatFormats, FastHalfAndBfloatAgreeWithTheGeneralCodec) {
  for (uint32_t code = 0; code < 1u << 16; ++code) {
    double half = decode(kF16, code), bfloat = decode(kBF16, code);
    if (!std::isnan(half)) {
      ASSERT_EQ(half, double(halfToFloat(uint16_t(code))));
      ASSERT_EQ(code, floatToHalf(float(half)));
    }
    if (!std::isnan(bfloat)) {
      ASSERT_EQ(bfloat, double(bfloatToFloat(uint16_t(code))));
      ASSERT_EQ(code, floatToBfloat(float(bfloat)));
    }
    ASSERT_EQ(std::isnan(half), std::isnan(halfToFloat(uint16_t(code))));
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    float value = std::bit_cast<float>(uint32_t(random()));
    ASSERT_EQ(encode(kBF16, value, Rounding::NearestEven) & 0x7fff,
              uint32_t(floatToBfloat(value)) & 0x7fff);
    ASSERT_EQ(encode(kF16, value, Rounding::NearestEven) & 0x7fff,
              uint32_t(floatToHalf(value)) & 0x7fff);
  }
}

TEST(FloatFormats, HalfArithmeticInFloatRoundsOnce) {
  std::mt19937 random(2);
  for (int i = 0; i < 300'000; ++i) {
    uint16_t a = uint16_t(random()), b = uint16_t(random()), c = uint16_t(random());
    APFloat left(APFloat::IEEEhalf(), llvm::APInt(16, a));
    APFloat right(APFloat::IEEEhalf(), llvm::APInt(16, b));
    APFloat third(APFloat::IEEEhalf(), llvm::APInt(16, c));
    float l = halfToFloat(a), r = halfToFloat(b);
    auto check = [&](APFloat expected, uint16_t actual, const char *what) {
      if (expected.isNaN())
        ASSERT_TRUE(std::isnan(halfToFloat(actual))) << what;
      else
        ASSERT_EQ(expected.bitcastToAPInt().getZExtValue(), actual) << what << a << " " << b;
    };
    APFloat sum = left, product = left, quotient = left, fused = left;
    sum.add(right, APFloat::rmNearestTiesToEven);
    product.multiply(right, APFloat::rmNearestTiesToEven);
    quotient.divide(right, APFloat::rmNearestTiesToEven);
    fused.fusedMultiplyAdd(right, third, APFloat::rmNearestTiesToEven);
    check(sum, floatToHalf(l + r), "+");
    check(product, floatToHalf(l * r), "*");
    check(quotient, floatToHalf(l / r), "/");
    check(fused, F16::round(fusedMultiplyAddToOdd(l, r, halfToFloat(c)), Rounding::NearestEven),
          "fma");
  }
}
