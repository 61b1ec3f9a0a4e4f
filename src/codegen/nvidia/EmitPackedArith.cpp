//===- EmitPackedArith.cpp - Two elements by one instruction -----------------------===//
//
// Two neighbouring registers of a tensor make one of 64 bits (f32) or 32 bits (halves).
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Words.h"
#include "codegen/nvidia/EmitHopper.h"
#include "codegen/nvidia/InlineAsm.h"
#include "ir/ttng/PackedArith.h"
#include "target/Features.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {
namespace {

/// "add.rn.f32x2": rounding is spelt out, lest products and sums are fused.
std::string instructionOf(ttng::PackedArithOpKind kind, mlir::Type element) {
  const bool rounds = kind != ttng::PackedArithOpKind::MIN && kind != ttng::PackedArithOpKind::MAX;
  return (ttng::stringifyPackedArithOpKind(kind) + (rounds ? ".rn." : ".") +
          (element.isF32()   ? "f32x2"
           : element.isF16() ? "f16x2"
                             : "bf16x2"))
      .str();
}

LogicalResult emitPackedArith(Emitter &emitter, ttng::PackedArithOp op) {
  const auto type = cast<mlir::RankedTensorType>(op.getResult().getType());
  if (ttng::packedForm(op) != ttng::PackedForm::Pairs ||
      !target::has(emitter.state.target, target::Feature::PackedArithmetic))
    return emitter.unsupported(op, "packed arithmetic of these types");
  Builder &builder = emitter.builder;
  const mlir::Type element = type.getElementType();
  Type *single = emitter.types.ofElement(element);
  Type *both = builder.getIntNTy(2 * element.getIntOrFloatBitWidth());
  std::string text = instructionOf(op.getOpKind(), element) + " $0";
  for (unsigned i = 1; i <= op.getOperands().size(); ++i)
    text += ", $" + std::to_string(i);
  text += ";";
  Registers result;
  for (unsigned first = 0; first < emitter.types.registerCount(type); first += 2) {
    SmallVector<Value *, 3> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(
          packWords(builder, ArrayRef(emitter.get(operand)).slice(first, 2), both)[0]);
    Value *pair = emitAsm(builder, text, both, operands, AsmEffect::Pure);
    append_range(result, unpackWords(builder, pair, single, 2));
  }
  emitter.set(op.getResult(), std::move(result));
  return success();
}

} // namespace

void addPackedArith(EmitTable &table) { table.add<emitPackedArith>(); }

} // namespace gluonc::codegen::nvidia
