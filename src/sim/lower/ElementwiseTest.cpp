#include "sim/KernelTesting.h"
#include "sim/machine/Elements.h"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;

namespace {

template <class T> std::vector<T> randomValues(unsigned seed, T low, T high) {
  std::mt19937_64 random(seed);
  std::vector<T> values(128);
  for (T &value : values)
    if constexpr (std::is_floating_point_v<T>)
      value = std::uniform_real_distribution<T>(low, high)(random);
    else
      value = T(std::uniform_int_distribution<int64_t>(int64_t(low), int64_t(high))(random));
  return values;
}

/// One binary operation on i32 and on f32 against a lambda.
struct IntegerCase {
  const char *operation;
  std::function<int32_t(int32_t, int32_t)> expected;
};
struct FloatCase {
  const char *operation;
  std::function<float(float, float)> expected;
};

} // namespace

TEST(Elementwise, IntegerOperationsActOnEveryElement) {
  auto u = [](int32_t x) { return uint32_t(x); };
  const IntegerCase cases[] = {
      {"arith.addi", [&](int32_t l, int32_t r) { return int32_t(u(l) + u(r)); }},
      {"arith.subi", [&](int32_t l, int32_t r) { return int32_t(u(l) - u(r)); }},
      {"arith.muli", [&](int32_t l, int32_t r) { return int32_t(u(l) * u(r)); }},
      {"arith.andi", [](int32_t l, int32_t r) { return l & r; }},
      {"arith.ori", [](int32_t l, int32_t r) { return l | r; }},
      {"arith.xori", [](int32_t l, int32_t r) { return l ^ r; }},
      {"arith.minsi", [](int32_t l, int32_t r) { return std::min(l, r); }},
      {"arith.maxsi", [](int32_t l, int32_t r) { return std::max(l, r); }},
      {"arith.minui", [&](int32_t l, int32_t r) { return u(l) < u(r) ? l : r; }},
      {"arith.maxui", [&](int32_t l, int32_t r) { return u(l) > u(r) ? l : r; }},
      {"arith.divsi", [](int32_t l, int32_t r) { return l / r; }},
      {"arith.remsi", [](int32_t l, int32_t r) { return l % r; }},
      {"arith.divui", [&](int32_t l, int32_t r) { return int32_t(u(l) / u(r)); }},
      {"arith.remui", [&](int32_t l, int32_t r) { return int32_t(u(l) % u(r)); }},
      {"arith.floordivsi",
       [](int32_t l, int32_t r) { return int32_t(std::floor(double(l) / double(r))); }},
      {"arith.ceildivsi",
       [](int32_t l, int32_t r) { return int32_t(std::ceil(double(l) / double(r))); }},
      {"arith.ceildivui",
       [&](int32_t l, int32_t r) { return int32_t(u(l) / u(r) + (u(l) % u(r) != 0)); }},
      {"tt.mulhiui", [&](int32_t l, int32_t r) { return int32_t(uint64_t(u(l)) * u(r) >> 32); }},
  };
  auto left = randomValues<int32_t>(1, INT32_MIN, INT32_MAX);
  auto right = randomValues<int32_t>(2, -1000, 1000);
  for (int32_t &value : right)
    value += value == 0 || value == -1 ? 7 : 0;
  for (const IntegerCase &test : cases) {
    auto out = runElementwise<int32_t, int32_t>(
        "i32", std::string("%r = ") + test.operation + " %a, %b : tensor<128xi32, #l>", "i32",
        {left, right});
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], test.expected(left[i], right[i])) << test.operation << " " << i;
  }
}

TEST(Elementwise, ShiftsUseTheOperandsWidthAndSign) {
  auto left = randomValues<int16_t>(3, INT16_MIN, INT16_MAX);
  auto right = randomValues<int16_t>(4, 0, 15);
  auto run = [&](const char *operation) {
    return runElementwise<int16_t, int16_t>(
        "i16", std::string("%r = ") + operation + " %a, %b : tensor<128xi16, #l>", "i16",
        {left, right});
  };
  auto shl = run("arith.shli"), shrs = run("arith.shrsi"), shru = run("arith.shrui");
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(shl[i], int16_t(uint16_t(left[i]) << right[i]));
    ASSERT_EQ(shrs[i], int16_t(left[i] >> right[i]));
    ASSERT_EQ(shru[i], int16_t(uint16_t(left[i]) >> right[i]));
  }
}

TEST(Elementwise, ExtendedMultiplicationGivesBothHalves) {
  auto a = randomValues<int64_t>(5, INT64_MIN, INT64_MAX);
  auto b = randomValues<int64_t>(6, INT64_MIN, INT64_MAX);
  auto high = runElementwise<int64_t, int64_t>(
      "i64", "%lo, %r = arith.mulsi_extended %a, %b : tensor<128xi64, #l>", "i64", {a, b});
  auto highUnsigned = runElementwise<int64_t, int64_t>(
      "i64", "%lo, %r = arith.mului_extended %a, %b : tensor<128xi64, #l>", "i64", {a, b});
  auto low = runElementwise<int64_t, int64_t>(
      "i64", "%r, %hi = arith.mului_extended %a, %b : tensor<128xi64, #l>", "i64", {a, b});
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(high[i], int64_t((__int128(a[i]) * b[i]) >> 64));
    ASSERT_EQ(uint64_t(highUnsigned[i]),
              uint64_t(((unsigned __int128)(uint64_t(a[i])) * uint64_t(b[i])) >> 64));
    ASSERT_EQ(uint64_t(low[i]), uint64_t(a[i]) * uint64_t(b[i]));
  }
}

TEST(Elementwise, ComparisonsFollowTheirPredicates) {
  struct Case {
    const char *predicate;
    std::function<bool(int32_t, int32_t)> expected;
  };
  auto u = [](int32_t x) { return uint32_t(x); };
  const Case cases[] = {
      {"eq", [](int32_t l, int32_t r) { return l == r; }},
      {"ne", [](int32_t l, int32_t r) { return l != r; }},
      {"slt", [](int32_t l, int32_t r) { return l < r; }},
      {"sle", [](int32_t l, int32_t r) { return l <= r; }},
      {"sgt", [](int32_t l, int32_t r) { return l > r; }},
      {"sge", [](int32_t l, int32_t r) { return l >= r; }},
      {"ult", [&](int32_t l, int32_t r) { return u(l) < u(r); }},
      {"ule", [&](int32_t l, int32_t r) { return u(l) <= u(r); }},
      {"ugt", [&](int32_t l, int32_t r) { return u(l) > u(r); }},
      {"uge", [&](int32_t l, int32_t r) { return u(l) >= u(r); }},
  };
  auto left = randomValues<int32_t>(7, -3, 3), right = randomValues<int32_t>(8, -3, 3);
  for (const Case &test : cases) {
    auto out = runElementwise<uint8_t, int32_t>(
        "i32",
        std::string("%k = arith.cmpi ") + test.predicate +
            ", %a, %b : tensor<128xi32, #l>\n%r = arith.extui %k : tensor<128xi1, #l> to "
            "tensor<128xi8, #l>",
        "i8", {left, right});
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], test.expected(left[i], right[i])) << test.predicate;
  }
}

TEST(Elementwise, FloatComparisonsTellOrderedFromUnordered) {
  struct Case {
    const char *predicate;
    std::function<bool(float, float)> expected;
  };
  auto nan = [](float l, float r) { return std::isnan(l) || std::isnan(r); };
  const Case cases[] = {
      {"false", [](float, float) { return false; }},
      {"true", [](float, float) { return true; }},
      {"oeq", [&](float l, float r) { return !nan(l, r) && l == r; }},
      {"ogt", [&](float l, float r) { return !nan(l, r) && l > r; }},
      {"oge", [&](float l, float r) { return !nan(l, r) && l >= r; }},
      {"olt", [&](float l, float r) { return !nan(l, r) && l < r; }},
      {"ole", [&](float l, float r) { return !nan(l, r) && l <= r; }},
      {"one", [&](float l, float r) { return !nan(l, r) && l != r; }},
      {"ord", [&](float l, float r) { return !nan(l, r); }},
      {"ueq", [&](float l, float r) { return nan(l, r) || l == r; }},
      {"ugt", [&](float l, float r) { return nan(l, r) || l > r; }},
      {"uge", [&](float l, float r) { return nan(l, r) || l >= r; }},
      {"ult", [&](float l, float r) { return nan(l, r) || l < r; }},
      {"ule", [&](float l, float r) { return nan(l, r) || l <= r; }},
      {"une", [&](float l, float r) { return nan(l, r) || l != r; }},
      {"uno", [&](float l, float r) { return nan(l, r); }},
  };
  const float points[] = {-1, -0.0f, 0, 1, NAN, INFINITY, -INFINITY, 0.5f};
  std::vector<float> left(128), right(128);
  for (int i = 0; i < 128; ++i) {
    left[i] = points[i % 8];
    right[i] = points[i / 8 % 8];
  }
  for (const Case &test : cases) {
    auto out = runElementwise<uint8_t, float>(
        "f32",
        std::string("%k = arith.cmpf ") + test.predicate +
            ", %a, %b : tensor<128xf32, #l>\n%r = arith.extui %k : tensor<128xi1, #l> to "
            "tensor<128xi8, #l>",
        "i8", {left, right});
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], test.expected(left[i], right[i]))
          << test.predicate << " " << left[i] << " " << right[i];
  }
}

TEST(Elementwise, FloatOperationsActOnEveryElement) {
  auto nan = [](float x) { return std::isnan(x); };
  const FloatCase cases[] = {
      {"arith.addf", [](float l, float r) { return l + r; }},
      {"arith.subf", [](float l, float r) { return l - r; }},
      {"arith.mulf", [](float l, float r) { return l * r; }},
      {"arith.divf", [](float l, float r) { return l / r; }},
      {"tt.precise_divf", [](float l, float r) { return l / r; }},
      {"arith.remf", [](float l, float r) { return std::fmod(l, r); }},
      {"arith.minnumf", [&](float l, float r) { return std::fmin(l, r); }},
      {"arith.maxnumf", [&](float l, float r) { return std::fmax(l, r); }},
      {"arith.minimumf",
       [&](float l, float r) { return nan(l) || nan(r) ? NAN : std::fmin(l, r); }},
      {"arith.maximumf",
       [&](float l, float r) { return nan(l) || nan(r) ? NAN : std::fmax(l, r); }},
      {"math.powf", [](float l, float r) { return std::pow(l, r); }},
      {"math.atan2", [](float l, float r) { return std::atan2(l, r); }},
      {"math.copysign", [](float l, float r) { return std::copysign(l, r); }},
  };
  auto left = randomValues<float>(9, -10, 10), right = randomValues<float>(10, -10, 10);
  left[3] = right[5] = NAN;
  left[7] = INFINITY;
  for (const FloatCase &test : cases) {
    auto out = runElementwise<float, float>(
        "f32", std::string("%r = ") + test.operation + " %a, %b : tensor<128xf32, #l>", "f32",
        {left, right});
    for (int i = 0; i < 128; ++i) {
      float expected = test.expected(left[i], right[i]);
      if (nan(expected))
        ASSERT_TRUE(nan(out[i])) << test.operation << " " << i;
      else
        ASSERT_EQ(out[i], expected) << test.operation << " " << left[i] << " " << right[i];
    }
  }
}

TEST(Elementwise, MinimumAndMaximumOrderTheZeros) {
  std::vector<float> left(128, 0.0f), right(128, -0.0f);
  for (const char *operation : {"arith.minimumf", "arith.minnumf"}) {
    auto out = runElementwise<float, float>(
        "f32", std::string("%r = ") + operation + " %a, %b : tensor<128xf32, #l>", "f32",
        {left, right});
    EXPECT_TRUE(std::signbit(out[0])) << operation;
  }
  for (const char *operation : {"arith.maximumf", "arith.maxnumf"}) {
    auto out = runElementwise<float, float>(
        "f32", std::string("%r = ") + operation + " %a, %b : tensor<128xf32, #l>", "f32",
        {right, left});
    EXPECT_FALSE(std::signbit(out[0])) << operation;
  }
}

TEST(Elementwise, MathFunctionsMatchTheHostLibraryInDouble) {
  struct Case {
    const char *operation;
    double (*expected)(double);
  };
  const Case cases[] = {
      {"math.exp", std::exp},
      {"math.exp2", std::exp2},
      {"math.expm1", std::expm1},
      {"math.log", std::log},
      {"math.log2", std::log2},
      {"math.log10", std::log10},
      {"math.log1p", std::log1p},
      {"math.sin", std::sin},
      {"math.cos", std::cos},
      {"math.tan", std::tan},
      {"math.sinh", std::sinh},
      {"math.cosh", std::cosh},
      {"math.tanh", std::tanh},
      {"math.asin", std::asin},
      {"math.acos", std::acos},
      {"math.atan", std::atan},
      {"math.asinh", std::asinh},
      {"math.acosh", std::acosh},
      {"math.atanh", std::atanh},
      {"math.sqrt", std::sqrt},
      {"tt.precise_sqrt", std::sqrt},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"math.cbrt", std::cbrt},
      {"math.erf", std::erf},
      {"math.floor", std::floor},
      {"math.ceil", std::ceil},
      {"math.trunc", std::trunc},
      {"math.round", std::round},
      {"math.roundeven", [](double x) { return std::nearbyint(x); }},
      {"math.absf", [](double x) { return std::fabs(x); }},
      {"arith.negf", [](double x) { return -x; }},
  };
  auto values = randomValues<float>(11, -3, 3);
  values[0] = 2.5f;
  values[1] = -0.5f;
  for (const Case &test : cases) {
    auto out = runElementwise<float, float>(
        "f32", std::string("%r = ") + test.operation + " %a : tensor<128xf32, #l>", "f32",
        {values});
    for (int i = 0; i < 128; ++i) {
      double expected = test.expected(values[i]);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(out[i])) << test.operation << " " << values[i];
      else
        ASSERT_NEAR(out[i], expected, 1e-6 * (1 + std::fabs(expected)))
            << test.operation << " " << values[i];
    }
  }
}

TEST(Elementwise, IntegerFunctionsCountBits) {
  auto values = randomValues<int32_t>(12, INT32_MIN, INT32_MAX);
  values[0] = 0;
  auto run = [&](const char *operation) {
    return runElementwise<int32_t, int32_t>(
        "i32", std::string("%r = ") + operation + " %a : tensor<128xi32, #l>", "i32", {values});
  };
  auto absolute = run("math.absi"), leading = run("math.ctlz"), trailing = run("math.cttz"),
       ones = run("math.ctpop");
  EXPECT_EQ(leading[0], 32);
  EXPECT_EQ(trailing[0], 32);
  for (int i = 1; i < 128; ++i) {
    ASSERT_EQ(absolute[i], std::abs(values[i]));
    ASSERT_EQ(leading[i], __builtin_clz(uint32_t(values[i])));
    ASSERT_EQ(trailing[i], __builtin_ctz(uint32_t(values[i])));
    ASSERT_EQ(ones[i], __builtin_popcount(uint32_t(values[i])));
  }
}

TEST(Elementwise, FusedMultiplyAddRoundsOnce) {
  auto a = randomValues<float>(13, -10, 10), b = randomValues<float>(14, -10, 10),
       c = randomValues<float>(15, -10, 10);
  auto out = runElementwise<float, float>("f32", "%r = math.fma %a, %b, %c : tensor<128xf32, #l>",
                                          "f32", {a, b, c});
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], std::fma(a[i], b[i], c[i]));
}

TEST(Elementwise, HalfOperationsRoundEachResult) {
  std::vector<uint16_t> a(128), b(128);
  std::mt19937 random(16);
  for (int i = 0; i < 128; ++i) {
    a[i] = floatToHalf(float(int(random() % 2000)) / 37);
    b[i] = floatToHalf(float(int(random() % 2000)) / 41 + 1);
  }
  auto out = runElementwise<uint16_t, uint16_t>(
      "f16",
      "%x = arith.mulf %a, %b : tensor<128xf16, #l>\n%r = arith.addf %x, %b : tensor<128xf16, #l>",
      "f16", {a, b});
  for (int i = 0; i < 128; ++i) {
    uint16_t product = floatToHalf(halfToFloat(a[i]) * halfToFloat(b[i]));
    ASSERT_EQ(out[i], floatToHalf(halfToFloat(product) + halfToFloat(b[i])));
  }
}

TEST(Elementwise, ClampKeepsOrDropsNan) {
  std::vector<float> x = randomValues<float>(17, -10, 10), low(128, -1), high(128, 2);
  x[9] = NAN;
  auto run = [&](const char *mode) {
    return runElementwise<float, float>("f32",
                                        std::string("%r = tt.clampf %a, %b, %c, propagateNan = ") +
                                            mode + " : tensor<128xf32, #l>",
                                        "f32", {x, low, high});
  };
  auto none = run("none"), all = run("all");
  EXPECT_EQ(none[9], -1.0f);
  EXPECT_TRUE(std::isnan(all[9]));
  for (int i = 10; i < 128; ++i)
    ASSERT_EQ(all[i], std::min(std::max(x[i], -1.0f), 2.0f));
}

TEST(Elementwise, SelectMixesUniformAndSpelledOutOperands) {
  auto a = randomValues<int32_t>(18, -5, 5);
  auto out = runElementwise<int32_t, int32_t>(
      "i32",
      "%z = arith.constant dense<0> : tensor<128xi32, #l>\n"
      "%k = arith.cmpi sgt, %a, %z : tensor<128xi32, #l>\n"
      "%r = arith.select %k, %a, %z : tensor<128xi1, #l>, tensor<128xi32, #l>",
      "i32", {a});
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], std::max(a[i], 0));
}

TEST(Elementwise, IntegerCastsExtendAndTruncate) {
  auto a = randomValues<int16_t>(19, INT16_MIN, INT16_MAX);
  auto cast = [&](const char *operation, const char *type) {
    return std::string("%r = ") + operation + " %a : tensor<128xi16, #l> to tensor<128x" + type +
           ", #l>";
  };
  auto sext = runElementwise<int64_t, int16_t>("i16", cast("arith.extsi", "i64"), "i64", {a});
  auto zext = runElementwise<int32_t, int16_t>("i16", cast("arith.extui", "i32"), "i32", {a});
  auto trunc = runElementwise<int8_t, int16_t>("i16", cast("arith.trunci", "i8"), "i8", {a});
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(sext[i], a[i]);
    ASSERT_EQ(zext[i], uint16_t(a[i]));
    ASSERT_EQ(trunc[i], int8_t(a[i]));
  }
  // A true i1 is -1 when sign-extended.
  auto bits = runElementwise<int32_t, int16_t>(
      "i16",
      "%k = arith.trunci %a : tensor<128xi16, #l> to tensor<128xi1, #l>\n"
      "%r = arith.extsi %k : tensor<128xi1, #l> to tensor<128xi32, #l>",
      "i32", {a});
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(bits[i], -(a[i] & 1));
}

TEST(Elementwise, FloatToIntegerClampsAndNanIsZero) {
  std::vector<float> values(128, 1.75f);
  values[1] = -1.75f;
  values[2] = 1e20f;
  values[3] = -1e20f;
  values[4] = NAN;
  values[5] = 2147483648.0f;
  values[6] = -2147483648.0f;
  auto signedOut = runElementwise<int32_t, float>(
      "f32", "%r = arith.fptosi %a : tensor<128xf32, #l> to tensor<128xi32, #l>", "i32", {values});
  auto unsignedOut = runElementwise<uint32_t, float>(
      "f32", "%r = arith.fptoui %a : tensor<128xf32, #l> to tensor<128xi32, #l>", "i32", {values});
  auto wide = runElementwise<int64_t, float>(
      "f32", "%r = arith.fptosi %a : tensor<128xf32, #l> to tensor<128xi64, #l>", "i64", {values});
  EXPECT_EQ(signedOut[0], 1);
  EXPECT_EQ(signedOut[1], -1);
  EXPECT_EQ(signedOut[2], INT32_MAX);
  EXPECT_EQ(signedOut[3], INT32_MIN);
  EXPECT_EQ(signedOut[4], 0);
  EXPECT_EQ(signedOut[5], INT32_MAX);
  EXPECT_EQ(signedOut[6], INT32_MIN);
  EXPECT_EQ(unsignedOut[1], 0u);
  EXPECT_EQ(unsignedOut[2], UINT32_MAX);
  EXPECT_EQ(unsignedOut[5], 2147483648u);
  EXPECT_EQ(wide[2], INT64_MAX);
  EXPECT_EQ(wide[3], INT64_MIN);
  EXPECT_EQ(wide[5], 2147483648);
}

TEST(Elementwise, IntegerToFloatRoundsOnce) {
  std::vector<int64_t> values(128);
  std::mt19937_64 random(20);
  for (int64_t &value : values)
    value = int64_t(random()) >> (random() % 60);
  // Between two bf16 values, just above the middle by less than a double can see.
  values[0] = (int64_t(0x101) << 54) + 1;
  auto toFloat = runElementwise<float, int64_t>(
      "i64", "%r = arith.sitofp %a : tensor<128xi64, #l> to tensor<128xf32, #l>", "f32", {values});
  auto toBfloat = runElementwise<uint16_t, int64_t>(
      "i64", "%r = arith.sitofp %a : tensor<128xi64, #l> to tensor<128xbf16, #l>", "bf16",
      {values});
  auto fromUnsigned = runElementwise<float, int64_t>(
      "i64", "%r = arith.uitofp %a : tensor<128xi64, #l> to tensor<128xf32, #l>", "f32", {values});
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(toFloat[i], float(values[i]));
    ASSERT_EQ(fromUnsigned[i], float(uint64_t(values[i])));
  }
  EXPECT_EQ(toBfloat[0], floatToBfloat(float(0x102) * 0x1p54f));
}

TEST(Elementwise, FloatCastsHonourTheRoundingMode) {
  auto values = randomValues<float>(21, -500, 500);
  auto nearest = runElementwise<uint8_t, float>(
      "f32",
      "%r = tt.fp_to_fp %a, rounding = rtne : tensor<128xf32, #l> -> tensor<128xf8E4M3FN, #l>",
      "f8E4M3FN", {values});
  auto zero = runElementwise<uint16_t, float>(
      "f32", "%r = tt.fp_to_fp %a, rounding = rtz : tensor<128xf32, #l> -> tensor<128xbf16, #l>",
      "bf16", {values});
  auto half = runElementwise<uint16_t, float>(
      "f32", "%r = arith.truncf %a : tensor<128xf32, #l> to tensor<128xf16, #l>", "f16", {values});
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(nearest[i], encode(kF8E4M3FN, values[i], Rounding::NearestEven, Overflow::Saturate));
    ASSERT_EQ(zero[i], std::bit_cast<uint32_t>(values[i]) >> 16);
    ASSERT_EQ(half[i], encode(kF16, values[i], Rounding::NearestEven));
  }
  std::vector<uint8_t> codes(128);
  for (int i = 0; i < 128; ++i)
    codes[i] = uint8_t(i);
  auto widened = runElementwise<float, uint8_t>(
      "f8E5M2", "%r = tt.fp_to_fp %a : tensor<128xf8E5M2, #l> -> tensor<128xf32, #l>", "f32",
      {codes});
  auto doubles = runElementwise<double, float>(
      "f32", "%r = arith.extf %a : tensor<128xf32, #l> to tensor<128xf64, #l>", "f64", {values});
  for (int i = 0; i < 124; ++i)
    ASSERT_EQ(widened[i], float(decode(kF8E5M2, i)));
  ASSERT_EQ(doubles[5], double(values[5]));
}

TEST(Elementwise, BitcastsKeepBits) {
  auto values = randomValues<float>(22, -500, 500);
  auto out = runElementwise<uint32_t, float>(
      "f32",
      "%x = arith.bitcast %a : tensor<128xf32, #l> to tensor<128xi32, #l>\n"
      "%y = tt.bitcast %x : tensor<128xi32, #l> -> tensor<128xf32, #l>\n"
      "%r = arith.bitcast %y : tensor<128xf32, #l> to tensor<128xi32, #l>",
      "i32", {values});
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], std::bit_cast<uint32_t>(values[i]));
}
