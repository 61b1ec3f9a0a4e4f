//===- LibraryDivision.cpp - What division leaves -------------------------------===//
//
// Exact, however large the quotient: long division of the mantissas, eleven bits at a time.
// Of f32 it is that of the same numbers in f64.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/LibraryNumber.h"

using namespace llvm;

namespace gluonc::codegen::library {
namespace {

constexpr unsigned fraction = 52;
/// Bits that a mantissa may be shifted by in 64.
constexpr unsigned stride = 63 - fraction;

/// mantissa * 2^(exponent - 1023 - 52) of what is positive; 2^54 times as much of subnormals.
struct Parts {
  Value *mantissa, *exponent, *isTiny;
};

Parts partsOf(Number size) {
  Builder &builder = size.builder();
  Value *isTiny = size < 0x1p-1022;
  Value *bits =
      builder.CreateBitCast(select(isTiny, size * 0x1p54, size).value, builder.getInt64Ty());
  uint64_t one = uint64_t{1} << fraction;
  return {builder.CreateOr(builder.CreateAnd(bits, one - 1), one),
          builder.CreateLShr(bits, fraction), isTiny};
}

/// What is left of |x|, below |y|, and whether the whole quotient is odd.
struct Rest {
  Number size;
  Value *isOdd;
};

Rest divide(Number x, Number y) {
  Emitter &emitter = *x.emitter;
  Builder &builder = x.builder();
  Parts a = partsOf(x), b = partsOf(y);
  auto lowered = [&](const Parts &parts) {
    return builder.CreateSub(
        parts.exponent,
        builder.CreateSelect(parts.isTiny, builder.getInt64(54), builder.getInt64(0)));
  };
  Value *distance = builder.CreateSub(lowered(a), lowered(b));
  Value *quotient = builder.CreateUDiv(a.mantissa, b.mantissa);
  Value *rest = builder.CreateSub(a.mantissa, builder.CreateMul(quotient, b.mantissa));
  auto values = loop(
      emitter, {distance, rest, quotient},
      [&](ArrayRef<Value *> v) { return builder.CreateICmpSGT(v[0], builder.getInt64(0)); },
      [&](ArrayRef<Value *> v) {
        Value *shift =
            builder.CreateBinaryIntrinsic(Intrinsic::smin, v[0], builder.getInt64(stride));
        Value *shifted = builder.CreateShl(v[1], shift);
        Value *digit = builder.CreateUDiv(shifted, b.mantissa);
        Value *left = builder.CreateSub(shifted, builder.CreateMul(digit, b.mantissa));
        return SmallVector<Value *>{builder.CreateSub(v[0], shift), left, digit};
      });
  Number left{&emitter, builder.CreateUIToFP(values[1], builder.getDoubleTy())};
  Number unit{&emitter, builder.CreateBitCast(builder.CreateShl(b.exponent, fraction),
                                              builder.getDoubleTy())};
  Number size = left * 0x1p-52 * unit;
  size = select(b.isTiny, size * 0x1p-54, size);
  Value *isBelow = x < y;
  Value *isOdd = builder.CreateTrunc(values[2], builder.getInt1Ty());
  return {select(isBelow, x, size), builder.CreateAnd(isOdd, builder.CreateNot(isBelow))};
}

/// NaN where there is no rest: of infinity, and by 0.
Number orNan(Number result, Number x, Number y) {
  Builder &builder = x.builder();
  Value *hasNone = builder.CreateOr(abs(x) == infinity, y == 0.0);
  hasNone = builder.CreateOr(hasNone, builder.CreateFCmpUNO(x.value, y.value));
  return select(hasNone, nan, result);
}

} // namespace

Number fmod(Number x, Number y) { return orNan(withSign(divide(abs(x), abs(y)).size, x), x, y); }

Number remainder(Number x, Number y) {
  Builder &builder = x.builder();
  auto [rest, isOdd] = divide(abs(x), abs(y));
  Number above = abs(y) - rest;
  Value *isNearer = builder.CreateOr(above < rest, builder.CreateAnd(above == rest, isOdd));
  Number nearest = select(isNearer, -above, rest);
  nearest = select(builder.CreateFCmpOLT(x.value, x.of(0).value), -nearest, nearest);
  // A zero has the sign of x.
  return orNan(select(nearest == 0.0, withSign(nearest, x), nearest), x, y);
}

} // namespace gluonc::codegen::library
