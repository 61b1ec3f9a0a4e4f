#include "numeric/FloatFormats.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace gluonc::numeric;
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
uint32_t referenceEncode(const Case &c, double value, Rounding rounding, Overflow overflow) {
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
    bool leaves =
        overflow == Overflow::Infinity && (std::isinf(value) || rounding == Rounding::NearestEven);
    EXPECT_GT(std::fabs(value), largest * 0.99);
    uint32_t outside = c.format.infinity ? c.format.infinity : c.format.nan;
    return sign | (leaves ? outside : c.format.maxFinite);
  }
  return uint32_t(reference.bitcastToAPInt().getZExtValue());
}

/// The definition of the formats, for magnitudes. One more than the largest has a value here too.
double valueOf(const FloatFormat &format, uint32_t code) {
  int exponent = int(code >> format.mantissaBits);
  double mantissa = (code % (1u << format.mantissaBits)) / std::exp2(format.mantissaBits);
  return exponent ? (1 + mantissa) * std::exp2(exponent - format.bias)
                  : mantissa * std::exp2(1 - format.bias);
}

/// The nearest of all codes, found by looking at each; of two, the even one.
uint32_t nearestCode(const FloatFormat &format, double magnitude) {
  uint32_t best = 0;
  for (uint32_t code = 1; code <= format.maxFinite + 1; ++code) {
    double now = std::fabs(valueOf(format, code) - magnitude);
    double before = std::fabs(valueOf(format, best) - magnitude);
    if (now < before || (now == before && code % 2 == 0))
      best = code;
  }
  return best;
}

/// Every value of the format, every midpoint of neighbours, and a little to each side.
std::vector<double> interestingValues(const FloatFormat &format) {
  std::vector<double> values = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 1e-300};
  for (uint32_t code = 0; code <= format.maxFinite; ++code) {
    double value = valueOf(format, code), next = valueOf(format, code + 1);
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
      for (Overflow overflow : {Overflow::Infinity, Overflow::Saturate})
        for (double value : interestingValues(c.format))
          ASSERT_EQ(referenceEncode(c, value, rounding, overflow),
                    encode(c.format, value, rounding, overflow))
              << c.name << " " << value << " " << int(rounding);
}

TEST(FloatFormats, SmallFormatsAreWhatTheirDefinitionSays) {
  for (const FloatFormat *format :
       {&kF8E4M3FN, &kF8E5M2, &kF8E4M3FNUZ, &kF8E5M2FNUZ, &kF8E4M3B15, &kF4E2M1}) {
    uint32_t signBit = 1u << (format->bits() - 1);
    for (uint32_t code = 0; code <= format->maxFinite; ++code) {
      ASSERT_EQ(decode(*format, code), valueOf(*format, code));
      ASSERT_EQ(encode(*format, valueOf(*format, code), Rounding::NearestEven), code);
      if (code == 0 && !format->hasNegativeZero)
        continue;
      ASSERT_EQ(decode(*format, signBit | code), -valueOf(*format, code));
      ASSERT_EQ(encode(*format, -valueOf(*format, code), Rounding::NearestEven), signBit | code);
    }
    for (double value : interestingValues(*format)) {
      if (!(std::fabs(value) <= valueOf(*format, format->maxFinite + 1)))
        continue;
      uint32_t code = nearestCode(*format, std::fabs(value));
      uint32_t nearest = encode(*format, value, Rounding::NearestEven, Overflow::Saturate);
      ASSERT_EQ(nearest & (signBit - 1), std::min(code, format->maxFinite)) << value;
      uint32_t cut = encode(*format, value, Rounding::TowardZero);
      ASSERT_LE(std::fabs(decode(*format, cut)), std::fabs(value));
    }
  }
}

TEST(FloatFormats, FormatsWithoutInfinityOrNanStayFinite) {
  for (const FloatFormat *format : {&kF8E4M3B15, &kF4E2M1}) {
    uint32_t signBit = 1u << (format->bits() - 1);
    EXPECT_EQ(encode(*format, INFINITY, Rounding::NearestEven), format->maxFinite);
    EXPECT_EQ(encode(*format, -1e9, Rounding::NearestEven), signBit | format->maxFinite);
    EXPECT_EQ(encode(*format, NAN, Rounding::NearestEven), 0u);
    EXPECT_TRUE(std::signbit(decode(*format, signBit)));
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
    check(
        fused,
        uint16_t(encode(kF16, fusedMultiplyAddToOdd(l, r, halfToFloat(c)), Rounding::NearestEven)),
        "fma");
  }
}
