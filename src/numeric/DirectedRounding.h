//===- DirectedRounding.h - Arithmetic and casts in a given direction --------===//
//
// By llvm::APFloat, whose operations are exact before their one rounding. The host's own
// rounding mode stays as it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace gluonc::numeric {

using llvm::APFloat, llvm::RoundingMode;

inline constexpr RoundingMode rn = RoundingMode::NearestTiesToEven, rz = RoundingMode::TowardZero,
                              rd = RoundingMode::TowardNegative, ru = RoundingMode::TowardPositive;

template <class T> T valueOf(const APFloat &value) {
  if constexpr (std::is_same_v<T, float>)
    return value.convertToFloat();
  else
    return value.convertToDouble();
}

#define GL_SIM_ROUNDED(Name, method)                                                               \
  template <RoundingMode mode> struct Name {                                                       \
    template <class T> static T apply(T x, T y) {                                                  \
      APFloat result(x);                                                                           \
      result.method(APFloat(y), mode);                                                             \
      return valueOf<T>(result);                                                                   \
    }                                                                                              \
  };
GL_SIM_ROUNDED(RoundedSum, add)
GL_SIM_ROUNDED(RoundedDifference, subtract)
GL_SIM_ROUNDED(RoundedProduct, multiply)
GL_SIM_ROUNDED(RoundedQuotient, divide)
#undef GL_SIM_ROUNDED

template <RoundingMode mode> struct RoundedReciprocal {
  template <class T> static T apply(T x) { return RoundedQuotient<mode>::apply(T(1), x); }
};
template <class T, RoundingMode mode> T fused(T x, T y, T z) {
  APFloat result(x);
  result.fusedMultiplyAdd(APFloat(y), APFloat(z), mode);
  return valueOf<T>(result);
}

/// The nearest root, or its neighbour where that lies on the wrong side: the sign of what is left
/// of the square says so, which one fma tells exactly once x is far from the subnormals.
template <RoundingMode mode> struct RoundedRoot {
  template <class T> static T apply(T x) {
    if (!(x > 0) || std::isinf(x))
      return std::sqrt(x);
    int exponent = 0;
    T mantissa = std::frexp(x, &exponent);
    if (exponent & 1) {
      mantissa *= 2;
      --exponent;
    }
    T root = std::sqrt(mantissa), rest = std::fma(-root, root, mantissa);
    if (rest > 0 && mode == ru)
      root = std::nextafter(root, T(4));
    if (rest < 0 && mode != ru)
      root = std::nextafter(root, T(0));
    return std::ldexp(root, exponent / 2);
  }
};

template <class To, RoundingMode mode> To integerOf(APFloat value) {
  constexpr unsigned width = 8 * sizeof(To);
  constexpr bool isSigned = std::is_signed_v<To>;
  if (value.isNaN()) {
    // What PTX says: zero between 32 bits, else the highest bit alone.
    bool isNarrow = width == 32 && &value.getSemantics() == &APFloat::IEEEsingle();
    return isNarrow ? To(0) : To(uint64_t{1} << (width - 1));
  }
  llvm::APSInt result(width, !isSigned);
  bool isExact = false;
  value.convertToInteger(result, mode, &isExact);
  return To(isSigned ? uint64_t(result.getSExtValue()) : result.getZExtValue());
}

/// Integers beyond the range saturate.
template <class From, class To, RoundingMode mode> To converted(From value) {
  if constexpr (std::is_integral_v<From>) {
    APFloat result(std::is_same_v<To, float> ? APFloat::IEEEsingle() : APFloat::IEEEdouble());
    llvm::APInt bits(8 * sizeof(From), uint64_t(std::make_unsigned_t<From>(value)));
    result.convertFromAPInt(bits, std::is_signed_v<From>, mode);
    return valueOf<To>(result);
  } else if constexpr (std::is_integral_v<To>) {
    return integerOf<To, mode>(APFloat(value));
  } else {
    APFloat result(value);
    bool losesInfo = false;
    result.convert(APFloat::IEEEsingle(), mode, &losesInfo);
    return valueOf<To>(result);
  }
}

} // namespace gluonc::numeric
