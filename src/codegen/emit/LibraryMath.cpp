// Each function keeps what its formula would cancel. Those of f32 alone (pow, exp10, the
// family of erfc, gamma) are good to 1e-9 or so in f64, the others to a few units in the
// last place; polynomials are fitted at Chebyshev nodes.

#include "codegen/emit/LibraryNumber.h"

using namespace llvm;

namespace gluonc::codegen::library {

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

/// (u - 1) * x / log u with u = e^x: the error of u cancels (Kahan).
Number expm1(Number x) {
  Number u = exp(x), difference = u - 1.0;
  Number near = select(difference == 0.0, x, difference * x / log(u));
  return select(abs(x) < 1.0, near, difference);
}

/// The same for the logarithm: log u * x / (u - 1) with u = 1 + x.
Number log1p(Number x) {
  Number u = x + 1.0, difference = u - 1.0;
  Number near = select(difference == 0.0, x, log(u) * x / difference);
  return select(abs(x) < 1.0, near, log(u));
}

Number exp10(Number x) { return exp(x * std::numbers::ln10); }

/// e^|x| / 2 where e^|x| itself may be too large.
static Number halfPower(Number size) {
  Number half = exp(size * 0.5);
  return half * 0.5 * half;
}

Number sinh(Number x) {
  Number size = abs(x), e = expm1(size);
  Number result = (e + e / (e + 1.0)) * 0.5;
  return withSign(select(size > 700.0, halfPower(size), result), x);
}

Number cosh(Number x) {
  Number size = abs(x), power = exp(size);
  return select(size > 700.0, halfPower(size), power * 0.5 + 0.5 / power);
}

/// 1 - 2 / (e^2|x| + 1), of which expm1 keeps what is small.
Number tanh(Number x) {
  Number size = abs(x), e = expm1(size * 2.0);
  return withSign(select(size > 20.0, x.of(1), e / (e + 2.0)), x);
}

/// Where x * x + 1 is x * x.
constexpr double large = 0x1p+28;

Number asinh(Number x) {
  Number size = abs(x), square = size * size;
  Number result = log1p(size + square / (sqrt(square + 1.0) + 1.0));
  return withSign(select(size > large, log(size) + ln2, result), x);
}

Number acosh(Number x) {
  Number t = x - 1.0;
  Number result = select(x > large, log(x) + ln2, log1p(t + sqrt(t * 2.0 + t * t)));
  return select(x < 1.0, nan, result);
}

Number atanh(Number x) {
  Number size = abs(x);
  return withSign(log1p(size * 2.0 / (1.0 - size)) * 0.5, x);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

/// Of 0 and more: 1/t above 1, (t - 1) / (t + 1) above tan(pi/8), and an odd polynomial.
static Number atanOfSize(Number t) {
  static constexpr double series[] = {
      -0.333333333333333332,  0.199999999999998025,  -0.142857142856593273,  0.111111111051067051,
      -0.0909090875107663588, 0.0769229630497447006, -0.0666642362806925758, 0.058789145444006217,
      -0.0523034787301607418, 0.0455110812632517188, -0.0345580925514137961, 0.0162719447516240604};
  Value *isLarge = t > 1.0;
  Number z = select(isLarge, 1.0 / t, t);
  Value *isMiddle = z > 0.41421356237309503;
  Number y = select(isMiddle, (z - 1.0) / (z + 1.0), z), square = y * y;
  Number result = y + y * square * polynomialOf(square, series);
  result = select(isMiddle, result + pi / 4, result);
  return select(isLarge, pi / 2 - result, result);
}

Number atan(Number x) { return withSign(atanOfSize(abs(x)), x); }

Number atan2(Number y, Number x) {
  Number height = abs(y), width = abs(x);
  // Both zero, or both infinite.
  Number ratio = select(height == width, select(height == 0.0, 0.0, height.of(1)), height / width);
  Number result = atanOfSize(ratio);
  Value *isBehind = withSign(x.of(1), x) < 0.0;
  return withSign(select(isBehind, pi - result, result), y);
}

Number asin(Number x) {
  Number size = abs(x);
  return withSign(atanOfSize(size / sqrt((1.0 - size) * (size + 1.0))), x);
}

Number acos(Number x) { return atanOfSize(sqrt(1.0 - x) / sqrt(x + 1.0)) * 2.0; }

/// x minus an even number, within [-1, 1].
static Number turn(Number x) { return x - unary(Intrinsic::rint, x * 0.5) * 2.0; }

Number sinpi(Number x) {
  Number r = turn(x);
  r = select(abs(r) > 0.5, withSign(r.of(1), r) - r, r);
  Number result = math(MathKind::Sin, r * pi);
  return select(result == 0.0, withSign(x.of(0), x), result);
}

Number cospi(Number x) { return math(MathKind::Sin, (0.5 - abs(turn(x))) * pi); }

//===----------------------------------------------------------------------===//
// Powers and lengths
//===----------------------------------------------------------------------===//

Number pow(Number x, Number y) {
  Number size = abs(x);
  Builder &builder = x.builder();
  Value *isOne = builder.CreateAnd(size == 1.0, builder.CreateFCmpORD(y.value, y.value));
  Number result = select(isOne, 1.0, exp(y * log(size)));
  Value *isWhole = floor(y) == y;
  Number half = y * 0.5;
  Value *isOdd = builder.CreateAnd(isWhole, builder.CreateNot(floor(half) == half));
  Value *isNegative = withSign(x.of(1), x) < 0.0;
  result = select(builder.CreateAnd(isNegative, isOdd), -result, result);
  Value *hasNone = builder.CreateAnd(builder.CreateAnd(x<0.0, x> - infinity),
                                     builder.CreateFCmpONE(floor(y).value, y.value));
  result = select(hasNone, nan, result);
  return select(builder.CreateOr(y == 0.0, x == 1.0), 1.0, result);
}

Number cbrt(Number x) {
  // The cubes of roots of the least numbers would lose digits.
  Value *isLeast = abs(x) < 1e-290;
  Number size = select(isLeast, abs(x) * 0x1p162, abs(x)), root = exp(log(size) / 3.0);
  // One step of Newton's method.
  root = root - (root * root * root - size) / (root * root * 3.0);
  Value *isItself = x.builder().CreateOr(size == 0.0, size == infinity);
  return select(isItself, x, withSign(select(isLeast, root * 0x1p-54, root), x));
}

Number rcbrt(Number x) { return 1.0 / cbrt(x); }

Number hypot(Number x, Number y) {
  Number a = abs(x), b = abs(y), most = larger(a, b), ratio = smaller(a, b) / most;
  Number result = most * sqrt(ratio * ratio + 1.0);
  Builder &builder = x.builder();
  result = select(most == 0.0, 0.0, result);
  result = select(builder.CreateFCmpUNO(x.value, y.value), nan, result);
  return select(builder.CreateOr(a == infinity, b == infinity), infinity, result);
}

Number rhypot(Number x, Number y) { return 1.0 / hypot(x, y); }
Number norm3d(Number x, Number y, Number z) { return hypot(hypot(x, y), z); }
Number rnorm3d(Number x, Number y, Number z) { return 1.0 / norm3d(x, y, z); }
Number norm4d(Number x, Number y, Number z, Number w) { return hypot(hypot(x, y), hypot(z, w)); }
Number rnorm4d(Number x, Number y, Number z, Number w) { return 1.0 / norm4d(x, y, z, w); }
Number rsqrt(Number x) { return 1.0 / sqrt(x); }

//===----------------------------------------------------------------------===//
// The error function's relatives
//===----------------------------------------------------------------------===//

/// e^(x^2) erfc x of 2 and more: a polynomial in 1 / x^2, divided by x.
static Number scaledTail(Number x) {
  static constexpr double series[] = {
      0.999999999880615043, -0.499999861555848216, 0.749972718241629937, -1.87283265081688308,
      6.47024065483603068,  -27.0930074542332592,  118.310774095361561,  -462.139498226789573,
      1420.12792204369946,  -3068.46939140474834,  4054.89808389066172,  -2438.96401409030673};
  return polynomialOf(1.0 / (x * x), series) / (x * 1.7724538509055159);
}

Number erfc(Number x) {
  Number size = abs(x), tail = scaledTail(size) * exp(-(size * size));
  // Unordered comparisons keep NaN.
  Number far = select(x < 0.0, 2.0 - tail, tail);
  return select(size < 2.0, 1.0 - erf(x), far);
}

Number erfcx(Number x) { return select(x > 2.0, scaledTail(x), exp(x * x) * erfc(x)); }

/// Winitzki's estimate of the inverse where log(1 - x^2) is `w`.
static Number inverseEstimate(Number w) {
  Number a = w * 0.5 + 4.330746750799873, b = w / 0.147, root = sqrt(a * a - b);
  return sqrt(select(a > 0.0, -b / (root + a), root - a));
}

constexpr double halfRootPi = 0.886226925452758;
constexpr unsigned newtonSteps = 3;

Number erfinv(Number x) {
  Number y = withSign(inverseEstimate(log((1.0 - x) * (x + 1.0))), x);
  for (unsigned i = 0; i < newtonSteps; ++i)
    y = y - (erf(y) - x) * halfRootPi * exp(y * y);
  return select(abs(x) == 1.0, withSign(x.of(infinity), x), y);
}

/// Newton's method on log erfc: the tail is steep.
Number erfcinv(Number x) {
  Number z = smaller(x, 2.0 - x), goal = log(z);
  Number y = inverseEstimate(log(z * (2.0 - z)));
  for (unsigned i = 0; i < newtonSteps; ++i) {
    Number e = erfc(y);
    y = y + (log(e) - goal) * e * halfRootPi * exp(y * y);
  }
  y = select(z == 0.0, infinity, y);
  return withSign(y, 1.0 - x);
}

Number normcdf(Number x) { return erfc(-x / std::numbers::sqrt2) * 0.5; }
Number normcdfinv(Number x) { return -(erfcinv(x * 2.0) * std::numbers::sqrt2); }

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

namespace {
/// Lanczos' approximation with g = 7 and nine terms: gamma(x) is root * t^(x - 0.5) * e^-t * sum.
struct Lanczos {
  Number sum, t;
};
} // namespace

constexpr double rootOfTwoPi = 2.5066282746310002;

static Lanczos lanczos(Number x) {
  static constexpr double terms[] = {
      676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
      12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Number sum = x.of(0.99999999999980993);
  for (auto [i, term] : enumerate(terms))
    sum = sum + term / (x + double(i));
  return {sum, x + 6.5};
}

Number lgamma(Number x) {
  Value *isReflected = x < 0.5;
  Number z = select(isReflected, 1.0 - x, x);
  auto [sum, t] = lanczos(z);
  Number result = (z - 0.5) * log(t) - t + log(sum * rootOfTwoPi);
  result = select(isReflected, log(pi / abs(sinpi(x))) - result, result);
  return select(abs(x) == infinity, infinity, result);
}

Number tgamma(Number x) {
  Value *isReflected = x < 0.5;
  Number z = select(isReflected, 1.0 - x, x);
  auto [sum, t] = lanczos(z);
  Number result = sum * rootOfTwoPi * exp((z - 0.5) * log(t) - t);
  result = select(isReflected, pi / (sinpi(x) * result), result);
  // exp(inf - inf) of a huge argument.
  result = select(x > 200.0, infinity, result);
  Value *isPole = x.builder().CreateAnd(x < 0.0, floor(x) == x);
  return select(isPole, nan, result);
}

} // namespace gluonc::codegen::library
