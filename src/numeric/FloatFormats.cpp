#include "numeric/FloatFormats.h"

#include <cmath>
#include <limits>

namespace gluonc::numeric {

double decode(const FloatFormat &format, uint32_t bits) {
  uint32_t signBit = 1u << (format.bits() - 1);
  uint32_t magnitude = bits & (signBit - 1);
  bool negative = bits & signBit;
  if (!format.hasNegativeZero && bits == format.nan)
    return std::numeric_limits<double>::quiet_NaN();
  double value;
  if (format.infinity && magnitude == format.infinity)
    value = std::numeric_limits<double>::infinity();
  else if (magnitude > format.maxFinite)
    return std::numeric_limits<double>::quiet_NaN();
  else {
    uint32_t exponent = magnitude >> format.mantissaBits;
    uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
    if (exponent)
      mantissa |= 1u << format.mantissaBits;
    else
      exponent = 1;
    value = std::ldexp(double(mantissa), int(exponent) - format.bias - int(format.mantissaBits));
  }
  return negative ? -value : value;
}

/// `mantissa` without its lowest `shift` bits, rounded.
static uint64_t shiftRounded(uint64_t mantissa, unsigned shift, Rounding rounding) {
  if (shift == 0)
    return mantissa;
  if (shift > 63)
    shift = 63;
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  bool up = rounding == Rounding::NearestEven && (rest > half || (rest == half && (kept & 1)));
  return kept + up;
}

/// Encoding of a magnitude beyond the largest finite one.
static uint32_t beyond(const FloatFormat &format, bool isInfinite, Rounding rounding,
                       Overflow overflow) {
  bool stays = overflow == Overflow::Saturate ||
               (rounding == Rounding::TowardZero && !isInfinite) ||
               (!format.infinity && !format.nan);
  if (stays)
    return format.maxFinite;
  return format.infinity ? format.infinity : format.nan;
}

uint32_t encode(const FloatFormat &format, double value, Rounding rounding, Overflow overflow) {
  if (std::isnan(value))
    return format.nan;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = (bits >> 63) ? 1u << (format.bits() - 1) : 0;
  uint32_t magnitude;
  if (std::isinf(value)) {
    magnitude = beyond(format, true, rounding, overflow);
  } else {
    int exponent = int((bits >> 52) & 0x7ff);
    uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
    if (exponent)
      mantissa |= uint64_t(1) << 52;
    else
      exponent = 1;
    exponent -= 1023;
    // Below the smallest normal exponent the quantum stays that of the subnormals.
    int smallest = 1 - format.bias;
    int scale = exponent < smallest ? smallest : exponent;
    unsigned shift = unsigned(52 - int(format.mantissaBits) + (scale - exponent));
    // A carry out of the mantissa walks into the exponent by itself.
    uint64_t rounded = shiftRounded(mantissa, shift, rounding) +
                       (uint64_t(scale - smallest) << format.mantissaBits);
    magnitude = rounded > format.maxFinite ? beyond(format, false, rounding, overflow)
                                           : static_cast<uint32_t>(rounded);
  }
  if (magnitude == 0 && !format.hasNegativeZero)
    return 0;
  return sign | magnitude;
}

float narrowToFloat(double value, Rounding rounding) {
  float nearest = static_cast<float>(value);
  if (rounding == Rounding::NearestEven || std::isnan(value) || std::isinf(value))
    return nearest;
  return std::fabs(double(nearest)) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}

double fusedMultiplyAddToOdd(double a, double b, double c) {
  // Operands have at most 11 significant bits, so the product is exact; the sum is
  // rounded to odd, which a later rounding to nearest cannot mistake for a tie.
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double virtualC = sum - product;
  double error = (product - (sum - virtualC)) + (c - virtualC);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  bool awayFromZero = (error > 0) == (sum > 0);
  return std::bit_cast<double>(awayFromZero ? bits + 1 : bits - 1);
}

} // namespace gluonc::numeric
