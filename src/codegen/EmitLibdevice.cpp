//===- EmitLibdevice.cpp - Functions by their libdevice names ---------------------===//
//
// No bitcode library is linked: what the language offers under these names
// (sema/ops/Libdevice.def) is made of the same pieces as the operations of
// EmitMath. Accuracy is theirs; `fast_…` is what the hardware approximates.
//
//===----------------------------------------------------------------------===//
#include "codegen/MathFunctions.h"

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

Value *log10(Emitter &emitter, Operands in) {
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
Value *tanh(Emitter &emitter, Operands in) {
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

/// Halves away from zero. Adding 0.5 would round 0.49999997 up; its predecessor does not.
Value *round(Emitter &emitter, Operands in) { return intrinsic<Intrinsic::round>(emitter, in); }

Value *absolute(Emitter &emitter, Operands in) {
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

const StringMap<Make> &functions() {
  static const StringMap<Make> table = [] {
    StringMap<Make> all;
    // Exact functions of both widths.
    auto both = [&](StringRef name, Make make) {
      all[("__nv_" + name + "f").str()] = all[("__nv_" + name).str()] = make;
    };
    both("fabs", intrinsic<Intrinsic::fabs>);
    both("floor", intrinsic<Intrinsic::floor>);
    both("ceil", intrinsic<Intrinsic::ceil>);
    both("trunc", intrinsic<Intrinsic::trunc>);
    both("rint", intrinsic<Intrinsic::roundeven>);
    both("nearbyint", intrinsic<Intrinsic::roundeven>);
    both("round", round);
    both("sqrt", hardware<MathKind::PreciseSqrt>);
    both("copysign", intrinsic<Intrinsic::copysign>);
    both("fma", intrinsic<Intrinsic::fma>);
    both("rsqrt", hardware<MathKind::Rsqrt>);
    both("exp", hardware<MathKind::Exp>);
    both("exp2", hardware<MathKind::Exp2>);
    both("log", hardware<MathKind::Log>);
    both("log2", hardware<MathKind::Log2>);
    both("sin", hardware<MathKind::Sin>);
    both("cos", hardware<MathKind::Cos>);
    both("erf", hardware<MathKind::Erf>);
    all["__nv_fast_expf"] = hardware<MathKind::Exp>;
    all["__nv_fast_log2f"] = hardware<MathKind::Log2>;
    all["__nv_log10f"] = log10;
    all["__nv_tanhf"] = tanh;
    all["__nv_fast_sinf"] = hardware<MathKind::Sin>;
    all["__nv_fast_cosf"] = hardware<MathKind::Cos>;
    all["__nv_saturatef"] = saturate;
    all["__nv_fast_exp10f"] = fastExp10;
    all["__nv_fast_logf"] = fastLog;
    all["__nv_fast_log10f"] = fastLog10;
    all["__nv_fast_fdividef"] = hardware<MathKind::Divide>;
    all["__nv_fdiv_rn"] = all["__nv_ddiv_rn"] = hardware<MathKind::PreciseDivide>;
    all["__nv_abs"] = all["__nv_llabs"] = absolute;
    all["__nv_isnanf"] = all["__nv_isnand"] = isNan;
    all["__nv_isinff"] = all["__nv_isinfd"] = isInfinite;
    all["__nv_clz"] = all["__nv_clzll"] = leadingZeros;
    all["__nv_popc"] = all["__nv_popcll"] = ones;
    return all;
  }();
  return table;
}

LogicalResult emitExtern(Emitter &emitter, tt::ExternElementwiseOp op) {
  Make make = functions().lookup(op.getSymbol());
  if (!make)
    return emitter.unsupported(op, "`" + op.getSymbol() + "`");
  emitElementwise(emitter, op, [&](Operands in) { return make(emitter, in); });
  return success();
}

} // namespace

void addLibdevice(EmitTable &table) { table.add<emitExtern>(); }

} // namespace gluonc::codegen
