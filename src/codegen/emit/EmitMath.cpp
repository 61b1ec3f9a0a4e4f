//===- EmitMath.cpp - Division, roots and elementary functions -----------------===//
//
// Approximations come from the Isa, where their errors are stated. What LLVM
// can express exactly (floor, fma, …) is LLVM's.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Pairs.h"

#include "ir/Dialects.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

using Operands = ArrayRef<Value *>;

template <typename Op, MathKind kind> LogicalResult emitApproximate(Emitter &emitter, Op op) {
  emitElementwise(emitter, op,
                  [&](Operands in) { return emitter.isa.math(emitter.builder, kind, in); });
  return success();
}

template <typename Op, Intrinsic::ID id> LogicalResult emitUnary(Emitter &emitter, Op op) {
  emitElementwise(emitter, op,
                  [&](Operands in) { return emitter.builder.CreateUnaryIntrinsic(id, in[0]); });
  return success();
}

LogicalResult emitFma(Emitter &emitter, mlir::math::FmaOp op) {
  emitter.set(
      op.getResult(),
      computeInPairs(emitter,
                     {&emitter.get(op.getA()), &emitter.get(op.getB()), &emitter.get(op.getC())},
                     [&](Operands in) {
                       return emitter.builder.CreateIntrinsic(in[0]->getType(), Intrinsic::fma, in);
                     }));
  return success();
}

LogicalResult emitCopySign(Emitter &emitter, mlir::math::CopySignOp op) {
  emitElementwise(emitter, op, [&](Operands in) {
    return emitter.builder.CreateBinaryIntrinsic(Intrinsic::copysign, in[0], in[1]);
  });
  return success();
}

LogicalResult emitAbsI(Emitter &emitter, mlir::math::AbsIOp op) {
  emitElementwise(emitter, op, [&](Operands in) {
    // The least integer stays what it is.
    return emitter.builder.CreateBinaryIntrinsic(Intrinsic::abs, in[0], emitter.builder.getFalse());
  });
  return success();
}

LogicalResult emitRemainder(Emitter &emitter, mlir::arith::RemFOp op) {
  emitElementwise(emitter, op,
                  [&](Operands in) { return emitter.builder.CreateFRem(in[0], in[1]); });
  return success();
}

} // namespace

void addMath(EmitTable &table) {
  using namespace mlir;
  table.add<emitApproximate<arith::DivFOp, MathKind::Divide>>();
  table.add<emitApproximate<tt::PreciseDivFOp, MathKind::PreciseDivide>>();
  table.add<emitApproximate<tt::PreciseSqrtOp, MathKind::PreciseSqrt>>();
  table.add<emitApproximate<math::ExpOp, MathKind::Exp>>();
  table.add<emitApproximate<math::Exp2Op, MathKind::Exp2>>();
  table.add<emitApproximate<math::LogOp, MathKind::Log>>();
  table.add<emitApproximate<math::Log2Op, MathKind::Log2>>();
  table.add<emitApproximate<math::SinOp, MathKind::Sin>>();
  table.add<emitApproximate<math::CosOp, MathKind::Cos>>();
  table.add<emitApproximate<math::SqrtOp, MathKind::Sqrt>>();
  table.add<emitApproximate<math::RsqrtOp, MathKind::Rsqrt>>();
  table.add<emitApproximate<math::ErfOp, MathKind::Erf>>();
  table.add<emitUnary<math::FloorOp, Intrinsic::floor>>();
  table.add<emitUnary<math::CeilOp, Intrinsic::ceil>>();
  table.add<emitUnary<math::TruncOp, Intrinsic::trunc>>();
  table.add<emitUnary<math::RoundEvenOp, Intrinsic::roundeven>>();
  table.add<emitUnary<math::AbsFOp, Intrinsic::fabs>>();
  table.add<emitAbsI>();
  table.add<emitFma>();
  table.add<emitCopySign>();
  table.add<emitRemainder>();
}

} // namespace gluonc::codegen
