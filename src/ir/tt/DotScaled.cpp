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
  return shapeOf(getA()).back() * (getAElemType() == ScaleDotElemType::E2M1 ? 2 : 1);
}

int64_t DotScaledOp::getScaleBlock() {
  Value scale = getAScale() ? getAScale() : getBScale();
  return scale ? getDepth() / shapeOf(scale).back() : 32;
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
  const size_t rank = c.size();
  bool agree = (rank == 2 || rank == 3) && a.size() == rank && b.size() == rank &&
               a.drop_back() == c.drop_back() && b.back() == c.back() &&
               b.drop_back(2) == c.drop_back(2) &&
               getDepth() == b[rank - 2] * (getBElemType() == ScaleDotElemType::E2M1 ? 2 : 1);
  if (!agree) // dot_scaled_c1
    return emitOpError("shapes must be [M, K], [K, N] and [M, N], with the same dim in front or "
                       "none, where bytes of e2m1 count twice");
  for (auto [operand, format] :
       {std::pair(getA(), getAElemType()), std::pair(getB(), getBElemType())})
    if (Type element = getElementTypeOrSelf(operand.getType()); !hasElementsOf(format, element))
      return emitOpError("elements of format ") // dot_scaled_c2
             << stringifyScaleDotElemType(format) << " cannot be " << element;
  if (!getElementTypeOrSelf(getC().getType()).isF32()) // dot_scaled_c2
    return emitOpError("the sum must be f32");
  std::optional<int64_t> block;
  for (auto [scale, lines] : {std::pair(getAScale(), c[rank - 2]), {getBScale(), c[rank - 1]}}) {
    if (!scale)
      continue;
    ArrayRef<int64_t> shape = shapeOf(scale);
    int64_t size = shape.size() == rank && shape.back() ? getDepth() / shape.back() : 0;
    bool fits = size && shape[rank - 2] == lines && shape.drop_back(2) == c.drop_back(2) &&
                size * shape.back() == getDepth() && (size == 16 || size == 32) &&
                block.value_or(size) == size;
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
  const unsigned row = shapeOf(getC()).size() - 2, column = row + 1;
  auto add = [&](Value to, std::optional<unsigned> first, std::optional<unsigned> second) {
    Dims dims;
    if (row)
      dims.push_back(0u);
    dims.append({first, second});
    flow.maps.push_back({getC(), to, std::move(dims)});
  };
  add(getA(), row, std::nullopt);
  add(getB(), std::nullopt, column);
  add(getD(), row, column);
  if (getAScale())
    add(getAScale(), row, std::nullopt);
  if (getBScale())
    add(getBScale(), column, std::nullopt);
}
