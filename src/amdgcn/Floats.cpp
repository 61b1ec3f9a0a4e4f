//===- Floats.cpp - Floating arithmetic of vector registers -------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number among two if one is NaN; -0 is below 0.
template <typename F> static F smaller(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <typename F> static F larger(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
/// NaN if one of them is.
template <typename F> static F minimum(F a, F b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : smaller(a, b);
}
template <typename F> static F maximum(F a, F b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : larger(a, b);
}

template <typename F> static F median(F a, F b, F c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return smaller(smaller(a, b), c);
  F most = larger(larger(a, b), c);
  return most == a ? larger(b, c) : most == b ? larger(a, c) : larger(a, b);
}

template <typename F> static int biasedExponent(F value) {
  if constexpr (sizeof(F) == 8)
    return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff);
  else
    return static_cast<int>(std::bit_cast<uint32_t>(value) >> 23 & 0xff);
}

template <typename F> static bool isDenormal(F value) {
  return value != 0 && std::fabs(value) < std::numeric_limits<F>::min();
}

/// Of the divisions' helpers: by how much they scale, and where they do so.
template <typename F> struct DivisionFacts;
template <> struct DivisionFacts<float> {
  static constexpr int scale = 64, apart = 96, tiny = 23, underflow = -150, special = 255;
};
template <> struct DivisionFacts<double> {
  static constexpr int scale = 128, apart = 768, tiny = 53, underflow = -1075, special = 2047;
};

/// Scales a numerator or denominator so that the steps of a division stay in range; `later` says
/// that the quotient has to be scaled back.
template <typename F> static F divisionScale(F value, F denominator, F numerator, bool &later) {
  using Facts = DivisionFacts<F>;
  later = false;
  if (numerator == 0 || denominator == 0)
    return std::numeric_limits<F>::quiet_NaN();
  auto same = [](F a, F b) { return std::memcmp(&a, &b, sizeof(F)) == 0; };
  bool inverseDenormal = isDenormal(F(1) / denominator);
  bool quotientDenormal = isDenormal(numerator / denominator);
  if (biasedExponent(numerator) - biasedExponent(denominator) >= Facts::apart) {
    later = true;
    return same(value, denominator) ? std::ldexp(value, Facts::scale) : value;
  }
  if (isDenormal(denominator))
    return std::ldexp(value, Facts::scale);
  if (inverseDenormal && quotientDenormal) {
    later = true;
    return same(value, denominator) ? std::ldexp(value, Facts::scale) : value;
  }
  if (inverseDenormal)
    return std::ldexp(value, -Facts::scale);
  if (quotientDenormal) {
    later = true;
    return same(value, numerator) ? std::ldexp(value, Facts::scale) : value;
  }
  return biasedExponent(numerator) <= Facts::tiny ? std::ldexp(value, Facts::scale) : value;
}

/// What a quotient is where the steps of a division cannot know it.
template <typename F> static F divisionFixup(F quotient, F denominator, F numerator) {
  using Facts = DivisionFacts<F>;
  F sign = std::signbit(denominator) != std::signbit(numerator) ? F(-1) : F(1);
  if (std::isnan(numerator))
    return numerator;
  if (std::isnan(denominator))
    return denominator;
  bool areZero = denominator == 0 && numerator == 0;
  if (areZero || (std::isinf(denominator) && std::isinf(numerator)))
    return -std::numeric_limits<F>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return sign * std::numeric_limits<F>::infinity();
  if (std::isinf(denominator) || numerator == 0)
    return sign * F(0);
  if (biasedExponent(numerator) - biasedExponent(denominator) < Facts::underflow)
    return sign * F(0);
  if (biasedExponent(denominator) == Facts::special)
    return sign * std::numeric_limits<F>::infinity();
  // The steps end in NaN where even the scaled quotient is too large.
  if (std::isnan(quotient))
    return sign * std::numeric_limits<F>::infinity();
  return std::copysign(quotient, sign);
}

template <typename F> static void scaleForDivision(Step &step) {
  Source<F> value(step, step.operand(2), nullptr, 0),
      denominator(step, step.operand(3), nullptr, 1), numerator(step, step.operand(4), nullptr, 2);
  Result<F> result(step, step.operand(0));
  uint64_t mask = 0;
  step.eachLane([&](unsigned lane) {
    bool later = false;
    result.set(lane, divisionScale(value[lane], denominator[lane], numerator[lane], later));
    mask |= uint64_t(later) << lane;
  });
  step.setMask(step.operand(1), mask);
}

template <typename F> static void divisionSum(Step &step) {
  using Facts = DivisionFacts<F>;
  Source<F> a(step, 1), b(step, 2), c(step, 3);
  Result<F> result(step, step.operand(0));
  uint64_t mask = step.wave.mask(vccSlot);
  step.eachLane([&](unsigned lane) {
    F sum = std::fma(a[lane], b[lane], c[lane]);
    if (mask >> lane & 1)
      sum = std::ldexp(sum, biasedExponent(F(c[lane])) > Facts::special / 2 ? Facts::scale
                                                                            : -Facts::scale);
    result.set(lane, sum);
  });
}

/// The machine's functions of single floats know no denormals.
template <auto F> static float withoutDenormals(float value) { return flushed(F(flushed(value))); }

static double turns(double value) { return 2 * M_PI * std::remainder(value, 1.0); }

template <typename F> static F fraction(F value) {
  F result = value - std::floor(value);
  F below = std::nextafter(F(1), F(0));
  return std::isnan(value) || std::isinf(value) ? std::numeric_limits<F>::quiet_NaN()
                                                : std::min(result, below);
}

template <typename F> static F mantissa(F value) {
  int exponent;
  return std::isfinite(value) ? std::frexp(value, &exponent) : value;
}
template <typename F> static int32_t exponentOf(F value) {
  int exponent = 0;
  if (std::isfinite(value))
    std::frexp(value, &exponent);
  return exponent;
}

/// Part `select` of 2/pi, 53 bits at 53 times it, for arguments of this size.
static double trigonometricPart(double value, uint32_t select) {
  // 2/pi, as words of 32 bits from the point on.
  static constexpr uint32_t twoOverPi[] = {
      0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
      0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
      0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B,
      0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7,
      0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1,
      0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D};
  int shift = static_cast<int>(select & 0x1f) * 53;
  int exponent = biasedExponent(value);
  if (exponent > 1077)
    shift += exponent - 1077;
  uint64_t bits = 0;
  for (int i = 0; i != 53; ++i) {
    size_t at = static_cast<size_t>(shift + i);
    uint32_t word = at / 32 < std::size(twoOverPi) ? twoOverPi[at / 32] : 0;
    bits = bits << 1 | (word >> (31 - at % 32) & 1);
  }
  int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(static_cast<double>(bits), scale);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

template <typename F> static void addFloatFamily(HandlerTable &table, llvm::StringRef suffix) {
  auto name = [&](llvm::StringRef text) { return ("v_" + text + "_" + suffix).str(); };
  table[name("add")] = elementwise<[](F a, F b) { return F(a + b); }>;
  table[name("sub")] = elementwise<[](F a, F b) { return F(a - b); }>;
  table[name("subrev")] = elementwise<[](F a, F b) { return F(b - a); }>;
  table[name("mul")] = elementwise<[](F a, F b) { return F(a * b); }>;
  table[name("min")] = table[name("min_num")] = elementwise<[](F a, F b) { return smaller(a, b); }>;
  table[name("max")] = table[name("max_num")] = elementwise<[](F a, F b) { return larger(a, b); }>;
  table[name("minimum")] = elementwise<[](F a, F b) { return minimum(a, b); }>;
  table[name("maximum")] = elementwise<[](F a, F b) { return maximum(a, b); }>;
  table[name("fma")] = table[name("fmaak")] = table[name("fmamk")] =
      elementwise<[](F a, F b, F c) { return std::fma(a, b, c); }>;
  table[name("fmac")] = accumulating<[](F a, F b, F c) { return std::fma(a, b, c); }>;
  table[name("floor")] = elementwise<[](F a) { return std::floor(a); }>;
  table[name("ceil")] = elementwise<[](F a) { return std::ceil(a); }>;
  table[name("trunc")] = elementwise<[](F a) { return std::trunc(a); }>;
  table[name("rndne")] = elementwise<[](F a) { return std::nearbyint(a); }>;
  table[name("fract")] = elementwise<[](F a) { return fraction(a); }>;
  table[name("ldexp")] = elementwise<[](F a, int32_t b) { return std::ldexp(a, b); }>;
  table[name("frexp_mant")] = elementwise<[](F a) { return mantissa(a); }>;
  table[name("frexp_exp_i32")] = elementwise<[](F a) { return exponentOf(a); }>;
  table[name("div_scale")] = scaleForDivision<F>;
  table[name("div_fmas")] = divisionSum<F>;
  table[name("div_fixup")] = elementwise<[](F a, F b, F c) { return divisionFixup(a, b, c); }>;
}

static void addSingles(HandlerTable &table) {
  using F = float;
  table["v_mul_legacy_f32"] = table["v_mul_dx9_zero_f32"] =
      elementwise<[](F a, F b) { return a == 0 || b == 0 ? F(0) : F(a * b); }>;
  table["v_mad_f32"] = elementwise<[](F a, F b, F c) { return F(a * b) + c; }>;
  table["v_mac_f32"] = accumulating<[](F a, F b, F c) { return F(a * b) + c; }>;
  table["v_min3_f32"] = table["v_min3_num_f32"] =
      elementwise<[](F a, F b, F c) { return smaller(smaller(a, b), c); }>;
  table["v_max3_f32"] = table["v_max3_num_f32"] =
      elementwise<[](F a, F b, F c) { return larger(larger(a, b), c); }>;
  table["v_med3_f32"] = table["v_med3_num_f32"] =
      elementwise<[](F a, F b, F c) { return median(a, b, c); }>;
  table["v_minmax_f32"] = table["v_minmax_num_f32"] =
      elementwise<[](F a, F b, F c) { return larger(smaller(a, b), c); }>;
  table["v_maxmin_f32"] = table["v_maxmin_num_f32"] =
      elementwise<[](F a, F b, F c) { return smaller(larger(a, b), c); }>;
  table["v_minimum3_f32"] = elementwise<[](F a, F b, F c) { return minimum(minimum(a, b), c); }>;
  table["v_maximum3_f32"] = elementwise<[](F a, F b, F c) { return maximum(maximum(a, b), c); }>;
  table["v_minimummaximum_f32"] =
      elementwise<[](F a, F b, F c) { return maximum(minimum(a, b), c); }>;
  table["v_maximumminimum_f32"] =
      elementwise<[](F a, F b, F c) { return minimum(maximum(a, b), c); }>;
  table["v_exp_f32"] =
      elementwise<[](F a) { return withoutDenormals<[](F x) { return std::exp2(x); }>(a); }>;
  table["v_log_f32"] =
      elementwise<[](F a) { return withoutDenormals<[](F x) { return std::log2(x); }>(a); }>;
  table["v_rcp_f32"] = table["v_rcp_iflag_f32"] =
      elementwise<[](F a) { return withoutDenormals<[](F x) { return 1 / x; }>(a); }>;
  table["v_rsq_f32"] = elementwise<[](F a) {
    return withoutDenormals<[](F x) { return F(1 / std::sqrt(double(x))); }>(a);
  }>;
  table["v_sqrt_f32"] =
      elementwise<[](F a) { return withoutDenormals<[](F x) { return std::sqrt(x); }>(a); }>;
  table["v_sin_f32"] = elementwise<[](F a) { return F(std::sin(turns(a))); }>;
  table["v_cos_f32"] = elementwise<[](F a) { return F(std::cos(turns(a))); }>;
  table["v_tanh_f32"] = elementwise<[](F a) { return std::tanh(a); }>;
}

template <typename H> static void addNarrowFamily(HandlerTable &table, llvm::StringRef suffix) {
  auto name = [&](llvm::StringRef text) { return ("v_" + text + "_" + suffix).str(); };
  using D = std::conditional_t<std::is_same_v<H, Half>, HalfOfDouble, BrainOfDouble>;
  table[name("add")] = elementwise<[](H a, H b) { return H{a.value + b.value}; }>;
  table[name("sub")] = elementwise<[](H a, H b) { return H{a.value - b.value}; }>;
  table[name("subrev")] = elementwise<[](H a, H b) { return H{b.value - a.value}; }>;
  table[name("mul")] = elementwise<[](H a, H b) { return H{a.value * b.value}; }>;
  table[name("min")] = table[name("min_num")] =
      elementwise<[](H a, H b) { return H{smaller(a.value, b.value)}; }>;
  table[name("max")] = table[name("max_num")] =
      elementwise<[](H a, H b) { return H{larger(a.value, b.value)}; }>;
  table[name("minimum")] = elementwise<[](H a, H b) { return H{minimum(a.value, b.value)}; }>;
  table[name("maximum")] = elementwise<[](H a, H b) { return H{maximum(a.value, b.value)}; }>;
  table[name("fma")] = table[name("fmaak")] = table[name("fmamk")] = elementwise<[](H a, H b, H c) {
    return D{numeric::fusedMultiplyAddToOdd(a.value, b.value, c.value)};
  }>;
  table[name("fmac")] = accumulating<[](H a, H b, H c) {
    return D{numeric::fusedMultiplyAddToOdd(a.value, b.value, c.value)};
  }>;
  table[name("min3")] = table[name("min3_num")] =
      elementwise<[](H a, H b, H c) { return H{smaller(smaller(a.value, b.value), c.value)}; }>;
  table[name("max3")] = table[name("max3_num")] =
      elementwise<[](H a, H b, H c) { return H{larger(larger(a.value, b.value), c.value)}; }>;
  table[name("med3")] = table[name("med3_num")] =
      elementwise<[](H a, H b, H c) { return H{median(a.value, b.value, c.value)}; }>;
  table[name("minimum3")] =
      elementwise<[](H a, H b, H c) { return H{minimum(minimum(a.value, b.value), c.value)}; }>;
  table[name("maximum3")] =
      elementwise<[](H a, H b, H c) { return H{maximum(maximum(a.value, b.value), c.value)}; }>;
  table[name("floor")] = elementwise<[](H a) { return H{std::floor(a.value)}; }>;
  table[name("ceil")] = elementwise<[](H a) { return H{std::ceil(a.value)}; }>;
  table[name("trunc")] = elementwise<[](H a) { return H{std::trunc(a.value)}; }>;
  table[name("rndne")] = elementwise<[](H a) { return H{std::nearbyint(a.value)}; }>;
  table[name("fract")] = elementwise<[](H a) { return H{fraction(a.value)}; }>;
  table[name("rcp")] = elementwise<[](H a) { return D{1.0 / a.value}; }>;
  table[name("rsq")] = elementwise<[](H a) { return D{1.0 / std::sqrt(double(a.value))}; }>;
  table[name("sqrt")] = elementwise<[](H a) { return D{std::sqrt(double(a.value))}; }>;
  table[name("exp")] = elementwise<[](H a) { return D{std::exp2(double(a.value))}; }>;
  table[name("log")] = elementwise<[](H a) { return D{std::log2(double(a.value))}; }>;
  table[name("sin")] = elementwise<[](H a) { return D{std::sin(turns(a.value))}; }>;
  table[name("cos")] = elementwise<[](H a) { return D{std::cos(turns(a.value))}; }>;
  table[name("tanh")] = elementwise<[](H a) { return D{std::tanh(double(a.value))}; }>;
  table[name("ldexp")] =
      elementwise<[](H a, int16_t b) { return D{std::ldexp(double(a.value), b)}; }>;
  table[name("frexp_mant")] = elementwise<[](H a) { return H{mantissa(a.value)}; }>;
  table[name("frexp_exp_i16")] =
      elementwise<[](H a) { return static_cast<int16_t>(exponentOf(a.value)); }>;
  table[name("div_fixup")] =
      elementwise<[](H a, H b, H c) { return H{divisionFixup(a.value, b.value, c.value)}; }>;
  table[name("mad")] = table[name("mad_legacy")] =
      elementwise<[](H a, H b, H c) { return H{H{a.value * b.value}.value + c.value}; }>;
}

static void addDoubles(HandlerTable &table) {
  using D = double;
  table["v_rcp_f64"] = elementwise<[](D a) { return 1 / a; }>;
  table["v_rsq_f64"] = elementwise<[](D a) { return 1 / std::sqrt(a); }>;
  table["v_sqrt_f64"] = elementwise<[](D a) { return std::sqrt(a); }>;
  table["v_trig_preop_f64"] = elementwise<[](D a, uint32_t b) { return trigonometricPart(a, b); }>;
}

void addFloats(HandlerTable &table) {
  addFloatFamily<float>(table, "f32");
  addFloatFamily<double>(table, "f64");
  addSingles(table);
  addDoubles(table);
  addNarrowFamily<Half>(table, "f16");
  addNarrowFamily<Brain>(table, "bf16");
}

} // namespace gluonc::amdgcn
