//===- EmitArith.cpp - Integer and float arithmetic ---------------------------===//
//
// Integers wrap around, so nothing carries nsw or nuw but what the operation says
// of itself; where the compiler knows better (loop counters) it says so there. Floats carry
// `contract` when fusion is allowed, and no other fast-math flag: NaN, infinity
// and signed zero behave as IEEE says.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Emitter.h"

#include "codegen/core/Pairs.h"
#include "ir/Dialects.h"
#include "support/Error.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

using Operands = ArrayRef<Value *>;

void setOverflowFlags(Value *value, mlir::arith::IntegerOverflowFlags flags) {
  using Flags = mlir::arith::IntegerOverflowFlags;
  if (Instruction *instruction = dyn_cast<Instruction>(value)) {
    instruction->setHasNoSignedWrap(bitEnumContainsAny(flags, Flags::nsw));
    instruction->setHasNoUnsignedWrap(bitEnumContainsAny(flags, Flags::nuw));
  }
}

template <typename Op, Instruction::BinaryOps opcode>
LogicalResult emitBinary(Emitter &emitter, Op op) {
  emitElementwise(emitter, op, [&](Operands in) {
    Value *result = emitter.builder.CreateBinOp(opcode, in[0], in[1]);
    // Flags that the front end could prove or promise.
    if constexpr (requires { op.getOverflowFlags(); })
      setOverflowFlags(result, op.getOverflowFlags());
    return result;
  });
  return success();
}

template <typename Op, Instruction::BinaryOps opcode>
LogicalResult emitFloatBinary(Emitter &emitter, Op op) {
  emitter.set(op.getResult(),
              computeInPairs(
                  emitter, {&emitter.get(op.getLhs()), &emitter.get(op.getRhs())},
                  [&](Operands in) { return emitter.builder.CreateBinOp(opcode, in[0], in[1]); }));
  return success();
}

template <typename Op, Intrinsic::ID id> LogicalResult emitIntrinsic(Emitter &emitter, Op op) {
  emitElementwise(emitter, op, [&](Operands in) {
    return emitter.builder.CreateBinaryIntrinsic(id, in[0], in[1]);
  });
  return success();
}

/// A shift by the width or more is poison in LLVM, but a value on every chip
/// and in the simulator: 0, or the sign. `freeze` is not enough to say that.
template <typename Op, Instruction::BinaryOps opcode>
LogicalResult emitShift(Emitter &emitter, Op op) {
  Builder &builder = emitter.builder;
  emitElementwise(emitter, op, [&](Operands in) -> Value * {
    unsigned width = in[0]->getType()->getIntegerBitWidth();
    ConstantInt *amount = dyn_cast<ConstantInt>(in[1]);
    if (amount && amount->getValue().ult(width))
      return builder.CreateBinOp(opcode, in[0], in[1]);
    Value *last = ConstantInt::get(in[0]->getType(), width - 1);
    Value *clamped = builder.CreateBinaryIntrinsic(Intrinsic::umin, in[1], last);
    Value *shifted = builder.CreateBinOp(opcode, in[0], clamped);
    if (opcode == Instruction::AShr)
      return shifted;
    return builder.CreateSelect(builder.CreateICmpUGT(in[1], last),
                                Constant::getNullValue(in[0]->getType()), shifted);
  });
  return success();
}

CmpInst::Predicate predicateOf(mlir::arith::CmpIPredicate predicate) {
  using mlir::arith::CmpIPredicate;
  switch (predicate) {
  case CmpIPredicate::eq:
    return CmpInst::ICMP_EQ;
  case CmpIPredicate::ne:
    return CmpInst::ICMP_NE;
  case CmpIPredicate::slt:
    return CmpInst::ICMP_SLT;
  case CmpIPredicate::sle:
    return CmpInst::ICMP_SLE;
  case CmpIPredicate::sgt:
    return CmpInst::ICMP_SGT;
  case CmpIPredicate::sge:
    return CmpInst::ICMP_SGE;
  case CmpIPredicate::ult:
    return CmpInst::ICMP_ULT;
  case CmpIPredicate::ule:
    return CmpInst::ICMP_ULE;
  case CmpIPredicate::ugt:
    return CmpInst::ICMP_UGT;
  case CmpIPredicate::uge:
    return CmpInst::ICMP_UGE;
  }
}

LogicalResult emitCmpI(Emitter &emitter, mlir::arith::CmpIOp op) {
  CmpInst::Predicate predicate = predicateOf(op.getPredicate());
  emitElementwise(emitter, op,
                  [&](Operands in) { return emitter.builder.CreateICmp(predicate, in[0], in[1]); });
  return success();
}

CmpInst::Predicate predicateOf(mlir::arith::CmpFPredicate predicate) {
  using mlir::arith::CmpFPredicate;
  switch (predicate) {
  case CmpFPredicate::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case CmpFPredicate::OEQ:
    return CmpInst::FCMP_OEQ;
  case CmpFPredicate::OGT:
    return CmpInst::FCMP_OGT;
  case CmpFPredicate::OGE:
    return CmpInst::FCMP_OGE;
  case CmpFPredicate::OLT:
    return CmpInst::FCMP_OLT;
  case CmpFPredicate::OLE:
    return CmpInst::FCMP_OLE;
  case CmpFPredicate::ONE:
    return CmpInst::FCMP_ONE;
  case CmpFPredicate::ORD:
    return CmpInst::FCMP_ORD;
  case CmpFPredicate::UEQ:
    return CmpInst::FCMP_UEQ;
  case CmpFPredicate::UGT:
    return CmpInst::FCMP_UGT;
  case CmpFPredicate::UGE:
    return CmpInst::FCMP_UGE;
  case CmpFPredicate::ULT:
    return CmpInst::FCMP_ULT;
  case CmpFPredicate::ULE:
    return CmpInst::FCMP_ULE;
  case CmpFPredicate::UNE:
    return CmpInst::FCMP_UNE;
  case CmpFPredicate::UNO:
    return CmpInst::FCMP_UNO;
  case CmpFPredicate::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
}

LogicalResult emitCmpF(Emitter &emitter, mlir::arith::CmpFOp op) {
  CmpInst::Predicate predicate = predicateOf(op.getPredicate());
  emitElementwise(emitter, op,
                  [&](Operands in) { return emitter.builder.CreateFCmp(predicate, in[0], in[1]); });
  return success();
}

/// A scalar condition may choose between tensors.
LogicalResult emitSelect(Emitter &emitter, mlir::arith::SelectOp op) {
  const Registers &condition = emitter.get(op.getCondition());
  Registers results;
  bool uniform = !isa<mlir::RankedTensorType>(op.getCondition().getType());
  for (auto [i, values] :
       enumerate(zip_equal(emitter.get(op.getTrueValue()), emitter.get(op.getFalseValue()))))
    results.push_back(emitter.builder.CreateSelect(condition[uniform ? 0 : i], std::get<0>(values),
                                                   std::get<1>(values)));
  emitter.set(op.getResult(), std::move(results));
  return success();
}

LogicalResult emitNegF(Emitter &emitter, mlir::arith::NegFOp op) {
  emitElementwise(emitter, op, [&](Operands in) { return emitter.builder.CreateFNeg(in[0]); });
  return success();
}

/// With `propagateNan` a NaN operand wins, otherwise the other operand does.
Value *minMax(Emitter &emitter, bool isMax, bool propagateNan, Value *lhs, Value *rhs) {
  Builder &builder = emitter.builder;
  // PTX has no NaN-propagating form for f64.
  if (propagateNan && lhs->getType()->isDoubleTy()) {
    Value *number = minMax(emitter, isMax, false, lhs, rhs);
    Value *sum = builder.CreateFAdd(lhs, rhs);
    return builder.CreateSelect(builder.CreateFCmpUNO(lhs, rhs), sum, number);
  }
  Intrinsic::ID id = propagateNan ? (isMax ? Intrinsic::maximum : Intrinsic::minimum)
                                  : (isMax ? Intrinsic::maxnum : Intrinsic::minnum);
  return builder.CreateBinaryIntrinsic(id, lhs, rhs);
}

template <typename Op, bool isMax, bool propagateNan>
LogicalResult emitMinMax(Emitter &emitter, Op op) {
  emitElementwise(emitter, op,
                  [&](Operands in) { return minMax(emitter, isMax, propagateNan, in[0], in[1]); });
  return success();
}

LogicalResult emitClamp(Emitter &emitter, tt::ClampFOp op) {
  bool propagate = op.getPropagateNan() == tt::PropagateNan::ALL;
  emitElementwise(emitter, op, [&](Operands in) {
    Value *raised = minMax(emitter, /*isMax=*/true, propagate, in[0], in[1]);
    return minMax(emitter, /*isMax=*/false, propagate, raised, in[2]);
  });
  return success();
}

template <typename Op, Instruction::BinaryOps opcode, bool roundUp>
LogicalResult emitRoundedDivide(Emitter &emitter, Op op) {
  Builder &builder = emitter.builder;
  emitElementwise(emitter, op, [&](Operands in) {
    Value *zero = Constant::getNullValue(in[0]->getType());
    Value *quotient = builder.CreateBinOp(opcode, in[0], in[1]);
    Value *rest = builder.CreateSub(in[0], builder.CreateMul(quotient, in[1]));
    Value *inexact = builder.CreateICmpNE(rest, zero);
    if (opcode == Instruction::UDiv)
      return builder.CreateAdd(quotient, builder.CreateZExt(inexact, in[0]->getType()));
    // Truncation moved towards zero: correct when the sign asks for the other side.
    Value *negative = builder.CreateICmpSLT(builder.CreateXor(in[0], in[1]), zero);
    Value *wrongSide = roundUp ? builder.CreateNot(negative) : negative;
    Value *adjust = builder.CreateZExt(builder.CreateAnd(inexact, wrongSide), in[0]->getType());
    return roundUp ? builder.CreateAdd(quotient, adjust) : builder.CreateSub(quotient, adjust);
  });
  return success();
}

Value *highHalf(Builder &builder, bool isSigned, Value *lhs, Value *rhs) {
  unsigned width = lhs->getType()->getIntegerBitWidth();
  Type *wide = builder.getIntNTy(2 * width);
  Value *product = builder.CreateMul(builder.CreateIntCast(lhs, wide, isSigned),
                                     builder.CreateIntCast(rhs, wide, isSigned));
  return builder.CreateTrunc(builder.CreateLShr(product, width), lhs->getType());
}

template <typename Op, bool isSigned> LogicalResult emitMulExtended(Emitter &emitter, Op op) {
  Registers low, high;
  for (auto [lhs, rhs] : zip_equal(emitter.get(op.getLhs()), emitter.get(op.getRhs()))) {
    low.push_back(emitter.builder.CreateMul(lhs, rhs));
    high.push_back(highHalf(emitter.builder, isSigned, lhs, rhs));
  }
  emitter.set(op.getLow(), std::move(low));
  emitter.set(op.getHigh(), std::move(high));
  return success();
}

LogicalResult emitMulHigh(Emitter &emitter, tt::MulhiUIOp op) {
  emitElementwise(emitter, op, [&](Operands in) {
    return highHalf(emitter.builder, /*isSigned=*/false, in[0], in[1]);
  });
  return success();
}

Constant *constantOf(Emitter &emitter, Type *type, mlir::Attribute value) {
  if (mlir::IntegerAttr integer = dyn_cast<mlir::IntegerAttr>(value))
    return ConstantInt::get(type, integer.getValue());
  mlir::FloatAttr number = cast<mlir::FloatAttr>(value);
  if (type->isIntegerTy())
    return ConstantInt::get(type, number.getValue().bitcastToAPInt());
  return ConstantFP::get(type, number.getValue());
}

LogicalResult emitConstant(Emitter &emitter, mlir::arith::ConstantOp op) {
  mlir::Attribute value = op.getValue();
  unsigned count = 1;
  mlir::Type scalarType = op.getType();
  if (mlir::RankedTensorType tensor = dyn_cast<mlir::RankedTensorType>(op.getType())) {
    mlir::DenseElementsAttr elements = dyn_cast<mlir::DenseElementsAttr>(value);
    if (!elements || !elements.isSplat())
      return emitter.unsupported(op, "a constant tensor with different elements");
    value = elements.getSplatValue<mlir::Attribute>();
    count = emitter.types.registerCount(tensor);
    scalarType = tensor.getElementType();
  }
  Constant *constant = constantOf(emitter, emitter.types.ofElement(scalarType), value);
  emitter.set(op.getResult(), Registers(count, constant));
  return success();
}

LogicalResult emitPoison(Emitter &emitter, mlir::ub::PoisonOp op) {
  Registers registers;
  for (Type *type : emitter.types.ofRegisters(op.getType()))
    registers.push_back(PoisonValue::get(type));
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

} // namespace

void addArith(EmitTable &table) {
  using namespace mlir::arith;
  table.add<emitBinary<AddIOp, Instruction::Add>>();
  table.add<emitBinary<SubIOp, Instruction::Sub>>();
  table.add<emitBinary<MulIOp, Instruction::Mul>>();
  table.add<emitBinary<DivSIOp, Instruction::SDiv>>();
  table.add<emitBinary<DivUIOp, Instruction::UDiv>>();
  table.add<emitBinary<RemSIOp, Instruction::SRem>>();
  table.add<emitBinary<RemUIOp, Instruction::URem>>();
  table.add<emitBinary<AndIOp, Instruction::And>>();
  table.add<emitBinary<OrIOp, Instruction::Or>>();
  table.add<emitBinary<XOrIOp, Instruction::Xor>>();
  table.add<emitShift<ShLIOp, Instruction::Shl>>();
  table.add<emitShift<ShRSIOp, Instruction::AShr>>();
  table.add<emitShift<ShRUIOp, Instruction::LShr>>();
  table.add<emitRoundedDivide<CeilDivSIOp, Instruction::SDiv, true>>();
  table.add<emitRoundedDivide<CeilDivUIOp, Instruction::UDiv, true>>();
  table.add<emitRoundedDivide<FloorDivSIOp, Instruction::SDiv, false>>();
  table.add<emitIntrinsic<MinSIOp, Intrinsic::smin>>();
  table.add<emitIntrinsic<MaxSIOp, Intrinsic::smax>>();
  table.add<emitIntrinsic<MinUIOp, Intrinsic::umin>>();
  table.add<emitIntrinsic<MaxUIOp, Intrinsic::umax>>();
  table.add<emitMulExtended<MulSIExtendedOp, true>>();
  table.add<emitMulExtended<MulUIExtendedOp, false>>();
  table.add<emitMulHigh>();
  table.add<emitFloatBinary<AddFOp, Instruction::FAdd>>();
  table.add<emitFloatBinary<SubFOp, Instruction::FSub>>();
  table.add<emitFloatBinary<MulFOp, Instruction::FMul>>();
  table.add<emitNegF>();
  table.add<emitMinMax<MaximumFOp, true, true>>();
  table.add<emitMinMax<MinimumFOp, false, true>>();
  table.add<emitMinMax<MaxNumFOp, true, false>>();
  table.add<emitMinMax<MinNumFOp, false, false>>();
  table.add<emitClamp>();
  table.add<emitCmpI>();
  table.add<emitCmpF>();
  table.add<emitSelect>();
  table.add<emitConstant>();
  table.add<emitPoison>();
}

} // namespace gluonc::codegen
