//===- EmitScales.cpp - Conversions with scales, parts of tensors ---------------------===//
//
// A number and the power of two that scales it make a number of f32 without rounding; the
// result is rounded once. A lane has the scales of its elements. gfx1250 converts eight
// numbers with one scale at once.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"
#include "codegen/amd/AmdIsa.h"
#include "codegen/amd/ScaledEights.h"

#include "codegen/core/RegisterIndex.h"
#include "codegen/emit/SmallFloats.h"
#include "ir/amdg/AmdOps.h"
#include "target/Features.h"

#include "llvm/ADT/BitVector.h"

using namespace llvm;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// A byte is an exponent plus 127: 0 is a subnormal number, 255 none.
Value *scaleAsFloat(Builder &builder, Value *scale) {
  if (!scale->getType()->isIntegerTy())
    return builder.CreateFPExt(scale, builder.getFloatTy());
  Value *exponent = builder.CreateZExt(scale, builder.getInt32Ty());
  Value *bits = builder.CreateShl(exponent, 23);
  bits = builder.CreateSelect(builder.CreateICmpEQ(exponent, builder.getInt32(0)),
                              builder.getInt32(0x00400000), bits);
  bits = builder.CreateSelect(builder.CreateICmpEQ(exponent, builder.getInt32(255)),
                              builder.getInt32(0x7fc00000), bits);
  return builder.CreateBitCast(bits, builder.getFloatTy());
}

/// Finds the scale of an element and, for packed ones, the byte that has it.
struct ScaledElements {
  RegisterIndex wide, packed, scales;
  unsigned axis;
  /// Elements that share a scale; 1 where each has one.
  int64_t block;
  bool arePairs;

  ScaledElements(Emitter &emitter, mlir::Value wideValue, mlir::Value packedValue,
                 mlir::Value scaleValue, std::optional<unsigned> along)
      : wide(emitter, typeOf(wideValue)), packed(emitter, typeOf(packedValue)),
        scales(emitter, typeOf(scaleValue)), axis(along.value_or(0)),
        block(along ? typeOf(wideValue).getDimSize(axis) / typeOf(scaleValue).getDimSize(axis) : 1),
        arePairs(mlir::getElementTypeOrSelf(packedValue.getType()).isInteger(8)) {}

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return cast<mlir::RankedTensorType>(value.getType());
  }
  std::optional<unsigned> scaleOf(Coords coords) const {
    coords[axis] /= block;
    return scales.find(coords);
  }
};

constexpr unsigned eight = 8;

/// Registers of eight neighbours in their order, in which the instructions take them.
struct Eight {
  SmallVector<unsigned, eight> packed;
  SmallVector<unsigned, eight> wide;
  /// Of each number.
  SmallVector<unsigned, eight> scales;
};

/// The chips that have products of 32 lanes with scales have these instructions.
bool hasEights(Emitter &emitter, mlir::Value scale) {
  return target::has(emitter.state.target, target::Feature::ScaledWmma) &&
         mlir::getElementTypeOrSelf(scale.getType()).isInteger(8);
}

/// All of a tensor's registers, in eights; empty if they do not come so.
SmallVector<Eight> findEights(Emitter &emitter, const ScaledElements &elements,
                              mlir::Value packed) {
  SmallVector<Eight> found;
  const unsigned bytes = elements.arePairs ? eight / 2 : eight;
  const unsigned registers = emitter.types.registerCount(packed.getType());
  if (registers % bytes)
    return {};
  for (unsigned first = 0; first < registers; first += bytes) {
    Eight &next = found.emplace_back();
    for (unsigned reg = first; reg < first + bytes; ++reg) {
      next.packed.push_back(reg);
      for (unsigned half = 0; half < eight / bytes; ++half) {
        Coords coords = elements.packed.coordsOf(reg);
        if (elements.arePairs)
          coords[elements.axis] = 2 * coords[elements.axis] + half;
        std::optional<unsigned> wide = elements.wide.find(coords);
        std::optional<unsigned> scale = elements.scaleOf(coords);
        if (!wide || !scale)
          return {};
        next.wide.push_back(*wide);
        next.scales.push_back(*scale);
      }
    }
  }
  return found;
}

/// Registers that hold copies of others' numbers are in none.
bool areAllIn(ArrayRef<Eight> eights, unsigned registers) {
  BitVector found(registers);
  for (const Eight &next : eights)
    for (unsigned reg : next.wide)
      found.set(reg);
  return found.all();
}

Registers pick(ArrayRef<Value *> values, ArrayRef<unsigned> registers) {
  Registers picked;
  for (unsigned reg : registers)
    picked.push_back(values[reg]);
  return picked;
}

/// What lanes that are 16 apart hold lies at the same places.
bool halvesAgree(Emitter &emitter, mlir::Value scale) {
  const layout::LinearLayout &layout = emitter.types.layoutOf(scale.getType());
  return layout.applyPacked(layout.packIn({{layout::Dim::Lane, 16}})) == 0;
}

/// The upcasts of `eights`; the first scale of each is that of all.
Registers upcastEights(Emitter &emitter, ArrayRef<Eight> eights, mlir::Value input,
                       mlir::Value scale, const EightUpcasts &form, Type *to, unsigned registers) {
  Registers results(registers);
  for (const Eight &next : eights) {
    Registers numbers =
        form.emit(emitter.builder, emitter.isa, pick(emitter.get(input), next.packed),
                  emitter.get(scale)[next.scales[0]], to);
    for (auto [reg, number] : zip_equal(next.wide, numbers))
      results[reg] = number;
  }
  return results;
}

/// One by one; empty where an element or a scale is not in its thread.
Registers upcastEach(Emitter &emitter, const ScaledElements &elements, mlir::Value input,
                     mlir::Value scales, Type *type, unsigned registers) {
  Builder &builder = emitter.builder;
  std::optional<FloatKind> kind = floatKind(mlir::getElementTypeOrSelf(input.getType()));
  Registers results;
  for (unsigned reg = 0; reg < registers; ++reg) {
    Coords coords = elements.wide.coordsOf(reg), at = coords;
    if (elements.arePairs)
      at[elements.axis] /= 2;
    std::optional<unsigned> from = elements.packed.find(at), scale = elements.scaleOf(coords);
    if (!from || !scale)
      return {};
    Value *byte = emitter.get(input)[*from];
    Value *number = elements.arePairs
                        ? unpackFp4(builder, byte, coords[elements.axis] % 2, builder.getFloatTy())
                        : emitter.isa.convertFloat(builder, byte, *kind, FloatKind::F32, false);
    Value *scaled = builder.CreateFMul(number, scaleAsFloat(builder, emitter.get(scales)[*scale]));
    results.push_back(builder.CreateFPTrunc(scaled, type));
  }
  return results;
}

template <typename Op> LogicalResult upcast(Emitter &emitter, Op op, std::optional<unsigned> axis) {
  Builder &builder = emitter.builder;
  ScaledElements elements(emitter, op.getOutput(), op.getInput(), op.getScale(), axis);
  Type *type = emitter.types.ofElement(mlir::getElementTypeOrSelf(op.getOutput().getType()));
  const unsigned registers = emitter.types.registerCount(op.getOutput().getType());
  auto oneByOne = [&] {
    return upcastEach(emitter, elements, op.getInput(), op.getScale(), type, registers);
  };
  SmallVector<Eight> eights;
  if (hasEights(emitter, op.getScale()))
    eights = findEights(emitter, elements, op.getInput());
  Registers results;
  if (eights.empty() || !areAllIn(eights, registers)) {
    results = oneByOne();
    if (results.empty())
      return emitter.unsupported(op);
  } else {
    SmallVector<SmallVector<Value *, eight>> scales;
    for (const Eight &next : eights)
      scales.emplace_back(pick(emitter.get(op.getScale()), next.scales));
    Value *differ = anyScalesDiffer(builder, scales);
    EightUpcasts form;
    form.arePairs = elements.arePairs;
    form.areE5M2 =
        floatKind(mlir::getElementTypeOrSelf(op.getInput().getType())) == FloatKind::E5M2;
    form.halvesAgree = halvesAgree(emitter, op.getScale());
    results = upcastEights(emitter, eights, op.getInput(), op.getScale(), form, type, registers);
    auto *known = dyn_cast<ConstantInt>(differ);
    if (!known || !known->isZero())
      results = underMask(builder, differ, results, oneByOne);
  }
  emitter.set(op.getOutput(), std::move(results));
  return success();
}

LogicalResult emitUpcastFp4(Emitter &emitter, amdg::ScaledUpcastFp4Op op) {
  return upcast(emitter, op, op.getAxis());
}
LogicalResult emitUpcastFp8(Emitter &emitter, amdg::ScaledUpcastFp8Op op) {
  return upcast(emitter, op, std::nullopt);
}

/// By its scale, in f64, which holds every such quotient.
Value *divided(Builder &builder, Value *number, Value *scale) {
  Value *wide = builder.CreateFPExt(number, builder.getDoubleTy());
  Value *power = builder.CreateFPExt(scaleAsFloat(builder, scale), builder.getDoubleTy());
  return builder.CreateFDiv(wide, power);
}

/// The number at `coords` of the wide tensor over its scale; null where one is not in its thread.
Value *quotientAt(Emitter &emitter, const ScaledElements &elements, mlir::Value input,
                  mlir::Value scales, const Coords &coords) {
  std::optional<unsigned> from = elements.wide.find(coords), scale = elements.scaleOf(coords);
  if (!from || !scale)
    return nullptr;
  return divided(emitter.builder, emitter.get(input)[*from], emitter.get(scales)[*scale]);
}

/// The byte of a register of the packed tensor, of one number or of two; null as above.
Value *downcastByte(Emitter &emitter, const ScaledElements &elements, mlir::Value input,
                    mlir::Value scales, FloatKind kind, unsigned reg) {
  Builder &builder = emitter.builder;
  Coords coords = elements.packed.coordsOf(reg);
  if (!elements.arePairs) {
    Value *number = quotientAt(emitter, elements, input, scales, coords);
    return number ? emitter.isa.convertFloat(builder, number, FloatKind::F64, kind, false)
                  : nullptr;
  }
  Value *byte = builder.getInt8(0);
  coords[elements.axis] *= 2;
  for (unsigned half : {0u, 1u}) {
    Value *number = quotientAt(emitter, elements, input, scales, coords);
    if (!number)
      return nullptr;
    Value *bits = narrowToSmall(builder, roundToOdd(builder, number), smallE2M1);
    byte = builder.CreateOr(byte, builder.CreateShl(bits, 4 * half));
    ++coords[elements.axis];
  }
  return byte;
}

template <typename Op> LogicalResult downcast(Emitter &emitter, Op op) {
  Builder &builder = emitter.builder;
  ScaledElements elements(emitter, op.getInput(), op.getOutput(), op.getScale(), op.getAxis());
  std::optional<FloatKind> small = floatKind(mlir::getElementTypeOrSelf(op.getOutput().getType()));
  const FloatKind kind = small.value_or(FloatKind::E4M3);
  const unsigned registers = emitter.types.registerCount(op.getOutput().getType());
  auto byteOf = [&](unsigned reg) {
    return downcastByte(emitter, elements, op.getInput(), op.getScale(), kind, reg);
  };
  SmallVector<Eight> eights;
  if (hasEights(emitter, op.getScale()))
    eights = findEights(emitter, elements, op.getOutput());
  EightDowncasts form{elements.arePairs, kind == FloatKind::E5M2};
  Registers results(registers);
  for (const Eight &next : eights) {
    if (!all_equal(next.scales))
      continue;
    Registers numbers = pick(emitter.get(op.getInput()), next.wide);
    Value *scale = emitter.get(op.getScale())[next.scales[0]];
    Registers fast = form.emit(builder, numbers, scale);
    Registers bytes = underMask(builder, form.leaveRange(builder, numbers, scale), fast, [&] {
      Registers exact;
      for (unsigned reg : next.packed)
        exact.push_back(byteOf(reg));
      return exact;
    });
    for (auto [reg, byte] : zip_equal(next.packed, bytes))
      results[reg] = byte;
  }
  for (unsigned reg = 0; reg < registers; ++reg) {
    if (!results[reg])
      results[reg] = byteOf(reg);
    if (!results[reg])
      return emitter.unsupported(op);
  }
  emitter.set(op.getOutput(), std::move(results));
  return success();
}

LogicalResult emitDowncastFp8(Emitter &emitter, amdg::ScaledDowncastFp8Op op) {
  return downcast(emitter, op);
}
LogicalResult emitDowncastFp4(Emitter &emitter, amdg::ScaledDowncastFp4Op op) {
  return downcast(emitter, op);
}

/// No element changes its lane: those of the part are registers of the whole.
LogicalResult emitExtractSlice(Emitter &emitter, amdg::ExtractSliceOp op) {
  RegisterIndex whole(emitter, cast<mlir::RankedTensorType>(op.getSource().getType()));
  RegisterIndex part(emitter, cast<mlir::RankedTensorType>(op.getResult().getType()));
  Registers results;
  for (unsigned reg = 0; reg < emitter.types.registerCount(op.getResult().getType()); ++reg) {
    Coords coords = part.coordsOf(reg);
    for (auto [coord, offset] : zip_equal(coords, op.getStaticOffsets()))
      coord += offset;
    std::optional<unsigned> from = whole.find(coords);
    if (!from)
      return emitter.unsupported(op);
    results.push_back(emitter.get(op.getSource())[*from]);
  }
  emitter.set(op.getResult(), std::move(results));
  return success();
}

} // namespace

void addScales(EmitTable &table) {
  table.add<emitUpcastFp4>();
  table.add<emitUpcastFp8>();
  table.add<emitDowncastFp8>();
  table.add<emitDowncastFp4>();
  table.add<emitExtractSlice>();
}

} // namespace gluonc::codegen::amd
