//===- EmitLibdevice.cpp - Functions by their libdevice names ---------------------===//
//
// No bitcode library is linked: what the language offers under these names
// (ir/tt/Libdevice.def) is made of the same pieces as the operations of
// EmitMath. Accuracy is theirs; `fast_…` is what the hardware approximates.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/MathFunctions.h"

#include "ir/Dialects.h"

#include "llvm/ADT/StringMap.h"

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
constexpr Make tanh = hyperbolicTangent;
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
#include "ir/tt/Libdevice.def"
    return all;
  }();
  return table;
}

LogicalResult emitExtern(Emitter &emitter, tt::ExternElementwiseOp op) {
  Make make = makers().lookup(op.getSymbol());
  if (!make)
    return emitter.unsupported(op, "`" + op.getSymbol() + "`");
  emitElementwise(emitter, op, [&](Operands in) { return make(emitter, in); });
  return success();
}

} // namespace

void addLibdevice(EmitTable &table) { table.add<emitExtern>(); }

} // namespace gluonc::codegen
