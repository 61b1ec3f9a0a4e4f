#include "codegen/emit/MathFunctions.h"

#include "llvm/ADT/APInt.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace gluonc::codegen {

/// Horner's scheme, lowest power first.
Value *polynomial(Builder &builder, Value *at, ArrayRef<double> coefficients) {
  Type *type = at->getType();
  Value *sum = ConstantFP::get(type, coefficients.back());
  for (double coefficient : reverse(coefficients.drop_back()))
    sum = builder.CreateIntrinsic(type, Intrinsic::fma,
                                  {sum, at, ConstantFP::get(type, coefficient)});
  return sum;
}

/// log x and log2 x of f32: x = 2^e * (1 + r) with r in [-1/3, 1/3], and
/// log x = e * ln 2 + r + r^2 * p(r). Subnormal x is scaled into range first.
static Value *logarithmF32(Builder &builder, Value *x, bool binary) {
  auto number = [&](double value) -> Value * {
    return ConstantFP::get(builder.getFloatTy(), value);
  };
  auto fma = [&](Value *a, Value *b, Value *c) -> Value * {
    return builder.CreateIntrinsic(builder.getFloatTy(), Intrinsic::fma, {a, b, c});
  };
  static constexpr double series[] = {
      -5.000000037e-01, 3.333333522e-01,  -2.499983771e-01, 1.999966491e-01,  -1.667812642e-01,
      1.430231062e-01,  -1.221922935e-01, 1.077943055e-01,  -1.273570458e-01, 1.190843309e-01};
  Value *tiny = builder.CreateFCmpOLT(x, number(0x1p-126));
  Value *scaled = builder.CreateSelect(tiny, builder.CreateFMul(x, number(0x1p+23)), x);
  Value *bits = builder.CreateBitCast(scaled, builder.getInt32Ty());
  // 0x3f2aaaab is 2/3: what lies above it by whole exponents is e.
  Value *exponent = builder.CreateAnd(builder.CreateSub(bits, builder.getInt32(0x3f2aaaab)),
                                      builder.getInt32(0xff800000));
  Value *mantissa = builder.CreateBitCast(builder.CreateSub(bits, exponent), builder.getFloatTy());
  Value *e = fma(builder.CreateSIToFP(exponent, builder.getFloatTy()), number(0x1p-23),
                 builder.CreateSelect(tiny, number(-23.0), number(0.0)));
  Value *r = builder.CreateFAdd(mantissa, number(-1.0));
  Value *result = fma(builder.CreateFMul(polynomial(builder, r, series), r), r, r);
  result = binary ? fma(result, number(1.4426950408889634), e)
                  : fma(e, number(0.6931471805599453), result);
  // Else x * inf + inf: inf of +inf, NaN of negative numbers and of NaN.
  Value *infinity = number(std::numeric_limits<double>::infinity());
  Value *ordinary = builder.CreateICmpULT(bits, builder.getInt32(0x7f800000));
  result = builder.CreateSelect(ordinary, result, fma(x, infinity, infinity));
  return builder.CreateSelect(builder.CreateFCmpOEQ(x, number(0.0)), builder.CreateFNeg(infinity),
                              result);
}

Value *logF32(Builder &builder, Value *x) { return logarithmF32(builder, x, /*binary=*/false); }
Value *log2F32(Builder &builder, Value *x) { return logarithmF32(builder, x, /*binary=*/true); }

/// f32 numbers from 2^50 on are integers times 2^k with k from 27 to 104.
static constexpr unsigned leastScale = 27, greatestScale = 104;

/// 2^k modulo 2 pi, for every such k, as a sum of two doubles: a constant of the module.
static GlobalVariable *scalesModuloTwoPi(Module &module) {
  constexpr StringRef name = "gluonc.scales_modulo_two_pi";
  if (GlobalVariable *table = module.getNamedGlobal(name))
    return table;
  // 2 pi * 2^255, so that what is missing counts for less than 2^-150 even at 2^104.
  constexpr unsigned bits = 400, fraction = 255;
  APInt twoPi(bits, "3243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89", 16);
  SmallVector<double> parts;
  for (unsigned k = leastScale; k <= greatestScale; ++k) {
    APInt rest = APInt::getOneBitSet(bits, k + fraction).urem(twoPi);
    for (int part = 0; part < 2; ++part) {
      unsigned shift = rest.getActiveBits() - 53;
      APInt high = rest.lshr(shift);
      parts.push_back(std::ldexp(double(high.getZExtValue()), int(shift) - int(fraction)));
      rest -= high.shl(shift);
    }
  }
  Constant *values = ConstantDataArray::get(module.getContext(), parts);
  constexpr unsigned constantSpace = 4;
  return new GlobalVariable(module, values->getType(), /*isConstant=*/true,
                            GlobalValue::InternalLinkage, values, name, nullptr,
                            GlobalValue::NotThreadLocal, constantSpace);
}

namespace {

/// x = n * pi/2 + r with |r| <= pi/4. The low bits of `shifted` are n.
struct QuarterTurns {
  Value *shifted, *r;
};

} // namespace

static Value *fmaOf(Builder &builder, Value *a, Value *b, Value *c) {
  return builder.CreateIntrinsic(a->getType(), Intrinsic::fma, {a, b, c});
}

/// Of x up to 2^50. Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
static QuarterTurns reduceF64(Builder &builder, Value *x) {
  Type *wide = builder.getDoubleTy();
  Value *whole = ConstantFP::get(wide, 0x1.8p+52);
  Value *shifted = fmaOf(builder, x, ConstantFP::get(wide, 0x1.45f306dc9c883p-1), whole);
  Value *n = builder.CreateFSub(shifted, whole);
  for (double part : {-0x1.921fb54442d18p+0, -0x1.1a62633145c07p-54})
    x = fmaOf(builder, n, ConstantFP::get(wide, part), x);
  return {shifted, x};
}

/// Of finite x from 2^50 on: m * 2^k is m * (2^k modulo 2 pi) but for whole turns.
static QuarterTurns reduceLarge(Builder &builder, Value *x) {
  Type *wide = builder.getDoubleTy();
  Value *bits = builder.CreateBitCast(x, builder.getInt32Ty());
  Value *mantissa = builder.CreateOr(builder.CreateAnd(bits, 0x7fffff), 0x800000);
  Value *m = builder.CreateUIToFP(mantissa, wide);
  m = builder.CreateSelect(builder.CreateICmpSLT(bits, builder.getInt32(0)), builder.CreateFNeg(m),
                           m);
  Value *exponent = builder.CreateAnd(builder.CreateLShr(bits, 23), 0xff);
  // 2^k has the biased exponent k + 127 and x that of 23 more.
  Value *entry = builder.CreateMul(
      builder.CreateSub(exponent, builder.getInt32(leastScale + 127 + 23)), builder.getInt32(2));
  GlobalVariable *table = scalesModuloTwoPi(*builder.GetInsertBlock()->getModule());
  Value *scale[2];
  for (unsigned part = 0; part < 2; ++part)
    scale[part] = builder.CreateLoad(
        wide, builder.CreateGEP(wide, table, builder.CreateAdd(entry, builder.getInt32(part))));
  Value *high = builder.CreateFMul(m, scale[0]);
  Value *low = fmaOf(builder, m, scale[0], builder.CreateFNeg(high));
  low = fmaOf(builder, m, scale[1], low);
  QuarterTurns turns = reduceF64(builder, high);
  return {turns.shifted, builder.CreateFAdd(turns.r, low)};
}

/// Only the reduction needs f64: r has few bits left of a large x.
static QuarterTurns reduceF32(Builder &builder, Value *x) {
  Type *type = builder.getFloatTy(), *wide = builder.getDoubleTy();
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  double infinity = std::numeric_limits<double>::infinity();
  Value *isLarge = builder.CreateAnd(builder.CreateFCmpOGE(size, ConstantFP::get(type, 0x1p+50)),
                                     builder.CreateFCmpOLT(size, ConstantFP::get(type, infinity)));
  Function *function = builder.GetInsertBlock()->getParent();
  LLVMContext &context = function->getContext();
  BasicBlock *ordinary = BasicBlock::Create(context, "ordinary", function);
  BasicBlock *large = BasicBlock::Create(context, "large", function);
  BasicBlock *after = BasicBlock::Create(context, "reduced", function);
  builder.CreateCondBr(isLarge, large, ordinary);
  builder.SetInsertPoint(ordinary);
  QuarterTurns small = reduceF64(builder, builder.CreateFPExt(x, wide));
  builder.CreateBr(after);
  builder.SetInsertPoint(large);
  QuarterTurns rare = reduceLarge(builder, x);
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  auto merge = [&](Value *a, Value *b) {
    PHINode *phi = builder.CreatePHI(wide, 2);
    phi->addIncoming(a, ordinary);
    phi->addIncoming(b, large);
    return phi;
  };
  return {merge(small.shifted, rare.shifted), merge(small.r, rare.r)};
}

Value *sineF32(Builder &builder, Value *x, unsigned quarters) {
  Type *type = builder.getFloatTy();
  auto fma = [&](Value *a, Value *b, Value *c) { return fmaOf(builder, a, b, c); };
  auto [shifted, reduced] = reduceF32(builder, x);
  Value *r = builder.CreateFPTrunc(reduced, type), *z = builder.CreateFMul(r, r);
  // Taylor series whose last coefficients are fitted to [-pi/4, pi/4].
  static constexpr double sinSeries[] = {-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4};
  static constexpr double cosSeries[] = {4.166664568298827e-2, -1.388731625493765e-3,
                                         2.443315711809948e-5};
  Value *sin = fma(builder.CreateFMul(r, z), polynomial(builder, z, sinSeries), r);
  Value *cos = fma(builder.CreateFMul(z, z), polynomial(builder, z, cosSeries),
                   fma(z, ConstantFP::get(type, -0.5), ConstantFP::get(type, 1.0)));
  Value *quarter =
      builder.CreateAdd(builder.CreateTrunc(builder.CreateBitCast(shifted, builder.getInt64Ty()),
                                            builder.getInt32Ty()),
                        builder.getInt32(quarters));
  auto hasBit = [&](unsigned bit) {
    return builder.CreateICmpNE(builder.CreateAnd(quarter, bit), builder.getInt32(0));
  };
  Value *result = builder.CreateSelect(hasBit(1), cos, sin);
  result = builder.CreateSelect(hasBit(2), builder.CreateFNeg(result), result);
  if (quarters)
    return result;
  // The sum has lost the sign of -0.
  Value *isZero = builder.CreateFCmpOEQ(x, ConstantFP::get(type, 0));
  return builder.CreateSelect(isZero, x, result);
}

/// erf of f32 to 3 ulp. Near zero an odd polynomial; elsewhere 1 - 2^p(|x|), p a
/// polynomial fitted to log2(erfc) on [1, 4]; from 4 on erf rounds to 1.
/// Coefficients: least squares on Chebyshev nodes, lowest power first.
Value *erfF32(Builder &builder, const Isa &isa, Value *x) {
  Type *type = x->getType();
  auto number = [&](double value) -> Value * { return ConstantFP::get(type, value); };
  static constexpr double near[] = {1.128379167e+00,  -3.761262988e-01, 1.128362573e-01,
                                    -2.685539946e-02, 5.191218386e-03,  -8.034846729e-04,
                                    7.933494150e-05};
  static constexpr double far[] = {5.926378785e-05,  -1.628706517e+00, -9.152511448e-01,
                                   -1.547177140e-01, 3.538211359e-02,  -5.731439746e-03,
                                   5.753296602e-04,  -2.658594082e-05};
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *small = builder.CreateFMul(x, polynomial(builder, builder.CreateFMul(x, x), near));
  Value *clamped = builder.CreateBinaryIntrinsic(Intrinsic::minnum, size, number(4.0));
  Value *tail = isa.math(builder, MathKind::Exp2, {polynomial(builder, clamped, far)});
  Value *large =
      builder.CreateBinaryIntrinsic(Intrinsic::copysign, builder.CreateFSub(number(1.0), tail), x);
  // An unordered comparison sends NaN to the branch that propagates it.
  return builder.CreateSelect(builder.CreateFCmpUGE(size, number(1.0)),
                              builder.CreateSelect(builder.CreateFCmpUNO(x, x), x, large), small);
}

} // namespace gluonc::codegen
