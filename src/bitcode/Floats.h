//===- Floats.h - Formats of floats as words ----------------------------------===//
#pragma once

#include "bitcode/Machine.h"
#include "numeric/FloatFormats.h"

#include <bit>
#include <cmath>

namespace gluonc::bitcode {

// `Compute` is what the host computes in: of half and bfloat one rounding more does no harm to
// sums, products, quotients and roots.
struct Half {
  using Compute = float;
  static float of(Word bits) { return numeric::halfToFloat(uint16_t(bits)); }
  static Word bits(float value) { return numeric::floatToHalf(value); }
  static Word ofDouble(double value) {
    return numeric::encode(numeric::kF16, value, numeric::Rounding::NearestEven,
                           numeric::Overflow::Infinity);
  }
};
struct BFloat {
  using Compute = float;
  static float of(Word bits) { return numeric::bfloatToFloat(uint16_t(bits)); }
  static Word bits(float value) { return numeric::floatToBfloat(value); }
  static Word ofDouble(double value) {
    return numeric::encode(numeric::kBF16, value, numeric::Rounding::NearestEven,
                           numeric::Overflow::Infinity);
  }
};
struct Float {
  using Compute = float;
  static float of(Word bits) { return std::bit_cast<float>(uint32_t(bits)); }
  static Word bits(float value) { return std::bit_cast<uint32_t>(value); }
  static Word ofDouble(double value) { return bits(float(value)); }
};
struct Double {
  using Compute = double;
  static double of(Word bits) { return std::bit_cast<double>(bits); }
  static Word bits(double value) { return std::bit_cast<uint64_t>(value); }
  static Word ofDouble(double value) { return bits(value); }
};

/// `visit(format)` of one of the above; null for types that are no floats.
template <class Visit> Compute withFloat(Type type, Visit &&visit) {
  switch (type) {
  case Type::Half:
    return visit(Half());
  case Type::BFloat:
    return visit(BFloat());
  case Type::Float:
    return visit(Float());
  case Type::Double:
    return visit(Double());
  default:
    return nullptr;
  }
}

inline Word masked(Word value, unsigned bits) {
  return bits >= 64 ? value : value & ((Word(1) << bits) - 1);
}
inline int64_t signExtended(Word value, unsigned bits) {
  return bits >= 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}

} // namespace gluonc::bitcode
