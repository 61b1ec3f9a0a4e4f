//===- LowerScales.cpp - AMD: conversions and products with scales -----------===//
//
// Elements are computed in double, which holds every product of a small float and
// a power of two, and rounded once.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/AmdOps.h"
#include "ir/tt/DotScaled.h"
#include "sim/async/Dot.h"
#include "sim/lower/Elementwise.h"

#include <cmath>
#include <limits>

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

enum class Packed : uint8_t { E2M1, E4M3, E5M2 };

struct ScaleData : OpData {
  Packed format = Packed::E2M1;
  ElementKind wide = ElementKind::F32;
  /// Of the wide tensor: elements behind the axis, and along it; elements that share a scale.
  uint32_t inner = 1, extent = 1, block = 1, elements = 0;
  bool hasByteScales = true;

  /// The scale of a wide element.
  uint32_t scaleOf(uint32_t element) const {
    uint32_t outer = element / inner / extent, at = element / inner % extent;
    return (outer * (extent / block) + at / block) * inner + element % inner;
  }
  /// The byte that a wide element is in, and whether it is the upper half.
  std::pair<uint32_t, bool> byteOf(uint32_t element) const {
    uint32_t outer = element / inner / extent, at = element / inner % extent;
    if (format != Packed::E2M1)
      return {element, false};
    return {(outer * (extent / 2) + at / 2) * inner + element % inner, at % 2};
  }
};

const FloatFormat &formatOf(Packed packed) {
  return packed == Packed::E2M1 ? kF4E2M1 : packed == Packed::E4M3 ? kF8E4M3FN : kF8E5M2;
}

double scaleAt(const ScaleData &data, Cta &cta, Slot scales, uint32_t element) {
  const uint32_t at = scales.elements == 1 ? 0 : data.scaleOf(element);
  if (!data.hasByteScales)
    return bfloatToFloat(cta.at<uint16_t>(scales)[at]);
  const uint8_t bits = cta.at<uint8_t>(scales)[at];
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

/// Operands: bytes, scales.
template <class E> void runUpcast(const Instruction &instruction, Cta &cta) {
  const ScaleData &data = static_cast<const ScaleData &>(*instruction.data);
  const Slot source = instruction.operands[0];
  auto *result = cta.at<typename E::Storage>(instruction.result);
  for (uint32_t element = 0; element < data.elements; ++element) {
    auto [at, isUpper] = data.byteOf(element);
    uint8_t bits = cta.at<uint8_t>(source)[source.elements == 1 ? 0 : at];
    if (data.format == Packed::E2M1)
      bits = isUpper ? bits >> 4 : bits & 15;
    const double value =
        decode(formatOf(data.format), bits) * scaleAt(data, cta, instruction.operands[1], element);
    result[element] =
        uint16_t(encode(std::is_same_v<E, F16> ? kF16 : kBF16, value, Rounding::NearestEven));
  }
}

double wideAt(const ScaleData &data, Cta &cta, Slot slot, uint32_t element) {
  const uint32_t at = slot.elements == 1 ? 0 : element;
  return data.wide == ElementKind::F16    ? halfToFloat(cta.at<uint16_t>(slot)[at])
         : data.wide == ElementKind::BF16 ? bfloatToFloat(cta.at<uint16_t>(slot)[at])
                                          : cta.at<float>(slot)[at];
}

/// Operands: floats, scales.
void runDowncast(const Instruction &instruction, Cta &cta) {
  const ScaleData &data = static_cast<const ScaleData &>(*instruction.data);
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  if (data.format == Packed::E2M1)
    std::fill_n(result, data.elements / 2, 0);
  for (uint32_t element = 0; element < data.elements; ++element) {
    const double value = wideAt(data, cta, instruction.operands[0], element) /
                         scaleAt(data, cta, instruction.operands[1], element);
    const uint32_t bits =
        encode(formatOf(data.format), value, Rounding::NearestEven, Overflow::Saturate);
    auto [at, isUpper] = data.byteOf(element);
    if (data.format == Packed::E2M1)
      result[at] |= (bits & 15) << (isUpper ? 4 : 0);
    else
      result[at] = uint8_t(bits);
  }
}

ScaleData *describe(Lowering &lowering, mlir::Value wide, mlir::Value packed, mlir::Value scales,
                    std::optional<uint32_t> axis) {
  ScaleData *data = lowering.addData<ScaleData>();
  ElementKind narrow = lowering.kindOf(packed);
  data->format = narrow == ElementKind::I8         ? Packed::E2M1
                 : narrow == ElementKind::F8E4M3FN ? Packed::E4M3
                                                   : Packed::E5M2;
  data->wide = lowering.kindOf(wide);
  data->hasByteScales = lowering.kindOf(scales) == ElementKind::I8;
  data->elements = lowering.elementCountOf(wide.getType());
  lowering.setShape(wide.getType());
  if (!axis) {
    data->extent = data->elements;
    return data;
  }
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(wide.getType());
  data->extent = uint32_t(shape[*axis]);
  for (int64_t size : shape.drop_front(*axis + 1))
    data->inner *= uint32_t(size);
  data->block = data->extent / uint32_t(lowering.shapeOf(scales.getType())[*axis]);
  return data;
}

bool lowerUpcast(Lowering &lowering, mlir::Value input, mlir::Value scales, mlir::Value output,
                 std::optional<uint32_t> axis) {
  ScaleData *data = describe(lowering, output, input, scales, axis);
  Handler handler = data->wide == ElementKind::F16 ? runUpcast<F16> : runUpcast<BF16>;
  Slot result = lowering.define(output, data->elements);
  lowering.emit(handler, taintAll, result, {lowering.slotOf(input), lowering.slotOf(scales)}).data =
      data;
  return true;
}

bool lowerUpcastFp4(Lowering &lowering, mlir::Operation *operation) {
  auto cast = mlir::cast<amdg::ScaledUpcastFp4Op>(operation);
  return lowerUpcast(lowering, cast.getInput(), cast.getScale(), cast.getOutput(), cast.getAxis());
}

bool lowerUpcastFp8(Lowering &lowering, mlir::Operation *operation) {
  auto cast = mlir::cast<amdg::ScaledUpcastFp8Op>(operation);
  return lowerUpcast(lowering, cast.getInput(), cast.getScale(), cast.getOutput(), std::nullopt);
}

template <class Op> bool lowerDowncast(Lowering &lowering, mlir::Operation *operation) {
  auto cast = mlir::cast<Op>(operation);
  ScaleData *data =
      describe(lowering, cast.getInput(), cast.getOutput(), cast.getScale(), cast.getAxis());
  Slot result =
      lowering.define(cast.getOutput(), lowering.elementCountOf(cast.getOutput().getType()));
  lowering
      .emit(runDowncast, taintAll, result,
            {lowering.slotOf(cast.getInput()), lowering.slotOf(cast.getScale())})
      .data = data;
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

struct ScaledDotData : OpData {
  ScaledDot dot;
  uint32_t batches = 1;
  /// The scales of b, for which an instruction has no room.
  Slot scalesOfB;
};

void taintScaledDot(const Instruction &instruction, Cta &cta) {
  taintAll(instruction, cta);
  const Slot scales = static_cast<const ScaledDotData &>(*instruction.data).scalesOfB;
  for (uint8_t code : llvm::ArrayRef(cta.taintAt(scales), scales.elements))
    if (code)
      return void(std::memset(cta.taintAt(instruction.result), code, instruction.result.elements));
}

/// Operands: a, b, scales of a, c; all spelled out.
void runScaledDot(const Instruction &instruction, Cta &cta) {
  const ScaledDotData &data = static_cast<const ScaledDotData &>(*instruction.data);
  auto bytes = [&](unsigned i) { return cta.at<uint8_t>(instruction.operands[i]); };
  const ScaledDot &dot = data.dot;
  auto bytesOf = [&](ScaledDot::Element element, uint32_t lines) {
    const uint64_t elements = uint64_t(lines) * dot.depth;
    return element == ScaledDot::Element::E2M1 ? elements / 2 : elements;
  };
  const uint64_t ofA = bytesOf(dot.a, dot.rows), ofB = bytesOf(dot.b, dot.columns),
                 blocks = dot.depth / dot.block, ofC = uint64_t(dot.rows) * dot.columns;
  for (uint64_t i = 0; i < data.batches; ++i)
    computeDot(dot, bytes(0) + i * ofA, bytes(1) + i * ofB, bytes(2) + i * blocks * dot.rows,
               cta.at<uint8_t>(data.scalesOfB) + i * blocks * dot.columns,
               cta.at<float>(instruction.operands[3]) + i * ofC,
               cta.at<float>(instruction.result) + i * ofC);
}

std::optional<ScaledDot::Element> elementOf(tt::ScaleDotElemType format) {
  switch (format) {
  case tt::ScaleDotElemType::E4M3:
    return ScaledDot::Element::E4M3;
  case tt::ScaleDotElemType::E5M2:
    return ScaledDot::Element::E5M2;
  case tt::ScaleDotElemType::E2M1:
    return ScaledDot::Element::E2M1;
  default:
    return std::nullopt;
  }
}

bool lowerScaledDot(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<tt::DotScaledOp>(operation);
  std::optional<ScaledDot::Element> a = elementOf(dot.getAElemType()),
                                    b = elementOf(dot.getBElemType());
  if (!a || !b)
    return false;
  ScaledDotData *data = lowering.addData<ScaledDotData>();
  ScaledDot &form = data->dot;
  llvm::ArrayRef<int64_t> c = lowering.shapeOf(dot.getC().getType());
  data->batches = c.size() == 3 ? uint32_t(c[0]) : 1;
  form.rows = uint32_t(c.drop_back().back());
  form.columns = uint32_t(c.back());
  form.depth = uint32_t(dot.getDepth());
  form.block = uint32_t(dot.getScaleBlock());
  form.sanitized = lowering.program.sanitizer == Sanitizer::Fpsan;
  form.a = *a;
  form.b = *b;
  llvm::SmallVector<Slot, 5> operands;
  auto add = [&](mlir::Value value) {
    operands.push_back(lowering.materialize(
        lowering.slotOf(value), lowering.elementCountOf(value.getType()), lowering.kindOf(value)));
  };
  add(dot.getA());
  add(dot.getB());
  for (auto [scale, lines, isFloat] :
       {std::tuple(dot.getAScale(), form.rows, &form.hasFloatScales),
        std::tuple(dot.getBScale(), form.columns, &form.hasFloatScalesB)}) {
    if (scale) {
      *isFloat = lowering.kindOf(scale) != ElementKind::I8;
      add(scale);
      continue;
    }
    const uint32_t count = data->batches * lines * (form.depth / form.block);
    operands.push_back(lowering.constant(std::string(count, '\x7f'), count));
  }
  data->scalesOfB = operands.pop_back_val();
  add(dot.getC());
  Slot result = lowering.define(dot.getD(), lowering.elementCountOf(dot.getD().getType()));
  lowering.emit(runScaledDot, taintScaledDot, result, operands).data = data;
  return true;
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

struct PartData : OpData {
  llvm::SmallVector<uint32_t, 4> whole, part, offsets;
  uint32_t bytes = 0;
};

void runPart(const Instruction &instruction, Cta &cta) {
  const PartData &data = static_cast<const PartData &>(*instruction.data);
  const uint8_t *source = cta.at<uint8_t>(instruction.operands[0]);
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    uint32_t rest = element, from = 0, stride = 1;
    for (uint32_t dim = data.part.size(); dim-- > 0;) {
      from += (rest % data.part[dim] + data.offsets[dim]) * stride;
      rest /= data.part[dim];
      stride *= data.whole[dim];
    }
    std::memcpy(result + uint64_t(element) * data.bytes, source + uint64_t(from) * data.bytes,
                data.bytes);
  }
}

bool lowerPart(Lowering &lowering, mlir::Operation *operation) {
  auto slice = mlir::cast<amdg::ExtractSliceOp>(operation);
  Slot source = lowering.slotOf(slice.getSource());
  lowering.passParameter(slice.getSource(), slice.getResult());
  if (source.elements == 1) {
    Slot result = lowering.define(slice.getResult(), 1);
    lowering.emitCopy(source, result, lowering.kindOf(slice.getSource()));
    return true;
  }
  PartData *data = lowering.addData<PartData>();
  llvm::append_range(data->whole, lowering.shapeOf(slice.getSource().getType()));
  llvm::append_range(data->part, lowering.shapeOf(slice.getResult().getType()));
  llvm::append_range(data->offsets, slice.getStaticOffsets());
  data->bytes = byteSize(lowering.kindOf(slice.getSource()));
  lowering.setShape(slice.getResult().getType());
  Slot result =
      lowering.define(slice.getResult(), lowering.elementCountOf(slice.getResult().getType()));
  lowering.emit(runPart, taintAll, result, {source}).data = data;
  return true;
}

/// A hint for the scheduler changes no results.
bool lowerNothing(Lowering &, mlir::Operation *) { return true; }

} // namespace

void addScales(OperationTable &table) {
  table["amdg.scaled_upcast_fp4"] = lowerUpcastFp4;
  table["amdg.scaled_upcast_fp8"] = lowerUpcastFp8;
  table["amdg.scaled_downcast_fp4"] = lowerDowncast<amdg::ScaledDowncastFp4Op>;
  table["amdg.scaled_downcast_fp8"] = lowerDowncast<amdg::ScaledDowncastFp8Op>;
  table["amdg.extract_slice"] = lowerPart;
  table["rocdl.sched.barrier"] = lowerNothing;
  table["tt.dot_scaled"] = lowerScaledDot;
}

} // namespace gluonc::sim
