//===- EmitCasts.cpp - Conversions between element types -----------------------===//
#include "codegen/Emitter.h"

#include "ir/Dialects.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

Type *resultElement(Emitter &emitter, mlir::Operation *op) {
  return emitter.elementType(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
}

template <typename Op, Instruction::CastOps opcode>
LogicalResult emitCast(Emitter &emitter, Op op) {
  Type *type = resultElement(emitter, op);
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) {
    return emitter.builder.CreateCast(opcode, in[0], type);
  });
  return success();
}

/// Bits stay; only pointers among themselves may change what they point to.
template <typename Op> LogicalResult emitBitcast(Emitter &emitter, Op op) {
  Type *type = resultElement(emitter, op);
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) {
    return emitter.builder.CreateBitOrPointerCast(in[0], type);
  });
  return success();
}

template <typename Op, bool isSigned> LogicalResult emitIndexCast(Emitter &emitter, Op op) {
  Type *type = resultElement(emitter, op);
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) {
    return emitter.builder.CreateIntCast(in[0], type, isSigned);
  });
  return success();
}

LogicalResult emitFpToFp(Emitter &emitter, tt::FpToFpOp op) {
  mlir::Type from = mlir::getElementTypeOrSelf(op.getSrc().getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op.getType());
  if (from.getIntOrFloatBitWidth() == 8 || to.getIntOrFloatBitWidth() == 8)
    return emitter.unsupported(op, "a conversion to or from an 8-bit float");
  bool narrows = to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
  if (narrows && op.getRounding() == tt::RoundingMode::RTZ)
    return emitter.unsupported(op, "a conversion that rounds towards zero");
  Type *type = resultElement(emitter, op);
  Builder &builder = emitter.builder;
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) -> Value * {
    // Neither of f16 and bf16 holds the other.
    Value *wide = in[0];
    if (from != to && from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
      wide = builder.CreateFPExt(wide, builder.getFloatTy());
    return builder.CreateFPCast(wide, type);
  });
  return success();
}

} // namespace

void addCasts(EmitTable &table) {
  using namespace mlir::arith;
  table.add<emitCast<ExtSIOp, Instruction::SExt>>();
  table.add<emitCast<ExtUIOp, Instruction::ZExt>>();
  table.add<emitCast<TruncIOp, Instruction::Trunc>>();
  table.add<emitCast<SIToFPOp, Instruction::SIToFP>>();
  table.add<emitCast<UIToFPOp, Instruction::UIToFP>>();
  table.add<emitCast<FPToSIOp, Instruction::FPToSI>>();
  table.add<emitCast<FPToUIOp, Instruction::FPToUI>>();
  table.add<emitCast<ExtFOp, Instruction::FPExt>>();
  table.add<emitCast<TruncFOp, Instruction::FPTrunc>>();
  table.add<emitIndexCast<IndexCastOp, true>>();
  table.add<emitIndexCast<IndexCastUIOp, false>>();
  table.add<emitBitcast<BitcastOp>>();
  table.add<emitBitcast<tt::BitcastOp>>();
  table.add<emitBitcast<tt::IntToPtrOp>>();
  table.add<emitBitcast<tt::PtrToIntOp>>();
  table.add<emitFpToFp>();
}

} // namespace gluonc::codegen
