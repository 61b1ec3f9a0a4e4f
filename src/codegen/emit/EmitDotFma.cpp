//===- EmitDotFma.cpp - Matrix products of scalar fmas ----------------------------===//
//
// The operands' layouts give every thread the rows of `a` and columns of `b` that
// its part of the accumulator needs, all of K. So a dot is fmas on registers.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/DotFma.h"

#include "codegen/core/Pairs.h"
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
  if (sum->getType()->isIntegerTy())
    return builder.CreateAdd(builder.CreateMul(a, b), sum);
  return builder.CreateIntrinsic(sum->getType(), Intrinsic::fma, {a, b, sum});
}

} // namespace

LogicalResult emitDotFma(Emitter &emitter, tt::DotOp op) {
  auto aType = cast<mlir::RankedTensorType>(op.getA().getType());
  RegisterIndex a(emitter, aType);
  RegisterIndex b(emitter, cast<mlir::RankedTensorType>(op.getB().getType()));
  RegisterIndex c(emitter, cast<mlir::RankedTensorType>(op.getType()));
  int64_t depth = aType.getShape().back();
  unsigned rank = aType.getRank();
  Registers results = emitter.get(op.getC());
  for (int64_t k = 0; k < depth; ++k) {
    Registers fromA, fromB;
    for (unsigned reg = 0; reg < results.size(); ++reg) {
      Coords left = c.coordsOf(reg), right = left;
      left[rank - 1] = k;
      right[rank - 2] = k;
      std::optional<unsigned> x = a.find(left), y = b.find(right);
      if (!x || !y)
        return emitter.unsupported(op, "`tt.dot` with operands in these layouts");
      Type *type = results[reg]->getType();
      fromA.push_back(widen(emitter.builder, emitter.get(op.getA())[*x], type));
      fromB.push_back(widen(emitter.builder, emitter.get(op.getB())[*y], type));
    }
    results = computeInPairs(emitter, {&fromA, &fromB, &results}, [&](ArrayRef<Value *> in) {
      return multiplyAdd(emitter.builder, in[0], in[1], in[2]);
    });
  }
  emitter.set(op.getResult(), std::move(results));
  return success();
}

} // namespace gluonc::codegen
