//===- DotScaled.cpp - Rules and answers of tt.dot_scaled ----------------------===//
#include "ir/tt/DotScaled.h"

#include "ir/Encoding.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::tt;

#define GET_OP_CLASSES
#include "ir/TTDotScaled.cpp.inc"

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t DotScaledOp::getDepth() {
  return shapeOf(getA())[1] * (getAElemType() == ScaleDotElemType::E2M1 ? 2 : 1);
}

int64_t DotScaledOp::getScaleBlock() {
  Value scale = getAScale() ? getAScale() : getBScale();
  return scale ? getDepth() / shapeOf(scale)[1] : 32;
}

/// What the elements of an operand are; null for a format that has no type of its own.
static bool hasElementsOf(ScaleDotElemType format, Type element) {
  switch (format) {
  case ScaleDotElemType::E4M3:
    return isa<Float8E4M3FNType>(element);
  case ScaleDotElemType::E5M2:
    return isa<Float8E5M2Type>(element);
  case ScaleDotElemType::E2M1:
    return element.isInteger(8);
  default:
    return false;
  }
}

LogicalResult DotScaledOp::verify() {
  ArrayRef<int64_t> a = shapeOf(getA()), b = shapeOf(getB()), c = shapeOf(getC());
  if (!getLhsKPack() || !getRhsKPack()) // dot_scaled_c4
    return emitOpError("operands must be packed along K");
  bool agree = a.size() == 2 && b.size() == 2 && c.size() == 2 && a[0] == c[0] && b[1] == c[1] &&
               getDepth() == b[0] * (getBElemType() == ScaleDotElemType::E2M1 ? 2 : 1);
  if (!agree) // dot_scaled_c1
    return emitOpError("shapes must be [M, K], [K, N] and [M, N], where bytes of e2m1 count twice");
  for (auto [operand, format] :
       {std::pair(getA(), getAElemType()), std::pair(getB(), getBElemType())})
    if (Type element = getElementTypeOrSelf(operand.getType()); !hasElementsOf(format, element))
      return emitOpError("elements of format ") // dot_scaled_c2
             << stringifyScaleDotElemType(format) << " cannot be " << element;
  if (!getElementTypeOrSelf(getC().getType()).isF32()) // dot_scaled_c2
    return emitOpError("the sum must be f32");
  std::optional<int64_t> block;
  for (auto [scale, lines] : {std::pair(getAScale(), c[0]), std::pair(getBScale(), c[1])}) {
    if (!scale)
      continue;
    ArrayRef<int64_t> shape = shapeOf(scale);
    int64_t size = shape.size() == 2 && shape[1] ? getDepth() / shape[1] : 0;
    bool fits = shape.size() == 2 && shape[0] == lines && size * shape[1] == getDepth() &&
                (size == 16 || size == 32) && block.value_or(size) == size;
    if (!fits) // dot_scaled_c3
      return emitOpError("scales must be [lines, K / 16] or [lines, K / 32], alike for both "
                         "operands, got ")
             << scale.getType();
    block = size;
  }
  return success();
}

void DotScaledOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  // The operands' layouts are derived from it in more than one way.
  if (from != getC() && from != getD())
    return;
  implied.same(getC());
  implied.same(getD());
}

/// A row of a and a column of b, with their scales, for each element of c.
void DotScaledOp::flowElements(ElementFlow &flow) {
  using Dims = llvm::SmallVector<std::optional<unsigned>, 4>;
  flow.maps.push_back({getC(), getA(), Dims{0u, std::nullopt}});
  flow.maps.push_back({getC(), getB(), Dims{std::nullopt, 1u}});
  flow.maps.push_back({getC(), getD(), Dims{0u, 1u}});
  if (getAScale())
    flow.maps.push_back({getC(), getAScale(), Dims{0u, std::nullopt}});
  if (getBScale())
    flow.maps.push_back({getC(), getBScale(), Dims{1u, std::nullopt}});
}
