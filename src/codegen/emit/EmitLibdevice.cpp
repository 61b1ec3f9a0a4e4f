//===- EmitLibdevice.cpp - Functions by their libdevice names ---------------------===//
//
// No bitcode library is linked unless a launch gives one, whose functions then come
// first: what the language offers under these names (ir/tt/Libdevice.def) is made of the same
// pieces as the operations of EmitMath, or in LibraryMath. Accuracy is theirs; `fast_…` is what the
// hardware approximates, and what rounds in a given direction is one instruction.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Libraries.h"
#include "codegen/emit/LibraryMath.h"
#include "codegen/emit/MathFunctions.h"

#include "ir/Dialects.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

using Operands = ArrayRef<Value *>;
using Make = Value *(*)(Emitter &, Operands);

template <MathKind kind> Value *hardware(Emitter &emitter, Operands in) {
  return emitter.isa.math(emitter.builder, kind, in);
}
template <Intrinsic::ID id> Value *intrinsic(Emitter &emitter, Operands in) {
  return emitter.builder.CreateIntrinsic(in[0]->getType(), id, in);
}

Value *scaled(Emitter &emitter, Value *value, double factor) {
  return emitter.builder.CreateFMul(value, ConstantFP::get(value->getType(), factor));
}

Value *decimalLog(Emitter &emitter, Operands in) {
  return scaled(emitter, logF32(emitter.builder, in[0]), 0.4342944819032518);
}

/// Of base-2 functions: log_b x = log2 x * log_b 2, b^x = 2^(x * log2 b).
Value *fastLog(Emitter &emitter, Operands in) {
  return scaled(emitter, hardware<MathKind::Log2>(emitter, in), 0.6931471805599453);
}
Value *fastLog10(Emitter &emitter, Operands in) {
  return scaled(emitter, hardware<MathKind::Log2>(emitter, in), 0.3010299956639812);
}
Value *fastExp10(Emitter &emitter, Operands in) {
  return hardware<MathKind::Exp2>(emitter, {scaled(emitter, in[0], 3.3219280948873623)});
}

/// 1 - 2 / (e^2|x| + 1) with the sign of x; below 0.55, where that cancels, an odd polynomial
/// fitted by least squares. 3 ulp.
Value *hyperbolicTangent(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *type = in[0]->getType();
  Value *x = in[0], *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *square = builder.CreateFMul(x, x);
  static constexpr double series[] = {-3.333333256e-01, 1.333313183e-01, -5.391002070e-02,
                                      2.130380729e-02, -6.589238529e-03};
  Value *tail = builder.CreateFMul(polynomial(builder, square, series), square);
  Value *small = builder.CreateIntrinsic(type, Intrinsic::fma, {tail, x, x});
  Value *power =
      emitter.isa.math(builder, MathKind::Exp2, {scaled(emitter, size, 2.8853900817779268)});
  Value *quotient = emitter.isa.math(
      builder, MathKind::PreciseDivide,
      {ConstantFP::get(type, 2.0), builder.CreateFAdd(power, ConstantFP::get(type, 1.0))});
  Value *large = builder.CreateBinaryIntrinsic(
      Intrinsic::copysign, builder.CreateFSub(ConstantFP::get(type, 1.0), quotient), x);
  // Unordered: NaN takes the branch that propagates it.
  Value *isLarge = builder.CreateFCmpUGT(size, ConstantFP::get(type, 0.55));
  return builder.CreateSelect(isLarge, large, small);
}

Value *saturate(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *type = in[0]->getType();
  Value *low = builder.CreateBinaryIntrinsic(Intrinsic::maxnum, in[0], ConstantFP::get(type, 0.0));
  return builder.CreateBinaryIntrinsic(Intrinsic::minnum, low, ConstantFP::get(type, 1.0));
}

Value *absolute(Emitter &emitter, Operands in) {
  if (in[0]->getType()->isFPOrFPVectorTy())
    return intrinsic<Intrinsic::fabs>(emitter, in);
  return emitter.builder.CreateBinaryIntrinsic(Intrinsic::abs, in[0], emitter.builder.getFalse());
}

Value *isNan(Emitter &emitter, Operands in) {
  return emitter.builder.CreateZExt(emitter.builder.CreateFCmpUNO(in[0], in[0]),
                                    emitter.builder.getInt32Ty());
}
Value *isInfinite(Emitter &emitter, Operands in) {
  Value *size = emitter.builder.CreateUnaryIntrinsic(Intrinsic::fabs, in[0]);
  Value *is = emitter.builder.CreateFCmpOEQ(size, ConstantFP::getInfinity(size->getType()));
  return emitter.builder.CreateZExt(is, emitter.builder.getInt32Ty());
}

Value *leadingZeros(Emitter &emitter, Operands in) {
  Value *count =
      emitter.builder.CreateBinaryIntrinsic(Intrinsic::ctlz, in[0], emitter.builder.getFalse());
  return emitter.builder.CreateZExtOrTrunc(count, emitter.builder.getInt32Ty());
}
Value *ones(Emitter &emitter, Operands in) {
  Value *count = emitter.builder.CreateUnaryIntrinsic(Intrinsic::ctpop, in[0]);
  return emitter.builder.CreateZExtOrTrunc(count, emitter.builder.getInt32Ty());
}

// -- In f64 ------------------------------------------------------------------------

using library::Number;

Number widened(Emitter &emitter, Value *x) {
  Type *wide = emitter.builder.getDoubleTy();
  return {&emitter, x->getType() == wide ? x : emitter.builder.CreateFPExt(x, wide)};
}
Value *narrowed(Number x, Type *type) {
  return type == x.value->getType() ? x.value : x.builder().CreateFPTrunc(x.value, type);
}
template <Number (*function)(Number)> Value *wide1(Emitter &emitter, Operands in) {
  return narrowed(function(widened(emitter, in[0])), in[0]->getType());
}
template <Number (*function)(Number, Number)> Value *wide2(Emitter &emitter, Operands in) {
  return narrowed(function(widened(emitter, in[0]), widened(emitter, in[1])), in[0]->getType());
}
template <Number (*function)(Number, Number, Number)> Value *wide3(Emitter &emitter, Operands in) {
  return narrowed(
      function(widened(emitter, in[0]), widened(emitter, in[1]), widened(emitter, in[2])),
      in[0]->getType());
}
template <Number (*function)(Number, Number, Number, Number)>
Value *wide4(Emitter &emitter, Operands in) {
  return narrowed(function(widened(emitter, in[0]), widened(emitter, in[1]),
                           widened(emitter, in[2]), widened(emitter, in[3])),
                  in[0]->getType());
}

Value *ofWords(Emitter &emitter, Value *high, Value *low) {
  Builder &builder = emitter.builder;
  Type *wide = builder.getInt64Ty();
  Value *bits = builder.CreateOr(builder.CreateShl(builder.CreateZExt(high, wide), 32),
                                 builder.CreateZExt(low, wide));
  return builder.CreateBitCast(bits, builder.getDoubleTy());
}
template <bool isUpper> Value *wordOf(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Value *bits = builder.CreateBitCast(in[0], builder.getInt64Ty());
  return builder.CreateTrunc(isUpper ? builder.CreateLShr(bits, 32) : bits, builder.getInt32Ty());
}
Value *joinedWords(Emitter &emitter, Operands in) { return ofWords(emitter, in[0], in[1]); }
/// Operand and result are cut to the upper halves of their bits.
Value *roughReciprocal(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  auto cut = [&](Value *x) {
    return ofWords(emitter, wordOf<true>(emitter, x), builder.getInt32(0));
  };
  Value *one = ConstantFP::get(in[0]->getType(), 1);
  return cut(hardware<MathKind::PreciseDivide>(emitter, {one, cut(in[0])}));
}

/// The order in front of the argument.
template <Number (*function)(Number, Number)> Value *ofOrder(Emitter &emitter, Operands in) {
  Number n{&emitter, emitter.builder.CreateSIToFP(in[0], emitter.builder.getDoubleTy())};
  return narrowed(function(n, widened(emitter, in[1])), in[1]->getType());
}

// -- Rounded in a given direction ------------------------------------------------------

constexpr RoundingMode rn = RoundingMode::NearestTiesToEven, rz = RoundingMode::TowardZero,
                       rd = RoundingMode::TowardNegative, ru = RoundingMode::TowardPositive;

template <RoundedKind kind, RoundingMode mode> Value *rounded(Emitter &emitter, Operands in) {
  return emitter.isa.roundedMath(emitter.builder, kind, mode, in);
}
template <RoundingMode mode> Value *roundedDifference(Emitter &emitter, Operands in) {
  return emitter.isa.roundedMath(emitter.builder, RoundedKind::Add, mode,
                                 {in[0], emitter.builder.CreateFNeg(in[1])});
}

/// The types of Libdevice.def.
template <size_t size> struct TypeName {
  char characters[size];
  consteval TypeName(const char (&text)[size]) { std::copy_n(text, size, characters); }
  constexpr bool isUnsigned() const { return characters[0] == 'u'; }
  Type *type(Builder &builder) const {
    bool isWide = StringRef(characters).ends_with("64");
    if (characters[0] == 'f')
      return isWide ? builder.getDoubleTy() : builder.getFloatTy();
    return builder.getIntNTy(isWide ? 64 : 32);
  }
};
template <TypeName from, TypeName to, RoundingMode mode>
Value *roundedCast(Emitter &emitter, Operands in) {
  return emitter.isa.roundedCast(emitter.builder, in[0], to.type(emitter.builder),
                                 from.isUnsigned() || to.isUnsigned(), mode);
}

// -- Others made of two --------------------------------------------------------------

template <MathKind quotient> Value *tangent(Emitter &emitter, Operands in) {
  Value *sine = hardware<MathKind::Sin>(emitter, in),
        *cosine = hardware<MathKind::Cos>(emitter, in);
  return emitter.isa.math(emitter.builder, quotient, {sine, cosine});
}
/// Without the sign: what is approximate need not know of whole exponents.
Value *fastPower(Emitter &emitter, Operands in) {
  Value *log = hardware<MathKind::Log2>(emitter, in[0]);
  return hardware<MathKind::Exp2>(emitter, {emitter.builder.CreateFMul(in[1], log)});
}
Value *reciprocal(Emitter &emitter, Operands in) {
  return hardware<MathKind::PreciseDivide>(emitter, {ConstantFP::get(in[0]->getType(), 1), in[0]});
}
template <Instruction::BinaryOps op> Value *arithmetic(Emitter &emitter, Operands in) {
  // Nothing is to become part of an fma.
  IRBuilderBase::FastMathFlagGuard guard(emitter.builder);
  emitter.builder.clearFastMathFlags();
  return emitter.builder.CreateBinOp(op, in[0], in[1]);
}
Value *positiveDifference(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  // Unordered: NaN takes the difference, which is one.
  Value *differs = builder.CreateFCmpUGT(in[0], in[1]);
  return builder.CreateSelect(differs, builder.CreateFSub(in[0], in[1]),
                              ConstantFP::get(in[0]->getType(), 0));
}

// -- Bits of floats ------------------------------------------------------------------

/// The parts of a float type: bits of its exponent, and of its fraction.
struct FloatForm {
  explicit FloatForm(Emitter &emitter, Type *type)
      : integer(emitter.builder.getIntNTy(type->getPrimitiveSizeInBits())),
        fraction(type->isDoubleTy() ? 52 : 23), bias(type->isDoubleTy() ? 1023 : 127) {}
  Type *integer;
  unsigned fraction;
  int bias;
};

Value *nextAfter(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *type = in[0]->getType();
  FloatForm form(emitter, type);
  Value *bits = builder.CreateBitCast(in[0], form.integer);
  Value *zero = ConstantFP::get(type, 0), *one = ConstantInt::get(form.integer, 1);
  Value *grows =
      builder.CreateICmpEQ(builder.CreateFCmpOLT(in[0], in[1]), builder.CreateFCmpOGT(in[0], zero));
  Value *next =
      builder.CreateSelect(grows, builder.CreateAdd(bits, one), builder.CreateSub(bits, one));
  next = builder.CreateBitCast(next, type);
  Value *least =
      builder.CreateBinaryIntrinsic(Intrinsic::copysign, builder.CreateBitCast(one, type), in[1]);
  next = builder.CreateSelect(builder.CreateFCmpOEQ(in[0], zero), least, next);
  next = builder.CreateSelect(builder.CreateFCmpOEQ(in[0], in[1]), in[1], next);
  Value *isNan = builder.CreateFCmpUNO(in[0], in[1]);
  return builder.CreateSelect(isNan, builder.CreateFAdd(in[0], in[1]), next);
}

/// The exponent as i32 of what is finite and not zero: of subnormals, too.
Value *exponentOf(Emitter &emitter, Value *x) {
  Builder &builder = emitter.builder;
  Type *type = x->getType();
  FloatForm form(emitter, type);
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  double least = std::ldexp(1.0, 1 - form.bias), scale = std::ldexp(1.0, int(form.fraction) + 1);
  Value *isTiny = builder.CreateFCmpOLT(size, ConstantFP::get(type, least));
  Value *scaledUp = builder.CreateFMul(size, ConstantFP::get(type, scale));
  Value *bits = builder.CreateBitCast(builder.CreateSelect(isTiny, scaledUp, size), form.integer);
  Value *biased =
      builder.CreateZExtOrTrunc(builder.CreateLShr(bits, form.fraction), builder.getInt32Ty());
  Value *shift = builder.CreateSelect(isTiny, builder.getInt32(-form.bias - int(form.fraction) - 1),
                                      builder.getInt32(-form.bias));
  return builder.CreateAdd(biased, shift);
}

Value *isFinite(Emitter &emitter, Value *x) {
  Value *size = emitter.builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  return emitter.builder.CreateFCmpOLT(size, ConstantFP::getInfinity(x->getType()));
}
Value *isFiniteNumber(Emitter &emitter, Operands in) {
  return emitter.builder.CreateZExt(isFinite(emitter, in[0]), emitter.builder.getInt32Ty());
}

/// INT_MIN of 0 and NaN, INT_MAX of infinities.
Value *integerExponent(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Value *x = in[0], *isZero = builder.CreateFCmpUEQ(x, ConstantFP::get(x->getType(), 0));
  Value *special =
      builder.CreateSelect(isZero, builder.getInt32(INT32_MIN), builder.getInt32(INT32_MAX));
  Value *ordinary = builder.CreateAnd(isFinite(emitter, x), builder.CreateNot(isZero));
  return builder.CreateSelect(ordinary, exponentOf(emitter, x), special);
}

/// -inf of 0, +inf of infinities, NaN of NaN.
Value *floatExponent(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *type = in[0]->getType();
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, in[0]);
  Value *isZero = builder.CreateFCmpOEQ(size, ConstantFP::get(type, 0));
  Value *special =
      builder.CreateSelect(isZero, ConstantFP::getInfinity(type, /*Negative=*/true), size);
  Value *ordinary = builder.CreateAnd(isFinite(emitter, size), builder.CreateNot(isZero));
  Value *exponent = builder.CreateSIToFP(exponentOf(emitter, in[0]), type);
  return builder.CreateSelect(ordinary, exponent, special);
}

/// By a power of two in four factors, all above 1 or all below: none leaves the range of f64, and
/// no product overflows that comes back later.
Value *scaledByPower(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *wide = builder.getDoubleTy();
  Value *n = builder.CreateBinaryIntrinsic(Intrinsic::smax, in[1], builder.getInt32(-2200));
  n = builder.CreateBinaryIntrinsic(Intrinsic::smin, n, builder.getInt32(2200));
  auto power = [&](Value *exponent) {
    Value *biased = builder.CreateSExt(builder.CreateAdd(exponent, builder.getInt32(1023)),
                                       builder.getInt64Ty());
    return builder.CreateBitCast(builder.CreateShl(biased, 52), wide);
  };
  Value *quarter = builder.CreateSDiv(n, builder.getInt32(4));
  Value *rest = builder.CreateSub(n, builder.CreateMul(quarter, builder.getInt32(3)));
  Number x = widened(emitter, in[0]);
  for (Value *factor : {power(rest), power(quarter), power(quarter), power(quarter)})
    x.value = builder.CreateFMul(x.value, factor);
  return narrowed(x, in[0]->getType());
}

template <Intrinsic::ID rounding> Value *toLong(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Value *whole = builder.CreateUnaryIntrinsic(rounding, in[0]);
  return builder.CreateIntrinsic(Intrinsic::fptosi_sat, {builder.getInt64Ty(), whole->getType()},
                                 {whole});
}

Value *signBit(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  FloatForm form(emitter, in[0]->getType());
  Value *bits = builder.CreateBitCast(in[0], form.integer);
  return builder.CreateZExt(builder.CreateICmpSLT(bits, ConstantInt::get(form.integer, 0)),
                            builder.getInt32Ty());
}

/// The same bits as an integer, or as a float.
Value *bitsOf(Emitter &emitter, Operands in) {
  unsigned width = in[0]->getType()->getPrimitiveSizeInBits();
  return emitter.builder.CreateBitCast(in[0], emitter.builder.getIntNTy(width));
}
Value *floatOf(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  bool isWide = in[0]->getType()->isIntegerTy(64);
  return builder.CreateBitCast(in[0], isWide ? builder.getDoubleTy() : builder.getFloatTy());
}

// -- Integers ------------------------------------------------------------------------

Value *firstOne(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Value *zeros = builder.CreateBinaryIntrinsic(Intrinsic::cttz, in[0], builder.getFalse());
  Value *place = builder.CreateAdd(builder.CreateZExtOrTrunc(zeros, builder.getInt32Ty()),
                                   builder.getInt32(1));
  Value *isZero = builder.CreateICmpEQ(in[0], ConstantInt::get(in[0]->getType(), 0));
  return builder.CreateSelect(isZero, builder.getInt32(0), place);
}
template <bool isSigned> Value *upperProduct(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  unsigned bits = in[0]->getType()->getPrimitiveSizeInBits();
  Type *wide = builder.getIntNTy(2 * bits);
  Value *product = builder.CreateMul(builder.CreateIntCast(in[0], wide, isSigned),
                                     builder.CreateIntCast(in[1], wide, isSigned));
  return builder.CreateTrunc(builder.CreateLShr(product, bits), in[0]->getType());
}
template <bool isSigned> Value *product24(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  auto lower = [&](Value *x) {
    Value *upper = builder.CreateShl(x, 8);
    return isSigned ? builder.CreateAShr(upper, 8) : builder.CreateLShr(upper, 8);
  };
  return builder.CreateMul(lower(in[0]), lower(in[1]));
}
template <bool isUp, bool isSigned> Value *halfSum(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *wide = builder.getInt64Ty();
  Value *sum = builder.CreateAdd(builder.CreateIntCast(in[0], wide, isSigned),
                                 builder.CreateIntCast(in[1], wide, isSigned));
  if (isUp)
    sum = builder.CreateAdd(sum, builder.getInt64(1));
  return builder.CreateTrunc(builder.CreateAShr(sum, 1), in[0]->getType());
}
template <bool isSigned> Value *distancePlus(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Value *isLess =
      isSigned ? builder.CreateICmpSLT(in[0], in[1]) : builder.CreateICmpULT(in[0], in[1]);
  Value *distance = builder.CreateSelect(isLess, builder.CreateSub(in[1], in[0]),
                                         builder.CreateSub(in[0], in[1]));
  return builder.CreateAdd(distance, in[2]);
}
Value *chosenBytes(Emitter &emitter, Operands in) {
  Builder &builder = emitter.builder;
  Type *wide = builder.getInt64Ty(), *word = builder.getInt32Ty();
  Value *bytes = builder.CreateOr(builder.CreateZExt(in[0], wide),
                                  builder.CreateShl(builder.CreateZExt(in[1], wide), 32));
  Value *result = builder.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value *number = builder.CreateAnd(builder.CreateLShr(in[2], 4 * i), 7);
    Value *shift = builder.CreateZExt(builder.CreateShl(number, 3), wide);
    Value *byte =
        builder.CreateTrunc(builder.CreateAnd(builder.CreateLShr(bytes, shift), 0xff), word);
    result = builder.CreateOr(result, builder.CreateShl(byte, 8 * i));
  }
  return result;
}

Value *tangentOfType(Emitter &emitter, Operands in) {
  bool isDouble = in[0]->getType()->isDoubleTy();
  return isDouble ? wide1<library::tanh>(emitter, in) : hyperbolicTangent(emitter, in);
}

/// What computes each row of Libdevice.def, under the row's name.
namespace functions {
constexpr Make abs = absolute;
constexpr Make floor = intrinsic<Intrinsic::floor>;
constexpr Make ceil = intrinsic<Intrinsic::ceil>;
constexpr Make trunc = intrinsic<Intrinsic::trunc>;
constexpr Make rint = intrinsic<Intrinsic::roundeven>;
constexpr Make nearbyint = intrinsic<Intrinsic::roundeven>;
constexpr Make round = intrinsic<Intrinsic::round>;
constexpr Make sqrt = hardware<MathKind::PreciseSqrt>;
constexpr Make rsqrt = hardware<MathKind::Rsqrt>;
constexpr Make exp = hardware<MathKind::Exp>;
constexpr Make exp2 = hardware<MathKind::Exp2>;
constexpr Make log = hardware<MathKind::Log>;
constexpr Make log2 = hardware<MathKind::Log2>;
constexpr Make log10 = decimalLog;
constexpr Make erf = hardware<MathKind::Erf>;
constexpr Make tanh = tangentOfType;
constexpr Make sin = hardware<MathKind::Sin>;
constexpr Make cos = hardware<MathKind::Cos>;
constexpr Make saturatef = saturate;
constexpr Make fast_expf = hardware<MathKind::Exp>;
constexpr Make fast_exp10f = fastExp10;
constexpr Make fast_logf = fastLog;
constexpr Make fast_log2f = hardware<MathKind::Log2>;
constexpr Make fast_log10f = fastLog10;
constexpr Make fast_sinf = hardware<MathKind::Sin>;
constexpr Make fast_cosf = hardware<MathKind::Cos>;
constexpr Make fast_dividef = hardware<MathKind::Divide>;
constexpr Make div_rn = hardware<MathKind::PreciseDivide>;
constexpr Make copysign = intrinsic<Intrinsic::copysign>;
constexpr Make fma = intrinsic<Intrinsic::fma>;
constexpr Make isnan = isNan;
constexpr Make isinf = isInfinite;
constexpr Make clz = leadingZeros;
constexpr Make popc = ones;
constexpr Make exp10 = wide1<library::exp10>;
constexpr Make expm1 = wide1<library::expm1>;
constexpr Make log1p = wide1<library::log1p>;
constexpr Make pow = wide2<library::pow>;
constexpr Make sinh = wide1<library::sinh>;
constexpr Make cosh = wide1<library::cosh>;
constexpr Make asinh = wide1<library::asinh>;
constexpr Make acosh = wide1<library::acosh>;
constexpr Make atanh = wide1<library::atanh>;
constexpr Make tan = tangent<MathKind::PreciseDivide>;
constexpr Make asin = wide1<library::asin>;
constexpr Make acos = wide1<library::acos>;
constexpr Make atan = wide1<library::atan>;
constexpr Make atan2 = wide2<library::atan2>;
constexpr Make sinpi = wide1<library::sinpi>;
constexpr Make cospi = wide1<library::cospi>;
constexpr Make cbrt = wide1<library::cbrt>;
constexpr Make rcbrt = wide1<library::rcbrt>;
constexpr Make hypot = wide2<library::hypot>;
constexpr Make rhypot = wide2<library::rhypot>;
constexpr Make norm3d = wide3<library::norm3d>;
constexpr Make rnorm3d = wide3<library::rnorm3d>;
constexpr Make erfc = wide1<library::erfc>;
constexpr Make erfcx = wide1<library::erfcx>;
constexpr Make erfinv = wide1<library::erfinv>;
constexpr Make erfcinv = wide1<library::erfcinv>;
constexpr Make normcdf = wide1<library::normcdf>;
constexpr Make normcdfinv = wide1<library::normcdfinv>;
constexpr Make lgamma = wide1<library::lgamma>;
constexpr Make tgamma = wide1<library::tgamma>;
constexpr Make fdim = positiveDifference;
constexpr Make nextafter = nextAfter;
constexpr Make logb = floatExponent;
constexpr Make ilogb = integerExponent;
constexpr Make ldexp = scaledByPower;
constexpr Make scalbn = scaledByPower;
constexpr Make llrint = toLong<Intrinsic::roundeven>;
constexpr Make llround = toLong<Intrinsic::round>;
constexpr Make signbit = signBit;
constexpr Make finitef = isFiniteNumber;
constexpr Make isfinited = isFiniteNumber;
constexpr Make fast_tanf = tangent<MathKind::Divide>;
constexpr Make fast_tanhf = hyperbolicTangent;
constexpr Make fast_powf = fastPower;
constexpr Make add_rn = arithmetic<Instruction::FAdd>;
constexpr Make sub_rn = arithmetic<Instruction::FSub>;
constexpr Make mul_rn = arithmetic<Instruction::FMul>;
constexpr Make rcp_rn = reciprocal;
constexpr Make sqrt_rn = hardware<MathKind::PreciseSqrt>;
constexpr Make brev = intrinsic<Intrinsic::bitreverse>;
constexpr Make ffs = firstOne;
constexpr Make mulhi = upperProduct<true>;
constexpr Make mul24 = product24<true>;
constexpr Make hadd = halfSum<false, true>;
constexpr Make rhadd = halfSum<true, true>;
constexpr Make sad = distancePlus<true>;
constexpr Make unsigned_mulhi = upperProduct<false>;
constexpr Make unsigned_mul24 = product24<false>;
constexpr Make unsigned_hadd = halfSum<false, false>;
constexpr Make unsigned_rhadd = halfSum<true, false>;
constexpr Make unsigned_sad = distancePlus<false>;
constexpr Make byte_perm = chosenBytes;
constexpr Make float_as_int = bitsOf;
constexpr Make int_as_float = floatOf;
constexpr Make add_rz = rounded<RoundedKind::Add, rz>;
constexpr Make add_rd = rounded<RoundedKind::Add, rd>;
constexpr Make add_ru = rounded<RoundedKind::Add, ru>;
constexpr Make mul_rz = rounded<RoundedKind::Multiply, rz>;
constexpr Make mul_rd = rounded<RoundedKind::Multiply, rd>;
constexpr Make mul_ru = rounded<RoundedKind::Multiply, ru>;
constexpr Make div_rz = rounded<RoundedKind::Divide, rz>;
constexpr Make div_rd = rounded<RoundedKind::Divide, rd>;
constexpr Make div_ru = rounded<RoundedKind::Divide, ru>;
constexpr Make rcp_rz = rounded<RoundedKind::Reciprocal, rz>;
constexpr Make rcp_rd = rounded<RoundedKind::Reciprocal, rd>;
constexpr Make rcp_ru = rounded<RoundedKind::Reciprocal, ru>;
constexpr Make sqrt_rz = rounded<RoundedKind::Root, rz>;
constexpr Make sqrt_rd = rounded<RoundedKind::Root, rd>;
constexpr Make sqrt_ru = rounded<RoundedKind::Root, ru>;
constexpr Make sub_rz = roundedDifference<rz>;
constexpr Make sub_rd = roundedDifference<rd>;
constexpr Make sub_ru = roundedDifference<ru>;
constexpr Make fma_rn = rounded<RoundedKind::MultiplyAdd, rn>;
constexpr Make fma_rz = rounded<RoundedKind::MultiplyAdd, rz>;
constexpr Make fma_rd = rounded<RoundedKind::MultiplyAdd, rd>;
constexpr Make fma_ru = rounded<RoundedKind::MultiplyAdd, ru>;
constexpr Make rsqrt_rn = wide1<library::rsqrt>;
constexpr Make fmod = wide2<library::fmod>;
constexpr Make remainder = wide2<library::remainder>;
constexpr Make norm4d = wide4<library::norm4d>;
constexpr Make rnorm4d = wide4<library::rnorm4d>;
constexpr Make j0 = wide1<library::besselJ0>;
constexpr Make j1 = wide1<library::besselJ1>;
constexpr Make y0 = wide1<library::besselY0>;
constexpr Make y1 = wide1<library::besselY1>;
constexpr Make cyl_bessel_i0 = wide1<library::besselI0>;
constexpr Make cyl_bessel_i1 = wide1<library::besselI1>;
constexpr Make jn = ofOrder<library::besselJn>;
constexpr Make yn = ofOrder<library::besselYn>;
constexpr Make float_as_uint = bitsOf;
constexpr Make uint_as_float = floatOf;
constexpr Make double_as_longlong = bitsOf;
constexpr Make longlong_as_double = floatOf;
constexpr Make double2hiint = wordOf<true>;
constexpr Make double2loint = wordOf<false>;
constexpr Make hiloint2double = joinedWords;
constexpr Make rcp64h = roughReciprocal;
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what)                                          \
  constexpr Make name = roundedCast<#from, #to, RoundingMode::rounding>;
#include "ir/tt/Libdevice.def"
} // namespace functions

/// By symbol.
const StringMap<Make> &makers() {
  static const StringMap<Make> table = [] {
    StringMap<Make> all;
    auto add = [&](std::initializer_list<StringRef> symbols, Make make) {
      for (StringRef symbol : symbols)
        if (!symbol.empty())
          all[symbol] = make;
    };
#define GL_LIBDEVICE(name, arity, f32, f64, i32, i64, gives, what)                                 \
  add({f32, f64, i32, i64}, functions::name);
#define GL_LIBDEVICE_OF(name, arity, from, to, what) add({"__nv_" #name}, functions::name);
#define GL_LIBDEVICE_CAST(name, from, to, rounding, what) add({"__nv_" #name}, functions::name);
#define GL_LIBDEVICE_UNSIGNED(name, u32, u64) add({u32, u64}, functions::unsigned_##name);
#include "ir/tt/Libdevice.def"
    return all;
  }();
  return table;
}

std::string textOf(const FunctionType *type) {
  std::string text;
  raw_string_ostream out(text);
  type->print(out);
  return text;
}

/// Whether a function of type `type` can be called in place of one of type `wanted`: where one says
/// which memory a pointer is for, the other may leave it open.
bool fits(const FunctionType *type, const FunctionType *wanted) {
  auto isAlike = [](const Type *a, const Type *b) {
    return a == b || (a->isPointerTy() && b->isPointerTy() && a->getPointerAddressSpace() == 0);
  };
  return !type->isVarArg() && type->getNumParams() == wanted->getNumParams() &&
         isAlike(type->getReturnType(), wanted->getReturnType()) &&
         all_of_zip(type->params(), wanted->params(), isAlike);
}

/// Calls a library's function with the registers of each element.
LogicalResult emitLibraryCall(Emitter &emitter, tt::ExternElementwiseOp op,
                              const Function &function) {
  auto typeOf = [&](mlir::Value value) {
    return emitter.types.ofElement(mlir::getElementTypeOrSelf(value.getType()));
  };
  Type *result = typeOf(op.getResult());
  SmallVector<Type *> parameters = map_to_vector(op.getSrcs(), typeOf);
  FunctionType *type = function.getFunctionType();
  FunctionType *wanted = FunctionType::get(result, parameters, false);
  if (!fits(type, wanted))
    return emitter.unsupported(op, "`" + op.getSymbol() + "`, which is `" + textOf(type) +
                                       "` in `" + function.getParent()->getModuleIdentifier() +
                                       "`, as `" + textOf(wanted) + "`");
  FunctionCallee callee = emitter.state.module.getOrInsertFunction(function.getName(), type);
  unsigned count = op.getSrcs().empty() ? 1 : emitter.get(op.getSrcs()[0]).size();
  Registers results;
  for (unsigned i = 0; i != count; ++i) {
    SmallVector<Value *> arguments;
    for (auto [operand, parameter] : zip_equal(op.getSrcs(), type->params())) {
      Value *argument = emitter.get(operand)[i];
      arguments.push_back(parameter->isPointerTy()
                              ? emitter.builder.CreateAddrSpaceCast(argument, parameter)
                              : argument);
    }
    Value *value = emitter.builder.CreateCall(callee, arguments);
    results.push_back(result->isPointerTy() ? emitter.builder.CreateAddrSpaceCast(value, result)
                                            : value);
  }
  emitter.set(op.getResult(), std::move(results));
  return success();
}

LogicalResult emitExtern(Emitter &emitter, tt::ExternElementwiseOp op) {
  if (const Function *function = emitter.state.libraries.find(op.getSymbol()))
    return emitLibraryCall(emitter, op, *function);
  Make make = makers().lookup(op.getSymbol());
  if (!make)
    return emitter.unsupported(op, "`" + op.getSymbol() + "`, which no library of the launch has,");
  bool missing = false;
  emitElementwise(emitter, op, [&](Operands in) -> Value * {
    Value *result = missing ? nullptr : make(emitter, in);
    missing |= !result;
    return result;
  });
  if (missing)
    return emitter.unsupported(op, "`" + op.getSymbol() + "` on this chip");
  return success();
}

} // namespace

void addLibdevice(EmitTable &table) { table.add<emitExtern>(); }

} // namespace gluonc::codegen
