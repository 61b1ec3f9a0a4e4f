//===- LibraryMath.h - Functions of the device library that the chip lacks ----------===//
//
// Computed in f64 from exp, log, sin, cos and erf, whatever the type of the argument:
// an f32 result is right but for its last rounding. See LibraryMath.cpp, LibraryBessel.cpp
// and LibraryDivision.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen::library {

/// A double in the program, with the operators of arithmetic.
struct Number {
  Emitter *emitter;
  llvm::Value *value;

  Builder &builder() const { return emitter->builder; }
  Number of(double constant) const {
    return {emitter, llvm::ConstantFP::get(builder().getDoubleTy(), constant)};
  }
};

Number expm1(Number x);
Number log1p(Number x);
Number sinh(Number x);
Number cosh(Number x);
Number tanh(Number x);
Number asinh(Number x);
Number acosh(Number x);
Number atanh(Number x);
Number atan(Number x);
Number atan2(Number y, Number x);
Number asin(Number x);
Number acos(Number x);
Number sinpi(Number x);
Number cospi(Number x);
Number exp10(Number x);
Number pow(Number x, Number y);
Number cbrt(Number x);
Number rcbrt(Number x);
Number hypot(Number x, Number y);
Number rhypot(Number x, Number y);
Number norm3d(Number x, Number y, Number z);
Number rnorm3d(Number x, Number y, Number z);
Number norm4d(Number x, Number y, Number z, Number w);
Number rnorm4d(Number x, Number y, Number z, Number w);
Number rsqrt(Number x);
Number fmod(Number x, Number y);
Number remainder(Number x, Number y);
Number besselJ0(Number x);
Number besselJ1(Number x);
Number besselY0(Number x);
Number besselY1(Number x);
Number besselI0(Number x);
Number besselI1(Number x);
/// Of order `n`, a whole number; NaN where that is negative.
Number besselJn(Number n, Number x);
Number besselYn(Number n, Number x);
Number erfc(Number x);
Number erfcx(Number x);
Number erfinv(Number x);
Number erfcinv(Number x);
Number normcdf(Number x);
Number normcdfinv(Number x);
Number lgamma(Number x);
Number tgamma(Number x);

} // namespace gluonc::codegen::library
