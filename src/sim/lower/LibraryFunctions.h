//===- LibraryFunctions.h - Functions of the device library -----------------===//
//
// Those that no operation of the IR is, by the host's library or from their
// definitions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/lower/Elementwise.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gluonc::sim {

/// tt.extern_elementwise (LowerLibdevice.cpp).
bool lowerLibraryFunction(Lowering &lowering, mlir::Operation *operation);
/// The same, of a function that a user's library defines (LowerExternal.cpp).
bool lowerExternal(Lowering &lowering, mlir::Operation *operation);

namespace library {

#define GL_SIM_FUNCTION(Name, expression)                                                          \
  struct Name {                                                                                    \
    template <class T> static T apply(T x) { return expression; }                                  \
  };
// -- Functions of floats, by the host's library ------------------------------------

GL_SIM_FUNCTION(Expm1, std::expm1(x))
GL_SIM_FUNCTION(Log1p, std::log1p(x))
GL_SIM_FUNCTION(Sinh, std::sinh(x))
GL_SIM_FUNCTION(Cosh, std::cosh(x))
GL_SIM_FUNCTION(Asinh, std::asinh(x))
GL_SIM_FUNCTION(Acosh, std::acosh(x))
GL_SIM_FUNCTION(Atanh, std::atanh(x))
GL_SIM_FUNCTION(Tan, std::tan(x))
GL_SIM_FUNCTION(Asin, std::asin(x))
GL_SIM_FUNCTION(Acos, std::acos(x))
GL_SIM_FUNCTION(Atan, std::atan(x))
GL_SIM_FUNCTION(Cbrt, std::cbrt(x))
GL_SIM_FUNCTION(Rcbrt, T(1) / std::cbrt(x))
GL_SIM_FUNCTION(Erfc, std::erfc(x))
GL_SIM_FUNCTION(Logb, std::logb(x))
GL_SIM_FUNCTION(Reciprocal, T(1) / x)
GL_SIM_FUNCTION(Tgamma, T(std::tgamma(double(x))))
#undef GL_SIM_FUNCTION

/// Of half turns: what is left of whole turns is exact.
template <bool cosine> struct OfHalfTurns {
  template <class T> static T apply(T x) {
    double r = std::remainder(double(x), 2.0);
    if (cosine)
      r = 0.5 - std::fabs(r);
    if (std::fabs(r) > 0.5)
      r = std::copysign(1.0, r) - r;
    return T(std::sin(M_PI * r));
  }
};
struct Lgamma {
  template <class T> static T apply(T x) {
    // std::lgamma tells the sign in a global variable.
    int sign = 0;
    return T(::lgamma_r(double(x), &sign));
  }
};

/// erfc(x) * e^(x^2), of large x by Lentz's continued fraction.
inline double scaledComplement(double x) {
  if (x < 3)
    return std::exp(x * x) * std::erfc(x);
  double tail = 0;
  for (int k = 60; k > 0; --k)
    tail = k / 2.0 / (x + tail);
  return 1 / (x + tail) / std::sqrt(M_PI);
}
/// What has the complementary error function `y`: bisection between where it is 2 and 0.
inline double inverseComplement(double y) {
  if (!(y >= 0 && y <= 2))
    return NAN;
  if (y == 0 || y == 2)
    return y == 0 ? INFINITY : -INFINITY;
  double low = -7, high = 28;
  for (int i = 0; i < 200 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    (std::erfc(middle) > y ? low : high) = middle;
  }
  return low + (high - low) / 2;
}
inline double inverseError(double x) {
  if (!(std::fabs(x) <= 1))
    return NAN;
  if (std::fabs(x) == 1)
    return std::copysign(INFINITY, x);
  double low = 0, high = 7;
  for (int i = 0; i < 1200 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    if (middle == low || middle == high)
      break;
    (std::erf(middle) < std::fabs(x) ? low : high) = middle;
  }
  return std::copysign(low, x);
}
/// Infinite beside any NaN. C's gives NaN beside a signaling one, and that of three the wrong thing
/// for NaN and zeros.
inline double distance(double x, double y, double z = 0) {
  if (std::isinf(x) || std::isinf(y) || std::isinf(z))
    return std::numeric_limits<double>::infinity();
  if (std::isnan(x) || std::isnan(y) || std::isnan(z))
    return std::numeric_limits<double>::quiet_NaN();
  return z == 0 ? std::hypot(x, y) : std::hypot(x, y, z);
}

inline double secondKindOf(int order, double x) {
  return x < 0 || order < 0 ? NAN : x == 0 ? -INFINITY : ::yn(order, x);
}
inline double modifiedOf(unsigned order, double x) {
  if (!std::isfinite(x))
    return order ? x : std::fabs(x);
  double size = std::cyl_bessel_i(double(order), std::fabs(x));
  return order ? std::copysign(size, x) : size;
}

#define GL_SIM_FUNCTION(Name, expression)                                                          \
  struct Name {                                                                                    \
    template <class T> static T apply(T value) {                                                   \
      double x = double(value);                                                                    \
      return T(expression);                                                                        \
    }                                                                                              \
  };
GL_SIM_FUNCTION(Erfcx, scaledComplement(x))
GL_SIM_FUNCTION(Erfinv, inverseError(x))
GL_SIM_FUNCTION(Erfcinv, inverseComplement(x))
GL_SIM_FUNCTION(Normcdf, std::erfc(-x / std::sqrt(2.0)) / 2)
GL_SIM_FUNCTION(BesselJ0, ::j0(x))
GL_SIM_FUNCTION(BesselJ1, ::j1(x))
GL_SIM_FUNCTION(BesselY0, secondKindOf(0, x))
GL_SIM_FUNCTION(BesselY1, secondKindOf(1, x))
GL_SIM_FUNCTION(BesselI0, modifiedOf(0, x))
GL_SIM_FUNCTION(BesselI1, modifiedOf(1, x))
GL_SIM_FUNCTION(InverseRoot, 1 / std::sqrt(x))
GL_SIM_FUNCTION(Normcdfinv, -std::sqrt(2.0) * inverseComplement(2 * x))
#undef GL_SIM_FUNCTION

#define GL_SIM_FUNCTION(Name, expression)                                                          \
  struct Name {                                                                                    \
    template <class T> static T apply(T x, T y) { return expression; }                             \
  };
GL_SIM_FUNCTION(Power, T(std::pow(double(x), double(y))))
GL_SIM_FUNCTION(Atan2, std::atan2(x, y))
GL_SIM_FUNCTION(Hypot, T(distance(x, y)))
GL_SIM_FUNCTION(Rhypot, T(1 / distance(x, y)))
GL_SIM_FUNCTION(Fdim, std::fdim(x, y))
GL_SIM_FUNCTION(NextAfter, std::nextafter(x, y))
GL_SIM_FUNCTION(Fmod, std::fmod(x, y))
GL_SIM_FUNCTION(Remainder, std::remainder(x, y))
#undef GL_SIM_FUNCTION

/// Of three elements of one kind.
template <class E, auto function> struct Three {
  using Result = typename E::Storage;
  using First = Result;
  using Second = Result;
  using Third = Result;
  static Result apply(First a, Second b, Third c) { return Result(function(a, b, c)); }
};
template <class T> T length(T a, T b, T c) { return T(distance(a, b, c)); }
/// Of four elements of one kind.
template <class E, bool isInverse> void runLength4(const Instruction &instruction, Cta &cta) {
  using T = typename E::Storage;
  auto *result = cta.at<T>(instruction.result);
  const T *in[4];
  for (unsigned i = 0; i < 4; ++i)
    in[i] = cta.at<T>(instruction.operands[i]);
  for (uint32_t i = 0, count = instruction.result.elements; i < count; ++i) {
    double size = distance(distance(in[0][i], in[1][i]), distance(in[2][i], in[3][i]));
    result[i] = T(isInverse ? 1 / size : size);
  }
}
template <class E, bool isInverse>
bool lowerLength4(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  uint32_t elements = elementsOf(lowering, operation->getOperands());
  Slot operands[4];
  for (auto [slot, value] : llvm::zip_equal(operands, operation->getOperands()))
    slot = lowering.materialize(lowering.slotOf(value), elements, lowering.kindOf(value));
  Slot result = lowering.define(operation->getResult(0), elements);
  lowering.emit(runLength4<E, isInverse>, taintElementwise, result, operands);
  return true;
}
template <class T> T inverseLength(T a, T b, T c) { return T(1 / distance(a, b, c)); }

template <class E> struct Scale {
  using Result = typename E::Storage;
  using Left = Result;
  using Right = uint32_t;
  static Result apply(Left x, Right n) { return std::scalbn(x, int32_t(n)); }
};
/// A function of one element that gives another kind.
template <class From, class To, auto function> struct Turn {
  using Result = To;
  using Operand = From;
  static Result apply(Operand x) { return function(x); }
};
template <class T> uint64_t nearestEven(T x) {
  T whole = std::nearbyint(x);
  return std::isnan(x)        ? 0
         : whole >= T(0x1p63) ? INT64_MAX
         : whole < T(-0x1p63) ? uint64_t(INT64_MIN)
                              : uint64_t(int64_t(whole));
}
template <class T> uint64_t nearestAway(T x) { return nearestEven(std::round(x)); }
template <class T> uint32_t exponentOf(T x) {
  return std::isinf(x)             ? INT32_MAX
         : x == 0 || std::isnan(x) ? uint32_t(INT32_MIN)
                                   : uint32_t(std::ilogb(x));
}
template <class T> uint32_t hasSign(T x) { return std::signbit(x); }
template <class T> uint32_t isFinite(T x) { return std::isfinite(x); }

/// By the type of an operand.
template <unsigned place, template <class> class Function>
bool ofFloatOperand(Lowering &lowering, mlir::Operation *operation) {
  bool isDouble = mlir::getElementTypeOrSelf(operation->getOperand(place).getType()).isF64();
  return isDouble ? Function<double>::lower(lowering, operation)
                  : Function<float>::lower(lowering, operation);
}
template <template <class> class Function>
bool ofFloat(Lowering &lowering, mlir::Operation *operation) {
  return ofFloatOperand<0, Function>(lowering, operation);
}
#define GL_SIM_TURN(Name, To, function)                                                            \
  template <class T> struct Name {                                                                 \
    static bool lower(Lowering &lowering, mlir::Operation *operation) {                            \
      return lowerUnary<Turn<T, To, function<T>>>(lowering, operation);                            \
    }                                                                                              \
  };
GL_SIM_TURN(NearestEven, uint64_t, nearestEven)
GL_SIM_TURN(NearestAway, uint64_t, nearestAway)
GL_SIM_TURN(ExponentOf, uint32_t, exponentOf)
GL_SIM_TURN(HasSign, uint32_t, hasSign)
GL_SIM_TURN(IsFinite, uint32_t, isFinite)
#undef GL_SIM_TURN
template <class T> using ElementOf = std::conditional_t<std::is_same_v<T, double>, F64, F32>;
template <class T> struct Length {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerTernary<Three<ElementOf<T>, length<T>>>(lowering, operation);
  }
};
template <class T> struct InverseLength {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerTernary<Three<ElementOf<T>, inverseLength<T>>>(lowering, operation);
  }
};
template <class T> struct Length4 {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerLength4<ElementOf<T>, false>(lowering, operation);
  }
};
template <class T> struct InverseLength4 {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerLength4<ElementOf<T>, true>(lowering, operation);
  }
};
/// A function of an order and a float.
template <class T, auto function> struct OfOrder {
  using Result = T;
  using Left = uint32_t;
  using Right = T;
  static Result apply(Left n, Right x) { return T(function(int32_t(n), double(x))); }
};
inline double firstKindOf(int order, double x) { return order < 0 ? NAN : ::jn(order, x); }
template <class T> struct FirstKind {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerBinary<OfOrder<T, firstKindOf>>(lowering, operation);
  }
};
template <class T> struct SecondKind {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerBinary<OfOrder<T, secondKindOf>>(lowering, operation);
  }
};
template <class T> struct Scaled {
  static bool lower(Lowering &lowering, mlir::Operation *operation) {
    return lowerBinary<Scale<ElementOf<T>>>(lowering, operation);
  }
};

// -- Integers ----------------------------------------------------------------------

inline uint32_t bitsOfFloat(float x) { return std::bit_cast<uint32_t>(x); }
inline float floatOfBits(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint64_t bitsOfDouble(double x) { return std::bit_cast<uint64_t>(x); }
inline double doubleOfBits(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint32_t upperWordOf(double x) { return uint32_t(bitsOfDouble(x) >> 32); }
inline uint32_t lowerWordOf(double x) { return uint32_t(bitsOfDouble(x)); }
/// Operand and result are cut to the upper halves of their bits.
inline double roughReciprocal(double x) {
  auto cut = [](double value) { return doubleOfBits(bitsOfDouble(value) >> 32 << 32); };
  return cut(1 / cut(x));
}
struct JoinWords {
  using Result = double;
  using Left = uint32_t;
  using Right = uint32_t;
  static double apply(Left high, Right low) { return doubleOfBits(uint64_t(high) << 32 | low); }
};

template <class T> struct FirstOne {
  static uint32_t count(T x) { return x ? uint32_t(std::countr_zero(x)) + 1 : 0; }
};
template <class T> T reversedBits(T x) {
  T result = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
    result |= (x >> bit & 1) << (8 * sizeof(T) - 1 - bit);
  return result;
}
inline bool isLongOf(mlir::Operation *operation) {
  return mlir::getElementTypeOrSelf(operation->getOperand(0).getType()).isInteger(64);
}
inline bool reversed(Lowering &lowering, mlir::Operation *operation) {
  return isLongOf(operation)
             ? lowerUnary<Turn<uint64_t, uint64_t, reversedBits<uint64_t>>>(lowering, operation)
             : lowerUnary<Turn<uint32_t, uint32_t, reversedBits<uint32_t>>>(lowering, operation);
}
inline bool firstOne(Lowering &lowering, mlir::Operation *operation) {
  return isLongOf(operation)
             ? lowerUnary<Turn<uint64_t, uint32_t, FirstOne<uint64_t>::count>>(lowering, operation)
             : lowerUnary<Turn<uint32_t, uint32_t, FirstOne<uint32_t>::count>>(lowering, operation);
}
/// A function of two words.
template <class T, auto function> struct Two {
  using Result = T;
  using Left = T;
  using Right = T;
  static Result apply(Left a, Right b) { return function(a, b); }
};
inline uint32_t upperWord(uint32_t a, uint32_t b) {
  return uint32_t(uint64_t(int64_t(int32_t(a)) * int32_t(b)) >> 32);
}
inline uint64_t upperLong(uint64_t a, uint64_t b) {
  return uint64_t((__int128(int64_t(a)) * int64_t(b)) >> 64);
}
inline bool upperProduct(Lowering &lowering, mlir::Operation *operation) {
  return isLongOf(operation) ? lowerBinary<Two<uint64_t, upperLong>>(lowering, operation)
                             : lowerBinary<Two<uint32_t, upperWord>>(lowering, operation);
}
inline uint32_t unsignedUpperWord(uint32_t a, uint32_t b) { return uint64_t(a) * b >> 32; }
inline uint64_t unsignedUpperLong(uint64_t a, uint64_t b) {
  return uint64_t((unsigned __int128)(a)*b >> 64);
}
inline bool unsignedUpperProduct(Lowering &lowering, mlir::Operation *operation) {
  return isLongOf(operation) ? lowerBinary<Two<uint64_t, unsignedUpperLong>>(lowering, operation)
                             : lowerBinary<Two<uint32_t, unsignedUpperWord>>(lowering, operation);
}
inline uint32_t unsigned24(uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }
template <int carry> uint32_t unsignedHalfSum(uint32_t a, uint32_t b) {
  return uint32_t((uint64_t(a) + b + carry) >> 1);
}
inline uint32_t unsignedDistance(uint32_t a, uint32_t b, uint32_t c) {
  return (a < b ? b - a : a - b) + c;
}
inline uint32_t product24(uint32_t a, uint32_t b) {
  return uint32_t((int32_t(a << 8) >> 8) * int64_t(int32_t(b << 8) >> 8));
}
template <int carry> uint32_t halfSum(uint32_t a, uint32_t b) {
  return uint32_t((int64_t(int32_t(a)) + int32_t(b) + carry) >> 1);
}
inline uint32_t distancePlus(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t(std::abs(int64_t(int32_t(a)) - int32_t(b))) + c;
}
inline uint32_t chosenBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = a | uint64_t(b) << 32;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= uint32_t(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}

} // namespace library
} // namespace gluonc::sim
