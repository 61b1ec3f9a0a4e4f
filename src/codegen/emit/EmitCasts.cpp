//===- EmitCasts.cpp - Conversions between element types -----------------------===//
#include "codegen/core/Emitter.h"

#include "codegen/emit/SmallFloats.h"
#include "ir/Dialects.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

Type *resultElement(Emitter &emitter, mlir::Operation *op) {
  return emitter.types.ofElement(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
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

/// To nearest, two by two. False where there are no pairs or no instruction for them.
bool convertInPairs(Emitter &emitter, mlir::Operation *op, FloatKind from, FloatKind to) {
  Builder &builder = emitter.builder;
  Registers numbers = emitter.get(op->getOperand(0)), results;
  if (numbers.size() % 2 || isa<Constant>(numbers[0]))
    return false;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    Value *pair = emitter.isa.convertPair(builder, numbers[i], numbers[i + 1], from, to);
    if (!pair)
      return false;
    for (unsigned k = 0; k < 2; ++k)
      results.push_back(builder.CreateExtractElement(pair, k));
  }
  emitter.set(op->getResult(0), std::move(results));
  return true;
}

LogicalResult emitTruncF(Emitter &emitter, mlir::arith::TruncFOp op) {
  bool fromF32 = mlir::getElementTypeOrSelf(op.getIn().getType()).isF32();
  std::optional<FloatKind> to = floatKind(mlir::getElementTypeOrSelf(op.getType()));
  if (fromF32 && to && convertInPairs(emitter, op, FloatKind::F32, *to))
    return success();
  return emitCast<mlir::arith::TruncFOp, Instruction::FPTrunc>(emitter, op);
}

LogicalResult emitFpToFp(Emitter &emitter, tt::FpToFpOp op) {
  mlir::Type fromType = mlir::getElementTypeOrSelf(op.getSrc().getType());
  mlir::Type toType = mlir::getElementTypeOrSelf(op.getType());
  std::optional<FloatKind> from = floatKind(fromType), to = floatKind(toType);
  bool towardsZero = op.getRounding() == tt::RoundingMode::RTZ;
  bool missing = !from || !to;
  if (from && to && !towardsZero && convertInPairs(emitter, op, *from, *to))
    return success();
  emitElementwise(emitter, op, [&](ArrayRef<Value *> in) -> Value * {
    if (missing)
      return nullptr;
    Value *result = emitter.isa.convertFloat(emitter.builder, in[0], *from, *to, towardsZero);
    missing = !result;
    return result;
  });
  if (!missing)
    return success();
  std::string text;
  raw_string_ostream(text) << "`tt.fp_to_fp` from " << fromType << " to " << toType
                           << (towardsZero ? " towards zero" : "");
  return emitter.unsupported(op, text);
}

LogicalResult emitFp4ToFp(Emitter &emitter, ttg::Fp4ToFpOp op) {
  Type *type = resultElement(emitter, op);
  Registers results;
  for (Value *byte : emitter.get(op.getSrc()))
    for (bool high : {false, true})
      results.push_back(unpackFp4(emitter.builder, byte, high, type));
  if (results.size() != emitter.types.registerCount(op.getType()))
    return emitter.unsupported(op, "`ttg.fp4_to_fp` to this layout");
  emitter.set(op.getResult(), std::move(results));
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
  table.add<emitTruncF>();
  table.add<emitIndexCast<IndexCastOp, true>>();
  table.add<emitIndexCast<IndexCastUIOp, false>>();
  table.add<emitBitcast<BitcastOp>>();
  table.add<emitBitcast<tt::BitcastOp>>();
  table.add<emitBitcast<tt::IntToPtrOp>>();
  table.add<emitBitcast<tt::PtrToIntOp>>();
  table.add<emitFpToFp>();
  table.add<emitFp4ToFp>();
}

} // namespace gluonc::codegen
