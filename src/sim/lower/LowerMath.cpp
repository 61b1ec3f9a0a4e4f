//===- LowerMath.cpp - Elementary functions ---------------------------------===//
//
// Evaluated by the host's library in the element's host type, and in float for
// the 16-bit formats. GPUs approximate several of these (ex2.approx and kin), so
// results agree to a tolerance, not to the bit; sqrt, fma, rounding and the
// integer functions are exact.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Elementwise.h"

#include <bit>
#include <cmath>

namespace gluonc::sim {
namespace {

// One struct a function; `x` is float or double.
#define GL_SIM_UNARY(Name, expression)                                                             \
  struct Name {                                                                                    \
    template <class T> static T apply(T x) { return expression; }                                  \
  };
GL_SIM_UNARY(Exp, std::exp(x))
GL_SIM_UNARY(Exp2, std::exp2(x))
GL_SIM_UNARY(ExpM1, std::expm1(x))
GL_SIM_UNARY(Log, std::log(x))
GL_SIM_UNARY(Log2, std::log2(x))
GL_SIM_UNARY(Log10, std::log10(x))
GL_SIM_UNARY(Log1p, std::log1p(x))
GL_SIM_UNARY(Sin, std::sin(x))
GL_SIM_UNARY(Cos, std::cos(x))
GL_SIM_UNARY(Tan, std::tan(x))
GL_SIM_UNARY(Sinh, std::sinh(x))
GL_SIM_UNARY(Cosh, std::cosh(x))
GL_SIM_UNARY(Tanh, std::tanh(x))
GL_SIM_UNARY(Asin, std::asin(x))
GL_SIM_UNARY(Acos, std::acos(x))
GL_SIM_UNARY(Atan, std::atan(x))
GL_SIM_UNARY(Asinh, std::asinh(x))
GL_SIM_UNARY(Acosh, std::acosh(x))
GL_SIM_UNARY(Atanh, std::atanh(x))
GL_SIM_UNARY(Sqrt, std::sqrt(x))
GL_SIM_UNARY(Rsqrt, 1 / std::sqrt(x))
GL_SIM_UNARY(Cbrt, std::cbrt(x))
GL_SIM_UNARY(Erf, std::erf(x))
GL_SIM_UNARY(Floor, std::floor(x))
GL_SIM_UNARY(Ceil, std::ceil(x))
GL_SIM_UNARY(Trunc, std::trunc(x))
GL_SIM_UNARY(Round, std::round(x))
GL_SIM_UNARY(RoundEven, std::nearbyint(x))
GL_SIM_UNARY(AbsF, std::fabs(x))
#undef GL_SIM_UNARY

struct Pow {
  template <class T> static T apply(T l, T r) { return std::pow(l, r); }
};
struct Atan2 {
  template <class T> static T apply(T l, T r) { return std::atan2(l, r); }
};
struct CopySign {
  template <class T> static T apply(T l, T r) { return std::copysign(l, r); }
};

template <class E> struct FmaElements {
  using Result = typename E::Storage;
  using First = Result;
  using Second = Result;
  using Third = Result;
  static Result apply(Result a, Result b, Result c) {
    if constexpr (sizeof(Result) == 2)
      return E::round(fusedMultiplyAddToOdd(E::load(a), E::load(b), E::load(c)),
                      Rounding::NearestEven);
    else
      return std::fma(a, b, c);
  }
};

/// The same as the host's instruction does it: libm is called for each element elsewhere.
__attribute__((target("avx2,fma"))) void runFmaOfHost(const Instruction &instruction, Cta &cta) {
  float *__restrict result = cta.at<float>(instruction.result);
  const float *a = cta.at<float>(instruction.operands[0]);
  const float *b = cta.at<float>(instruction.operands[1]);
  const float *c = cta.at<float>(instruction.operands[2]);
  for (uint32_t element = 0, count = instruction.result.elements; element < count; ++element)
    result[element] = __builtin_fmaf(a[element], b[element], c[element]);
}

bool lowerFma(Lowering &lowering, mlir::Operation *operation) {
  static const bool hasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  bool lowered = false;
  withArithmeticFloat(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowered = lowerTernary<FmaElements<decltype(element)>>(lowering, operation);
  });
  if (lowered && hasFma && lowering.kindOf(operation->getResult(0)) == ElementKind::F32)
    lowering.instructionAt(lowering.here() - 1).run = runFmaOfHost;
  return lowered;
}

// Integer functions: `Op::apply<E>` on the stored value.
template <class Op, class E> struct OnInteger {
  using Result = typename E::Storage;
  using Operand = Result;
  static Result apply(Operand value) { return E::wrap(Op::template apply<E>(value)); }
};
struct AbsI {
  template <class E> static typename E::Storage apply(typename E::Storage x) {
    return static_cast<typename E::Storage>(E::toSigned(x) < 0 ? 0 - x : x);
  }
};
struct CountLeadingZeros {
  template <class E> static typename E::Storage apply(typename E::Storage x) {
    return static_cast<typename E::Storage>(std::countl_zero(x) - int(8 * sizeof(x) - E::kBits));
  }
};
struct CountTrailingZeros {
  template <class E> static typename E::Storage apply(typename E::Storage x) {
    return static_cast<typename E::Storage>(std::min<int>(std::countr_zero(x), E::kBits));
  }
};
struct CountOnes {
  template <class E> static typename E::Storage apply(typename E::Storage x) {
    return static_cast<typename E::Storage>(std::popcount(x));
  }
};

template <class Op> bool lowerIntegerUnary(Lowering &lowering, mlir::Operation *operation) {
  return withIntElement(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowerUnary<OnInteger<Op, decltype(element)>>(lowering, operation);
  });
}

} // namespace

void addMath(OperationTable &table) {
  table["math.exp"] = lowerFloatUnary<Exp>;
  table["math.exp2"] = lowerFloatUnary<Exp2>;
  table["math.expm1"] = lowerFloatUnary<ExpM1>;
  table["math.log"] = lowerFloatUnary<Log>;
  table["math.log2"] = lowerFloatUnary<Log2>;
  table["math.log10"] = lowerFloatUnary<Log10>;
  table["math.log1p"] = lowerFloatUnary<Log1p>;
  table["math.sin"] = lowerFloatUnary<Sin>;
  table["math.cos"] = lowerFloatUnary<Cos>;
  table["math.tan"] = lowerFloatUnary<Tan>;
  table["math.sinh"] = lowerFloatUnary<Sinh>;
  table["math.cosh"] = lowerFloatUnary<Cosh>;
  table["math.tanh"] = lowerFloatUnary<Tanh>;
  table["math.asin"] = lowerFloatUnary<Asin>;
  table["math.acos"] = lowerFloatUnary<Acos>;
  table["math.atan"] = lowerFloatUnary<Atan>;
  table["math.asinh"] = lowerFloatUnary<Asinh>;
  table["math.acosh"] = lowerFloatUnary<Acosh>;
  table["math.atanh"] = lowerFloatUnary<Atanh>;
  table["math.sqrt"] = lowerFloatUnary<Sqrt>;
  table["tt.precise_sqrt"] = lowerFloatUnary<Sqrt>;
  table["math.rsqrt"] = lowerFloatUnary<Rsqrt>;
  table["math.cbrt"] = lowerFloatUnary<Cbrt>;
  table["math.erf"] = lowerFloatUnary<Erf>;
  table["math.floor"] = lowerFloatUnary<Floor>;
  table["math.ceil"] = lowerFloatUnary<Ceil>;
  table["math.trunc"] = lowerFloatUnary<Trunc>;
  table["math.round"] = lowerFloatUnary<Round>;
  table["math.roundeven"] = lowerFloatUnary<RoundEven>;
  table["math.absf"] = lowerFloatUnary<AbsF>;
  table["math.powf"] = lowerFloatBinary<Pow>;
  table["math.atan2"] = lowerFloatBinary<Atan2>;
  table["math.copysign"] = lowerFloatBinary<CopySign>;
  table["math.fma"] = lowerFma;
  table["math.absi"] = lowerIntegerUnary<AbsI>;
  table["math.ctlz"] = lowerIntegerUnary<CountLeadingZeros>;
  table["math.cttz"] = lowerIntegerUnary<CountTrailingZeros>;
  table["math.ctpop"] = lowerIntegerUnary<CountOnes>;
}

} // namespace gluonc::sim
