//===- EmitDotFma.cpp - Matrix products of scalar fmas ----------------------------===//
//
// The operands' layouts give every thread the rows of `a` and columns of `b` that
// its part of the accumulator needs, all of K. So a dot is fmas on registers.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/DotFma.h"

#include "codegen/core/RegisterIndex.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// An element as the accumulator's type.
Value *widen(Builder &builder, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  return type->isIntegerTy() ? builder.CreateSExt(value, type) : builder.CreateFPExt(value, type);
}

Value *multiplyAdd(Builder &builder, Value *a, Value *b, Value *sum) {
  Type *type = sum->getType();
  a = widen(builder, a, type);
  b = widen(builder, b, type);
  if (type->isIntegerTy())
    return builder.CreateAdd(builder.CreateMul(a, b), sum);
  return builder.CreateIntrinsic(type, Intrinsic::fma, {a, b, sum});
}

} // namespace

LogicalResult emitDotFma(Emitter &emitter, tt::DotOp op) {
  auto aType = cast<mlir::RankedTensorType>(op.getA().getType());
  RegisterIndex a(emitter, aType);
  RegisterIndex b(emitter, cast<mlir::RankedTensorType>(op.getB().getType()));
  RegisterIndex c(emitter, cast<mlir::RankedTensorType>(op.getType()));
  int64_t depth = aType.getShape().back();
  unsigned rank = aType.getRank();
  Registers results;
  for (auto [reg, initial] : enumerate(emitter.get(op.getC()))) {
    Coords left = c.coordsOf(reg), right = left;
    Value *sum = initial;
    for (int64_t k = 0; k < depth; ++k) {
      left[rank - 1] = k;
      right[rank - 2] = k;
      std::optional<unsigned> fromA = a.find(left), fromB = b.find(right);
      if (!fromA || !fromB)
        return emitter.unsupported(op, "`tt.dot` with operands in these layouts");
      sum = multiplyAdd(emitter.builder, emitter.get(op.getA())[*fromA],
                        emitter.get(op.getB())[*fromB], sum);
    }
    results.push_back(sum);
  }
  emitter.set(op.getResult(), std::move(results));
  return success();
}

} // namespace gluonc::codegen
