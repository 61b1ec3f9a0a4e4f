//===- Intrinsics.cpp - Functions that LLVM and NVPTX know ---------------------===//
//
// LLVM's by what stands behind `llvm.`: they are of the type of their arguments. NVPTX's names have
// parts: what is computed, `approx`, a rounding, `ftz` (subnormal float32 are zeros), a type:
//
//   llvm.nvvm.fma.rz.ftz.f      llvm.nvvm.d2i.rn      llvm.nvvm.mulhi.ui
//
//===----------------------------------------------------------------------===//
#include "bitcode/Floats.h"
#include "numeric/DirectedRounding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace gluonc::bitcode {
namespace {

using llvm::RoundingMode, llvm::StringRef;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <class F, auto function> Word unary(Word a, Word, Word, const Step &, Machine &) {
  return F::bits(typename F::Compute(function(F::of(a))));
}
template <class F, auto function> Word binary(Word a, Word b, Word, const Step &, Machine &) {
  return F::bits(typename F::Compute(function(F::of(a), F::of(b))));
}
template <class F> Word fused(Word a, Word b, Word c, const Step &, Machine &) {
  // Of half and bfloat the sum of a product is exact in double but for what rounds once more.
  if constexpr (sizeof(typename F::Compute) == 4 && !std::is_same_v<F, Float>)
    return F::ofDouble(std::fma(double(F::of(a)), double(F::of(b)), double(F::of(c))));
  else
    return F::bits(std::fma(F::of(a), F::of(b), F::of(c)));
}
template <class F> Word withSign(Word a, Word b, Word, const Step &step, Machine &) {
  Word sign = Word(1) << (step.bits - 1);
  return (a & ~sign) | (b & sign);
}
template <class F> Word absolute(Word a, Word, Word, const Step &step, Machine &) {
  return a & ~(Word(1) << (step.bits - 1));
}
template <class F> Word scaled(Word a, Word b, Word, const Step &, Machine &) {
  return F::bits(std::ldexp(F::of(a), int32_t(b)));
}
template <class F> Word wholePower(Word a, Word b, Word, const Step &, Machine &) {
  return F::bits(typename F::Compute(std::pow(double(F::of(a)), int32_t(b))));
}
/// Bits of a mask as LLVM numbers classes of floats.
template <class F> Word isOfClass(Word a, Word b, Word, const Step &step, Machine &) {
  auto x = F::of(a);
  bool isNegative = std::signbit(x);
  if (std::isnan(x)) {
    bool isQuiet = a >> (step.fromBits == 64       ? 51
                         : step.fromBits == 32     ? 22
                         : std::is_same_v<F, Half> ? 9
                                                   : 6) &
                   1;
    return b >> (isQuiet ? 1 : 0) & 1;
  }
  int size = std::isinf(x) ? 0 : x == 0 ? 3 : 1;
  if (size == 1) {
    int exponents = step.fromBits == 64 ? 11 : std::is_same_v<F, Half> ? 5 : 8;
    int fraction = step.fromBits - 1 - exponents;
    if ((a >> fraction & ((Word(1) << exponents) - 1)) == 0)
      size = 2;
  }
  return b >> (isNegative ? 2 + size : 9 - size) & 1;
}

#define GL_FUNCTION(Name, expression)                                                              \
  struct Name {                                                                                    \
    template <class T> T operator()(T x) const { return T(expression); }                           \
  };
GL_FUNCTION(Root, std::sqrt(x))
GL_FUNCTION(Floor, std::floor(x))
GL_FUNCTION(Ceil, std::ceil(x))
GL_FUNCTION(Trunc, std::trunc(x))
GL_FUNCTION(Round, std::round(x))
GL_FUNCTION(NearestEven, std::nearbyint(x))
GL_FUNCTION(Exp, std::exp(x))
GL_FUNCTION(Exp2, std::exp2(x))
GL_FUNCTION(Exp10, std::pow(T(10), x))
GL_FUNCTION(Log, std::log(x))
GL_FUNCTION(Log2, std::log2(x))
GL_FUNCTION(Log10, std::log10(x))
GL_FUNCTION(Sin, std::sin(x))
GL_FUNCTION(Cos, std::cos(x))
GL_FUNCTION(Tan, std::tan(x))
GL_FUNCTION(Asin, std::asin(x))
GL_FUNCTION(Acos, std::acos(x))
GL_FUNCTION(Atan, std::atan(x))
GL_FUNCTION(Sinh, std::sinh(x))
GL_FUNCTION(Cosh, std::cosh(x))
GL_FUNCTION(Tanh, std::tanh(x))
GL_FUNCTION(Same, x)
GL_FUNCTION(Saturated, std::fmin(std::fmax(x, T(0)), T(1)))
GL_FUNCTION(Reciprocal, 1 / x)
GL_FUNCTION(InverseRoot, 1 / std::sqrt(x))
#undef GL_FUNCTION
#define GL_FUNCTION(Name, expression)                                                              \
  struct Name {                                                                                    \
    template <class T> T operator()(T x, T y) const { return T(expression); }                      \
  };
GL_FUNCTION(Least, std::fmin(x, y))
GL_FUNCTION(Largest, std::fmax(x, y))
GL_FUNCTION(Lower, std::isnan(x) || std::isnan(y) ? x + y
                   : x == y                       ? (std::signbit(x) ? x : y)
                   : x < y                        ? x
                                                  : y)
GL_FUNCTION(Higher, std::isnan(x) || std::isnan(y) ? x + y
                    : x == y                       ? (std::signbit(x) ? y : x)
                    : x > y                        ? x
                                                   : y)
GL_FUNCTION(Power, std::pow(x, y))
GL_FUNCTION(Atan2, std::atan2(x, y))
GL_FUNCTION(Product, x *y)
GL_FUNCTION(Quotient, x / y)
#undef GL_FUNCTION

template <class F> Compute floatFunction(StringRef name) {
  return llvm::StringSwitch<Compute>(name)
      .Cases({"fma", "fmuladd"}, fused<F>)
      .Case("fabs", absolute<F>)
      .Case("copysign", withSign<F>)
      .Case("sqrt", unary<F, Root{}>)
      .Case("floor", unary<F, Floor{}>)
      .Case("ceil", unary<F, Ceil{}>)
      .Case("trunc", unary<F, Trunc{}>)
      .Case("round", unary<F, Round{}>)
      .Cases({"rint", "nearbyint", "roundeven"}, unary<F, NearestEven{}>)
      .Cases({"canonicalize", "arithmetic_fence"}, unary<F, Same{}>)
      .Case("exp", unary<F, Exp{}>)
      .Case("exp2", unary<F, Exp2{}>)
      .Case("exp10", unary<F, Exp10{}>)
      .Case("log", unary<F, Log{}>)
      .Case("log2", unary<F, Log2{}>)
      .Case("log10", unary<F, Log10{}>)
      .Case("sin", unary<F, Sin{}>)
      .Case("cos", unary<F, Cos{}>)
      .Case("tan", unary<F, Tan{}>)
      .Case("asin", unary<F, Asin{}>)
      .Case("acos", unary<F, Acos{}>)
      .Case("atan", unary<F, Atan{}>)
      .Case("sinh", unary<F, Sinh{}>)
      .Case("cosh", unary<F, Cosh{}>)
      .Case("tanh", unary<F, Tanh{}>)
      .Case("pow", binary<F, Power{}>)
      .Case("powi", wholePower<F>)
      .Case("ldexp", scaled<F>)
      .Case("atan2", binary<F, Atan2{}>)
      .Cases({"minnum", "minimumnum"}, binary<F, Least{}>)
      .Cases({"maxnum", "maximumnum"}, binary<F, Largest{}>)
      .Case("minimum", binary<F, Lower{}>)
      .Case("maximum", binary<F, Higher{}>)
      .Case("is", isOfClass<F>)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

#define GL_INTEGER(name, expression)                                                               \
  Word name(Word a, Word b, Word c, const Step &step, Machine &) {                                 \
    [[maybe_unused]] const unsigned bits = step.bits;                                              \
    [[maybe_unused]] const int64_t x = signExtended(a, bits), y = signExtended(b, bits);           \
    return masked(Word(expression), bits);                                                         \
  }
GL_INTEGER(magnitude, x < 0 ? 0 - a : a)
GL_INTEGER(signedLeast, x < y ? a : b)
GL_INTEGER(signedLargest, x > y ? a : b)
GL_INTEGER(unsignedLeast, a < b ? a : b)
GL_INTEGER(unsignedLargest, a > b ? a : b)
GL_INTEGER(ones, std::popcount(a))
GL_INTEGER(leadingZeros, std::countl_zero(a) - int(64 - bits))
GL_INTEGER(trailingZeros, a ? std::countr_zero(a) : int(bits))
GL_INTEGER(shiftedLeft, c % bits ? a << (c % bits) | b >> (bits - c % bits) : a)
GL_INTEGER(shiftedRight, c % bits ? a << (bits - c % bits) | b >> (c % bits) : b)
GL_INTEGER(itself, a)
#undef GL_INTEGER

Word reversedBits(Word a, Word, Word, const Step &step, Machine &) {
  Word result = 0;
  for (unsigned bit = 0; bit < step.bits; ++bit)
    result |= (a >> bit & 1) << (step.bits - 1 - bit);
  return result;
}
Word reversedBytes(Word a, Word, Word, const Step &step, Machine &) {
  return __builtin_bswap64(a) >> (64 - step.bits);
}
enum class Sum : uint8_t { Add, Subtract };
template <Sum sum, bool isSigned>
Word saturatedSum(Word a, Word b, Word, const Step &step, Machine &) {
  __int128 x = isSigned ? __int128(signExtended(a, step.bits)) : __int128(a),
           y = isSigned ? __int128(signExtended(b, step.bits)) : __int128(b);
  __int128 exact = sum == Sum::Add ? x + y : x - y;
  __int128 end = __int128(1) << (isSigned ? step.bits - 1 : step.bits);
  exact = std::min<__int128>(std::max<__int128>(exact, isSigned ? -end : 0), end - 1);
  return masked(Word(exact), step.bits);
}

Compute integerFunction(StringRef name, StringRef next) {
  if (next == "sat")
    return llvm::StringSwitch<Compute>(name)
        .Case("sadd", saturatedSum<Sum::Add, true>)
        .Case("uadd", saturatedSum<Sum::Add, false>)
        .Case("ssub", saturatedSum<Sum::Subtract, true>)
        .Case("usub", saturatedSum<Sum::Subtract, false>)
        .Default(nullptr);
  return llvm::StringSwitch<Compute>(name)
      .Case("abs", magnitude)
      .Case("smin", signedLeast)
      .Case("smax", signedLargest)
      .Case("umin", unsignedLeast)
      .Case("umax", unsignedLargest)
      .Case("ctpop", ones)
      .Case("ctlz", leadingZeros)
      .Case("cttz", trailingZeros)
      .Case("bitreverse", reversedBits)
      .Case("bswap", reversedBytes)
      .Case("fshl", shiftedLeft)
      .Case("fshr", shiftedRight)
      .Case("expect", itself)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// NVPTX
//===----------------------------------------------------------------------===//

/// The parts of a name behind `llvm.nvvm.`.
struct Nvvm {
  StringRef what;
  RoundingMode mode = RoundingMode::NearestTiesToEven;
  bool isApproximate = false, flushes = false, isUpper = false, isDouble = false;
  StringRef type;
};

Nvvm partsOf(StringRef name) {
  llvm::SmallVector<StringRef, 6> parts;
  name.split(parts, '.');
  Nvvm result;
  result.what = parts.front();
  for (StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (part == "rz")
      result.mode = RoundingMode::TowardZero;
    else if (part == "rm")
      result.mode = RoundingMode::TowardNegative;
    else if (part == "rp")
      result.mode = RoundingMode::TowardPositive;
    else if (part == "approx")
      result.isApproximate = true;
    else if (part == "ftz")
      result.flushes = true;
    else if (part == "hi")
      result.isUpper = true;
    else
      result.type = part;
  }
  result.isDouble = result.type == "d" || result.type == "f64";
  return result;
}

template <class F> Word flushed(Word bits) {
  if constexpr (std::is_same_v<F, Float>)
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
  else
    return bits;
}
/// `function` of floats whose subnormals are zeros, where `flushes` says so.
template <class F, bool flushes, Compute function>
Word onNormal(Word a, Word b, Word c, const Step &step, Machine &machine) {
  if constexpr (!flushes)
    return function(a, b, c, step, machine);
  return flushed<F>(function(flushed<F>(a), flushed<F>(b), flushed<F>(c), step, machine));
}
template <class F, Compute function> Compute onNormalIf(bool flushes) {
  return flushes ? onNormal<F, true, function> : onNormal<F, false, function>;
}

template <class F, template <RoundingMode> class Function, RoundingMode mode>
Word roundedOne(Word a, Word, Word, const Step &, Machine &) {
  return F::bits(Function<mode>::apply(F::of(a)));
}
template <class F, template <RoundingMode> class Function, RoundingMode mode>
Word roundedTwo(Word a, Word b, Word, const Step &, Machine &) {
  return F::bits(Function<mode>::apply(F::of(a), F::of(b)));
}
template <class F, RoundingMode mode>
Word roundedFused(Word a, Word b, Word c, const Step &, Machine &) {
  using T = typename F::Compute;
  return F::bits(numeric::fused<T, mode>(F::of(a), F::of(b), F::of(c)));
}

template <class F, RoundingMode mode> Compute rounded(StringRef what, bool flushes) {
  if (what == "add")
    return onNormalIf<F, roundedTwo<F, numeric::RoundedSum, mode>>(flushes);
  if (what == "sub")
    return onNormalIf<F, roundedTwo<F, numeric::RoundedDifference, mode>>(flushes);
  if (what == "mul")
    return onNormalIf<F, roundedTwo<F, numeric::RoundedProduct, mode>>(flushes);
  if (what == "div")
    return onNormalIf<F, roundedTwo<F, numeric::RoundedQuotient, mode>>(flushes);
  if (what == "rcp")
    return onNormalIf<F, roundedOne<F, numeric::RoundedReciprocal, mode>>(flushes);
  if (what == "sqrt")
    return onNormalIf<F, roundedOne<F, numeric::RoundedRoot, mode>>(flushes);
  if (what == "fma")
    return onNormalIf<F, roundedFused<F, mode>>(flushes);
  return nullptr;
}

/// What rounds to the nearest, and what has no rounding.
template <class F> Compute plain(const Nvvm &name) {
  bool flushes = name.flushes;
  if (name.what == "add")
    return onNormalIf<F, binary<F, std::plus<>{}>>(flushes);
  if (name.what == "sub")
    return onNormalIf<F, binary<F, std::minus<>{}>>(flushes);
  if (name.what == "mul")
    return onNormalIf<F, binary<F, Product{}>>(flushes);
  if (name.what == "div")
    return onNormalIf<F, binary<F, Quotient{}>>(flushes);
  if (name.what == "rcp")
    return onNormalIf<F, unary<F, Reciprocal{}>>(flushes);
  if (name.what == "sqrt")
    return onNormalIf<F, unary<F, Root{}>>(flushes);
  if (name.what == "rsqrt")
    return onNormalIf<F, unary<F, InverseRoot{}>>(flushes);
  if (name.what == "fma")
    return onNormalIf<F, fused<F>>(flushes);
  if (name.what == "fmin")
    return onNormalIf<F, binary<F, Least{}>>(flushes);
  if (name.what == "fmax")
    return onNormalIf<F, binary<F, Largest{}>>(flushes);
  if (name.what == "fabs")
    return onNormalIf<F, absolute<F>>(flushes);
  if (name.what == "floor")
    return onNormalIf<F, unary<F, Floor{}>>(flushes);
  if (name.what == "ceil")
    return onNormalIf<F, unary<F, Ceil{}>>(flushes);
  if (name.what == "trunc")
    return onNormalIf<F, unary<F, Trunc{}>>(flushes);
  if (name.what == "round")
    return onNormalIf<F, unary<F, NearestEven{}>>(flushes);
  if (name.what == "saturate")
    return onNormalIf<F, unary<F, Saturated{}>>(flushes);
  if (name.what == "ex2")
    return onNormalIf<F, unary<F, Exp2{}>>(flushes);
  if (name.what == "lg2")
    return onNormalIf<F, unary<F, Log2{}>>(flushes);
  if (name.what == "sin")
    return onNormalIf<F, unary<F, Sin{}>>(flushes);
  if (name.what == "cos")
    return onNormalIf<F, unary<F, Cos{}>>(flushes);
  if (name.what == "tanh")
    return onNormalIf<F, unary<F, Tanh{}>>(flushes);
  return nullptr;
}

template <class F> Compute nvvmFloat(const Nvvm &name) {
  switch (name.mode) {
  case RoundingMode::TowardZero:
    return rounded<F, RoundingMode::TowardZero>(name.what, name.flushes);
  case RoundingMode::TowardNegative:
    return rounded<F, RoundingMode::TowardNegative>(name.what, name.flushes);
  case RoundingMode::TowardPositive:
    return rounded<F, RoundingMode::TowardPositive>(name.what, name.flushes);
  default:
    return plain<F>(name);
  }
}

/// `From` and `To` as they are written: d2ll.
template <class T> T valueOfWord(Word word) {
  if constexpr (std::is_same_v<T, float>)
    return Float::of(word);
  else if constexpr (std::is_same_v<T, double>)
    return Double::of(word);
  else
    return T(word);
}
template <class T> Word wordOfValue(T value) {
  if constexpr (std::is_same_v<T, float>)
    return Float::bits(value);
  else if constexpr (std::is_same_v<T, double>)
    return Double::bits(value);
  else
    return Word(std::make_unsigned_t<T>(value));
}
template <class From, class To, RoundingMode mode, bool flushes>
Word cast(Word a, Word, Word, const Step &, Machine &) {
  if constexpr (flushes && std::is_same_v<From, float>)
    a = flushed<Float>(a);
  Word result = wordOfValue(numeric::converted<From, To, mode>(valueOfWord<From>(a)));
  if constexpr (flushes && std::is_same_v<To, float>)
    result = flushed<Float>(result);
  return result;
}
template <class From, class To> Compute castIn(const Nvvm &name) {
  switch (name.mode) {
  case RoundingMode::TowardZero:
    return name.flushes ? cast<From, To, RoundingMode::TowardZero, true>
                        : cast<From, To, RoundingMode::TowardZero, false>;
  case RoundingMode::TowardNegative:
    return name.flushes ? cast<From, To, RoundingMode::TowardNegative, true>
                        : cast<From, To, RoundingMode::TowardNegative, false>;
  case RoundingMode::TowardPositive:
    return name.flushes ? cast<From, To, RoundingMode::TowardPositive, true>
                        : cast<From, To, RoundingMode::TowardPositive, false>;
  default:
    return name.flushes ? cast<From, To, RoundingMode::NearestTiesToEven, true>
                        : cast<From, To, RoundingMode::NearestTiesToEven, false>;
  }
}

Word upperHalf(Word a, Word, Word, const Step &, Machine &) { return a >> 32; }
Word lowerHalf(Word a, Word, Word, const Step &, Machine &) { return uint32_t(a); }
Word joinedHalves(Word a, Word b, Word, const Step &, Machine &) { return a | b << 32; }
Word halfOfFloat(Word a, Word, Word, const Step &, Machine &) { return Half::bits(Float::of(a)); }
Word sameBits(Word a, Word, Word, const Step &, Machine &) { return a; }

Compute nvvmCast(const Nvvm &name) {
  return llvm::StringSwitch<Compute>(name.what)
      .Case("d2f", castIn<double, float>(name))
      .Case("d2i", castIn<double, int32_t>(name))
      .Case("d2ui", castIn<double, uint32_t>(name))
      .Case("d2ll", castIn<double, int64_t>(name))
      .Case("d2ull", castIn<double, uint64_t>(name))
      .Case("f2i", castIn<float, int32_t>(name))
      .Case("f2ui", castIn<float, uint32_t>(name))
      .Case("f2ll", castIn<float, int64_t>(name))
      .Case("f2ull", castIn<float, uint64_t>(name))
      .Case("i2f", castIn<int32_t, float>(name))
      .Case("ui2f", castIn<uint32_t, float>(name))
      .Case("ll2f", castIn<int64_t, float>(name))
      .Case("ull2f", castIn<uint64_t, float>(name))
      .Case("i2d", castIn<int32_t, double>(name))
      .Case("ui2d", castIn<uint32_t, double>(name))
      .Case("ll2d", castIn<int64_t, double>(name))
      .Case("ull2d", castIn<uint64_t, double>(name))
      .Case("f2h", halfOfFloat)
      .Case("bitcast", sameBits)
      .Default(nullptr);
}

template <class T, class Wide> Word upperProduct(Word a, Word b, Word, const Step &, Machine &) {
  return Word(std::make_unsigned_t<T>((Wide(T(a)) * Wide(T(b))) >> (8 * sizeof(T))));
}
template <class T> Word distance(Word a, Word b, Word c, const Step &, Machine &) {
  T x = T(a), y = T(b);
  return uint32_t((x < y ? uint32_t(y) - uint32_t(x) : uint32_t(x) - uint32_t(y)) + uint32_t(c));
}
template <class T> Word product24(Word a, Word b, Word, const Step &, Machine &) {
  auto low = [](Word word) { return T(uint32_t(word) << 8) >> 8; };
  return uint32_t(int64_t(low(a)) * int64_t(low(b)));
}
Word chosenBytes(Word a, Word b, Word c, const Step &, Machine &) {
  Word bytes = uint32_t(a) | b << 32, result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Word byte = bytes >> (8 * (c >> (4 * i) & 7)) & 0xff;
    if (c >> (4 * i) & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
Word countedOnes(Word a, Word, Word, const Step &, Machine &) { return std::popcount(a); }

Compute nvvmInteger(const Nvvm &name) {
  return llvm::StringSwitch<Compute>((name.what + "." + name.type).str())
      .Case("mulhi.i", upperProduct<int32_t, int64_t>)
      .Case("mulhi.ui", upperProduct<uint32_t, uint64_t>)
      .Case("mulhi.ll", upperProduct<int64_t, __int128>)
      .Case("mulhi.ull", upperProduct<uint64_t, unsigned __int128>)
      .Case("mul24.i", product24<int32_t>)
      .Case("mul24.ui", product24<uint32_t>)
      .Case("sad.i", distance<int32_t>)
      .Case("sad.ui", distance<uint32_t>)
      .Case("popc.i", countedOnes)
      .Case("popc.ll", countedOnes)
      .Case("prmt.", chosenBytes)
      .Default(nullptr);
}

Compute nvvm(StringRef name) {
  Nvvm parts = partsOf(name);
  if (name == "d2i.hi")
    return upperHalf;
  if (name == "d2i.lo")
    return lowerHalf;
  if (name == "lohi.i2d")
    return joinedHalves;
  if (Compute found = nvvmCast(parts))
    return found;
  if (Compute found = nvvmInteger(parts))
    return found;
  if (parts.isDouble)
    return nvvmFloat<Double>(parts);
  if (parts.type == "f" || parts.type == "f32")
    return nvvmFloat<Float>(parts);
  return nullptr;
}

Word floatOfHalf(Word a, Word, Word, const Step &, Machine &) { return Float::bits(Half::of(a)); }

} // namespace

Operation intrinsicNamed(StringRef name, Type type) {
  if (!name.consume_front("llvm."))
    return {};
  if (name.consume_front("nvvm."))
    return {nvvm(name)};
  if (name == "convert.from.fp16.f32")
    return {floatOfHalf};
  if (name == "convert.to.fp16.f32")
    return {halfOfFloat};
  auto [what, rest] = name.split('.');
  if (Compute found =
          withFloat(type, [&](auto format) { return floatFunction<decltype(format)>(what); }))
    return {found};
  return {integerFunction(what, rest.split('.').first)};
}

} // namespace gluonc::bitcode
