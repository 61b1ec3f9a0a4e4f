//===- DoubleMath.cpp - Elementary functions of f64 ----------------------------------===//
//
// Each reduces its argument to a small interval, in a sum of two doubles, and
// evaluates a Taylor series there. `low` names the second part of such a sum: what
// rounding lost of the first.
//
// Products and sums are rounded each by itself (Isa::roundedMath): an fma made of two
// of them would break the accounting of what was lost.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/DoubleMath.h"

#include <limits>

using namespace llvm;

namespace gluonc::codegen {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A double in the program, with the operators of arithmetic.
struct Number {
  const Isa *isa;
  Builder *builder;
  Value *value;

  Number with(Value *other) const { return {isa, builder, other}; }
  Number of(double constant) const {
    return with(ConstantFP::get(builder->getDoubleTy(), constant));
  }
  Number rounded(RoundedKind kind, ArrayRef<Value *> operands) const {
    return with(isa->roundedMath(*builder, kind, RoundingMode::NearestTiesToEven, operands));
  }
};

Number operator*(Number a, Number b) {
  return a.rounded(RoundedKind::Multiply, {a.value, b.value});
}
Number operator+(Number a, Number b) { return a.rounded(RoundedKind::Add, {a.value, b.value}); }
Number operator-(Number a) { return a.with(a.builder->CreateFNeg(a.value)); }
Number operator-(Number a, Number b) { return a + -b; }
Number operator*(double a, Number b) { return b.of(a) * b; }
Number operator+(double a, Number b) { return b.of(a) + b; }
Number operator-(double a, Number b) { return b.of(a) - b; }

Number fma(Number a, Number b, Number c) {
  Type *type = a.builder->getDoubleTy();
  return a.with(a.builder->CreateIntrinsic(type, Intrinsic::fma, {a.value, b.value, c.value}));
}
Number fma(Number a, double b, Number c) { return fma(a, a.of(b), c); }

Number select(Value *condition, Number a, Number b) {
  return a.with(a.builder->CreateSelect(condition, a.value, b.value));
}

/// Within [low, high]; NaN becomes a number.
Number clamp(Number x, double low, double high) {
  Value *above = x.builder->CreateBinaryIntrinsic(Intrinsic::maxnum, x.value, x.of(low).value);
  return x.with(x.builder->CreateBinaryIntrinsic(Intrinsic::minnum, above, x.of(high).value));
}

Number toNearest(Number x) {
  return x.with(x.builder->CreateUnaryIntrinsic(Intrinsic::rint, x.value));
}

Value *toInteger(Number x) { return x.builder->CreateFPToSI(x.value, x.builder->getInt64Ty()); }

/// A number with these bits, beside `x`.
Number fromBits(Number x, Value *bits) {
  return x.with(x.builder->CreateBitCast(bits, x.builder->getDoubleTy()));
}

/// `x` itself where it is NaN.
Number keepNaN(Number x, Number result) {
  return select(x.builder->CreateFCmpUNO(x.value, x.value), x, result);
}

/// Horner's scheme, lowest power first.
Number series(Number at, ArrayRef<double> coefficients) {
  Number sum = at.of(coefficients.back());
  for (double coefficient : reverse(coefficients.drop_back()))
    sum = fma(sum, at, at.of(coefficient));
  return sum;
}

/// 1 / first!, ± 1 / (first + step)!, …
SmallVector<double> reciprocalFactorials(int first, int step, int count) {
  SmallVector<double> result;
  double factorial = 1;
  for (int i = 2; i <= first; ++i)
    factorial *= i;
  for (int k = 0, n = first; k < count; ++k) {
    result.push_back(1 / factorial);
    for (int i = 0; i < step; ++i)
      factorial *= ++n;
    if (step > 1)
      factorial = -factorial;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// p * 2^n in two factors, of which neither overflows.
Number scale(Number p, Number n) {
  Builder &builder = *p.builder;
  auto power = [&](Value *exponent) {
    Value *biased = builder.CreateAdd(exponent, builder.getInt64(1023));
    return fromBits(p, builder.CreateShl(biased, 52));
  };
  Value *whole = toInteger(n), *half = builder.CreateAShr(whole, 1);
  return p * power(half) * power(builder.CreateSub(whole, half));
}

/// e^(r + low) * 2^n with |r| at most ln 2 / 2.
Number expOfReduced(Number r, Number low, Number n) {
  Number p = series(r, reciprocalFactorials(0, 1, 14));
  return scale(fma(p, low, p), n);
}

constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2Low = 0x1.abc9e3b39803fp-56;
constexpr double log2OfE = 0x1.71547652b82fep+0, log2OfELow = 0x1.777d0ffda0d24p-56;

Number exponential(Number x) {
  Number c = clamp(x, -800, 800), n = toNearest(log2OfE * c);
  Number r = fma(n, -ln2, c), rest = -ln2Low * n;
  Number sum = r + rest;
  return keepNaN(x, expOfReduced(sum, (r - sum) + rest, n));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// log x = e * ln 2 + high + low.
struct Logarithm {
  Number e, high, low;
};

/// x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), and with q = f / (2 + f)
/// log(1 + f) = 2 atanh q = f - (f²/2 - q * (f²/2 + R)), R = 2/3 q² + 2/5 q⁴ + …
Logarithm logarithm(Number x) {
  Builder &builder = *x.builder;
  Value *tiny = builder.CreateFCmpOLT(x.value, x.of(0x1p-1022).value);
  Value *bits = builder.CreateBitCast(select(tiny, 0x1p54 * x, x).value, builder.getInt64Ty());
  // 0x3fe6a09e667f3bcd is sqrt(1/2): what lies above it by whole exponents is e.
  Value *above = builder.CreateSub(bits, builder.getInt64(0x3fe6a09e667f3bcd));
  Value *exponent = builder.CreateAShr(above, 52);
  Number e = x.with(builder.CreateSIToFP(exponent, builder.getDoubleTy()));
  e = select(tiny, -54.0 + e, e);
  Number f = -1.0 + fromBits(x, builder.CreateSub(bits, builder.CreateShl(exponent, 52)));
  Number q = x.with(builder.CreateFDiv(f.value, (2.0 + f).value));
  SmallVector<double> coefficients;
  for (int k = 0; k < 11; ++k)
    coefficients.push_back(2.0 / (2 * k + 3));
  Number square = q * q, tail = square * series(square, coefficients);
  Number half = 0.5 * f, h = half * f, hLow = fma(half, f, -h);
  Number c = fma(q, h + tail, -hLow);
  Number t = h - c, tLow = (h - t) - c, high = f - t;
  return {e, high, ((f - high) - t) - tLow};
}

/// `result` for positive finite x; log 0 = -inf, log inf = inf, all else NaN.
Value *ofLogarithm(Number x, Number result) {
  Builder &builder = *x.builder;
  Number nan = x.of(std::numeric_limits<double>::quiet_NaN());
  Number special = select(builder.CreateFCmpOEQ(x.value, x.of(0).value), x.of(-infinity),
                          select(builder.CreateFCmpOEQ(x.value, x.of(infinity).value), x, nan));
  Value *ordinary = builder.CreateAnd(builder.CreateFCmpOGT(x.value, x.of(0).value),
                                      builder.CreateFCmpOLT(x.value, x.of(infinity).value));
  return select(ordinary, result, special).value;
}

/// high + (low + tail) where |high| is larger than |addend|'s or zero.
Number sumOf(Number high, Number addend, Number low) {
  Number sum = high + addend;
  Number lost = (high - sum) + addend;
  return select(high.builder->CreateFCmpOEQ(high.value, high.of(0).value), addend + low,
                sum + (lost + low));
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// sin(x + quarters * pi / 2): x - n * pi / 2 as r + low, then by n modulo 4.
Value *sine(Number x, unsigned quarters) {
  constexpr double halfPi = 0x1.921fb54442d18p+0, halfPiMiddle = 0x1.1a62633145c07p-54,
                   halfPiLow = -0x1.f1976b7ed8fbcp-110;
  Builder &builder = *x.builder;
  Number n = toNearest(0x1.45f306dc9c883p-1 * x);
  // Exact: what cancels leaves at most 53 bits.
  Number a = fma(n, -halfPi, x);
  Number w = halfPiMiddle * n, wLow = fma(n, halfPiMiddle, -w);
  Number first = a - w, lost = fma(n, -halfPiLow, ((a - first) - w) - wLow);
  Number r = first + lost, low = (first - r) + lost, z = r * r;
  Number sin = fma(r * z, series(z, ArrayRef(reciprocalFactorials(1, 2, 10)).drop_front()),
                   fma(-0.5 * z, low, low));
  sin = r + sin;
  Number half = 0.5 * z, most = 1.0 - half;
  Number rest = fma(z * z, series(z, ArrayRef(reciprocalFactorials(0, 2, 11)).drop_front(2)),
                    (1.0 - most) - half);
  Number cos = most + fma(-r, low, rest);
  Value *quarter = builder.CreateAdd(toInteger(n), builder.getInt64(quarters));
  auto hasBit = [&](unsigned bit) {
    return builder.CreateICmpNE(builder.CreateAnd(quarter, builder.getInt64(bit)),
                                builder.getInt64(0));
  };
  Number result = select(hasBit(1), cos, sin);
  return select(hasBit(2), -result, result).value;
}

/// erfc(x) = exp(-x²) * g((x - 9/4) / (x + 3/2)) on [1, 6]: Chebyshev's interpolation of g to
/// 7e-19, lowest power first.
constexpr double erfcFactor[] = {
    0.23108725873039187,       -0.331824385532809348,     0.118071937430247247,
    -0.0122185373095881026,    -0.00702534172738163441,   0.00115908470694560603,
    0.00092653656617807715,    -0.0000192816799325259765, -0.000148623982904188722,
    -0.0000364212144652084671, 0.0000162003530887997763,  0.000013095738238159153,
    1.79890082377857051e-6,    -2.14338016500871976e-6,   -1.43248216543331892e-6,
    -1.72434881107392732e-7,   2.85522294782290707e-7,    1.5567842640967877e-7};

} // namespace

Value *expF64(const Isa &isa, Builder &builder, Value *x) {
  return exponential({&isa, &builder, x}).value;
}

Value *exp2F64(const Isa &isa, Builder &builder, Value *value) {
  Number x = {&isa, &builder, value};
  Number c = clamp(x, -1100, 1100), n = toNearest(c), f = c - n;
  Number r = ln2 * f, low = fma(f, ln2, -r) + ln2Low * f;
  return keepNaN(x, expOfReduced(r, low, n)).value;
}

Value *logF64(const Isa &isa, Builder &builder, Value *value) {
  // The upper part has so few bits that its product with e is exact.
  constexpr double ln2Upper = 0x1.62e42fefa3800p-1, ln2Lower = 0x1.ef35793c76730p-45;
  Logarithm log = logarithm({&isa, &builder, value});
  return ofLogarithm({&isa, &builder, value},
                     sumOf(ln2Upper * log.e, log.high, fma(log.e, ln2Lower, log.low)));
}

Value *log2F64(const Isa &isa, Builder &builder, Value *value) {
  Logarithm log = logarithm({&isa, &builder, value});
  Number t = log2OfE * log.high;
  Number low = fma(log.high, log2OfELow, fma(log.low, log2OfE, fma(log.high, log2OfE, -t)));
  return ofLogarithm({&isa, &builder, value}, sumOf(log.e, t, low));
}

Value *sinF64(const Isa &isa, Builder &builder, Value *x) {
  // The sum loses the sign of -0.
  Value *isZero = builder.CreateFCmpOEQ(x, ConstantFP::get(x->getType(), 0));
  return builder.CreateSelect(isZero, x, sine({&isa, &builder, x}, 0));
}
Value *cosF64(const Isa &isa, Builder &builder, Value *x) { return sine({&isa, &builder, x}, 1); }

Value *erfF64(const Isa &isa, Builder &builder, Value *value) {
  Number x = {&isa, &builder, value}, z = x * x;
  Number size = x.with(builder.CreateUnaryIntrinsic(Intrinsic::fabs, value));
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int k = 0; k < 21; factorial *= -++k)
    coefficients.push_back(1.1283791670955125739 / (factorial * (2 * k + 1)));
  Number near = x * series(z, coefficients);
  Number c = clamp(size, 0, 6), square = c * c, low = fma(c, c, -square);
  Number t = x.with(builder.CreateFDiv((-2.25 + c).value, (1.5 + c).value));
  Number tail = exponential(-square);
  tail = fma(tail, -low, tail) * series(t, erfcFactor);
  Value *far = builder.CreateBinaryIntrinsic(Intrinsic::copysign, (1.0 - tail).value, value);
  Value *isSmall = builder.CreateFCmpOLT(size.value, x.of(1).value);
  return keepNaN(x, select(isSmall, near, x.with(far))).value;
}

} // namespace gluonc::codegen
