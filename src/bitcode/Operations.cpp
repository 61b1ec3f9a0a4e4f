//===- Operations.cpp - Arithmetic of floats, lane by lane --------------------===//
#include "bitcode/Floats.h"

#include "llvm/IR/InstrTypes.h"

namespace gluonc::bitcode {
namespace {

template <class F, FloatOp op> Word arithmetic(Word a, Word b, Word, const Step &, Machine &) {
  using T = typename F::Compute;
  T x = F::of(a), y = F::of(b);
  if constexpr (op == FloatOp::Add)
    return F::bits(x + y);
  else if constexpr (op == FloatOp::Subtract)
    return F::bits(x - y);
  else if constexpr (op == FloatOp::Multiply)
    return F::bits(x * y);
  else if constexpr (op == FloatOp::Divide)
    return F::bits(x / y);
  else
    return F::bits(std::fmod(x, y));
}

template <class F> Word comparison(Word a, Word b, Word, const Step &step, Machine &) {
  auto x = F::of(a), y = F::of(b);
  // The bits of a predicate: equal, greater, less, unordered.
  unsigned how = std::isnan(x) || std::isnan(y) ? 8 : x == y ? 1 : x > y ? 2 : 4;
  return (step.immediate & how) != 0;
}

template <class From, class To> Word converted(Word a, Word, Word, const Step &, Machine &) {
  // Between half and double there is one rounding.
  if constexpr (std::is_same_v<From, Double> && sizeof(typename To::Compute) == 4)
    return To::ofDouble(From::of(a));
  else
    return To::bits(typename To::Compute(From::of(a)));
}

/// Beyond the range it is poison; NVPTX saturates, and so does this.
template <class F, bool isSigned> Word integerOf(Word a, Word, Word, const Step &step, Machine &) {
  double x = F::of(a);
  if (std::isnan(x))
    return 0;
  double low = isSigned ? -std::ldexp(1.0, step.bits - 1) : 0,
         end = std::ldexp(1.0, isSigned ? step.bits - 1 : step.bits);
  x = std::trunc(x);
  if (x < low)
    return masked(Word(isSigned ? Word(1) << (step.bits - 1) : 0), step.bits);
  if (x >= end)
    return isSigned ? (Word(1) << (step.bits - 1)) - 1 : masked(~Word(0), step.bits);
  return masked(isSigned ? Word(int64_t(x)) : Word(x), step.bits);
}

template <class F, bool isSigned> Word floatOf(Word a, Word, Word, const Step &step, Machine &) {
  using T = typename F::Compute;
  if constexpr (isSigned)
    return F::bits(T(signExtended(a, step.fromBits)));
  else
    return F::bits(T(a));
}

} // namespace

Compute floatArithmetic(FloatOp op, Type type) {
  return withFloat(type, [&](auto format) -> Compute {
    using F = decltype(format);
    switch (op) {
    case FloatOp::Add:
      return arithmetic<F, FloatOp::Add>;
    case FloatOp::Subtract:
      return arithmetic<F, FloatOp::Subtract>;
    case FloatOp::Multiply:
      return arithmetic<F, FloatOp::Multiply>;
    case FloatOp::Divide:
      return arithmetic<F, FloatOp::Divide>;
    case FloatOp::Remainder:
      return arithmetic<F, FloatOp::Remainder>;
    }
    return nullptr;
  });
}

Compute floatComparison(Type type) {
  return withFloat(type, [](auto format) -> Compute { return comparison<decltype(format)>; });
}

Compute floatConversion(Type from, Type to) {
  return withFloat(from, [&](auto source) {
    return withFloat(
        to, [](auto result) -> Compute { return converted<decltype(source), decltype(result)>; });
  });
}

Compute integerFromFloat(Type from, bool isSigned) {
  return withFloat(from, [&](auto format) -> Compute {
    return isSigned ? integerOf<decltype(format), true> : integerOf<decltype(format), false>;
  });
}

Compute floatFromInteger(Type to, bool isSigned) {
  return withFloat(to, [&](auto format) -> Compute {
    return isSigned ? floatOf<decltype(format), true> : floatOf<decltype(format), false>;
  });
}

} // namespace gluonc::bitcode
