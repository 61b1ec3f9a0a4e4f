//===- PackedArith.cpp - Rules and flow of `ttng.packed_arith` ----------------===//
//
// Labels are those of the description in TTNGOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/ttng/PackedArith.h"

#include "ir/Encoding.h"
#include "ir/Owners.h"
#include "layout/named/Inference.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;
using layout::Dim;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }
static bool isPair(Type type) { return type.isF32() || isHalf(type); }
static bool isQuadResult(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }
static bool isPacked(Type type) { return type.isInteger(8); }
static bool isQuad(Type type) { return isQuadResult(type) || isPacked(type); }

static bool isMixed(PackedArithOpKind kind, Type result, ArrayRef<Type> operands) {
  const Type a = operands[0], b = operands[1];
  switch (kind) {
  case PackedArithOpKind::ADD:
  case PackedArithOpKind::SUB:
    return b.isF32() && ((result.isF32() && isHalf(a)) || (isHalf(result) && a.isF32()));
  case PackedArithOpKind::MUL:
    return isHalf(result) &&
           ((a.isF32() && b.isF32()) || (a == result && isHalf(b) && b != result));
  case PackedArithOpKind::FMA:
    return result.isF32() && isHalf(a) && b.isF32() && operands[2].isF32();
  default:
    return false;
  }
}

static bool isOfQuads(PackedArithOpKind kind, Type result, ArrayRef<Type> operands) {
  if (!isQuadResult(result) || !isQuad(operands[0]))
    return false;
  switch (kind) {
  case PackedArithOpKind::ADD:
  case PackedArithOpKind::SUB:
    return operands[1] == result;
  case PackedArithOpKind::MUL:
    return isQuad(operands[1]);
  case PackedArithOpKind::FMA:
    return isQuad(operands[1]) && operands[2] == result;
  default:
    return false;
  }
}

unsigned ttng::lanesOf(PackedForm form) { return form == PackedForm::Quads ? 4 : 2; }

std::optional<PackedForm> ttng::packedForm(PackedArithOpKind kind, Type result,
                                           ArrayRef<Type> operands) {
  const bool selects = kind == PackedArithOpKind::MIN || kind == PackedArithOpKind::MAX;
  if (llvm::all_equal(operands) && operands.front() == result && isPair(result) &&
      (!selects || isHalf(result)))
    return PackedForm::Pairs;
  if (isMixed(kind, result, operands))
    return PackedForm::MixedPairs;
  if (isOfQuads(kind, result, operands))
    return PackedForm::Quads;
  return std::nullopt;
}

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static llvm::SmallVector<Type, 3> elementsOf(PackedArithOp op) {
  return llvm::map_to_vector<3>(op.getOperands(),
                                [](Value operand) { return tensorOf(operand).getElementType(); });
}

PackedForm ttng::packedForm(PackedArithOp op) {
  return *packedForm(op.getOpKind(), tensorOf(op.getResult()).getElementType(), elementsOf(op));
}

std::optional<unsigned> ttng::packedAxis(ArrayRef<int64_t> shape,
                                         ArrayRef<RankedTensorType> operands) {
  std::optional<unsigned> axis;
  for (RankedTensorType operand : operands) {
    if (!isPacked(operand.getElementType()))
      continue;
    if (operand.getShape().size() != shape.size())
      return std::nullopt;
    std::optional<unsigned> half;
    for (auto [dim, sizes] : llvm::enumerate(llvm::zip(operand.getShape(), shape))) {
      auto [packed, whole] = sizes;
      if (packed == whole)
        continue;
      if (half || packed * 2 != whole)
        return std::nullopt;
      half = dim;
    }
    if (!half || (axis && axis != half))
      return std::nullopt;
    axis = half;
  }
  return axis;
}

static std::optional<unsigned> packedAxis(PackedArithOp op) {
  return ttng::packedAxis(tensorOf(op.getResult()).getShape(),
                          llvm::map_to_vector<3>(op.getOperands(), tensorOf));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Whether an operand has the numbers that the result's thread needs.
static LogicalResult verifyOperand(PackedArithOp op, RankedTensorType operand,
                                   std::optional<unsigned> axis) {
  RankedTensorType result = tensorOf(op.getResult());
  const bool packed = isPacked(operand.getElementType());
  if (packed ? !axis : operand.getShape() != result.getShape()) // packed_arith_c3
    return op.emitOpError(packed ? "operands of type i8 must have half of the result along one dim"
                                 : "operands must have the result's shape");
  const layout::LinearLayout *from = linearOrNull(operand), *to = linearOrNull(result);
  if (from && to && !sameOwners(packed ? unpacked(*from, *axis) : *from, *to)) // packed_arith_c3
    return op.emitOpError("operands must lie as the result does");
  return success();
}

LogicalResult PackedArithOp::verify() {
  const size_t count = getOpKind() == PackedArithOpKind::FMA ? 3 : 2;
  if (getOperands().size() != count) // packed_arith_c1
    return emitOpError("takes ") << count << " operands, got " << getOperands().size();
  RankedTensorType result = tensorOf(getResult());
  auto form = packedForm(getOpKind(), result.getElementType(), elementsOf(*this));
  if (!form) // packed_arith_c2
    return emitOpError("there is no such instruction for ")
           << TypeRange(getOperandTypes()) << " -> " << result;
  std::optional<unsigned> axis = ::packedAxis(*this);
  for (Value operand : getOperands())
    if (failed(verifyOperand(*this, tensorOf(operand), axis)))
      return failure();
  const layout::LinearLayout *linear = linearOrNull(result);
  if (linear && 1u << linear->removeZeroBases(Dim::Register).inLog2(Dim::Register) <
                    lanesOf(*form)) // packed_arith_c4
    return emitOpError("threads must hold ") << lanesOf(*form) << " elements or more";
  return success();
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

void PackedArithOp::flowElements(ElementFlow &flow) {
  for (Value operand : getOperands())
    if (tensorOf(operand).getShape() == tensorOf(getResult()).getShape())
      flow.sameNumbers.push_back({operand, getResult()});
    else
      flow.isMixed = true;
}

void PackedArithOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  const ArrayRef<int64_t> whole = tensorOf(getResult()).getShape();
  if (tensorOf(from).getShape() != whole) {
    if (std::optional<unsigned> axis = ::packedAxis(*this))
      implied.derived(getResult(),
                      layout::unpackLayout(implied.layout(), tensorOf(from).getShape(), *axis));
    return;
  }
  implied.same(getResult());
  for (Value operand : getOperands())
    if (tensorOf(operand).getShape() == whole)
      implied.same(operand);
}
