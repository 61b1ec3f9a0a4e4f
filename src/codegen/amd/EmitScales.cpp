//===- EmitScales.cpp - Conversions with scales, parts of tensors ---------------------===//
//
// A number and the power of two that scales it make a number of f32 without rounding; the
// result is rounded once. A lane has the scales of its elements.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/core/RegisterIndex.h"
#include "codegen/emit/SmallFloats.h"
#include "ir/amdg/AmdOps.h"

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

template <typename Op> LogicalResult upcast(Emitter &emitter, Op op, std::optional<unsigned> axis) {
  Builder &builder = emitter.builder;
  ScaledElements elements(emitter, op.getOutput(), op.getInput(), op.getScale(), axis);
  std::optional<FloatKind> kind = floatKind(mlir::getElementTypeOrSelf(op.getInput().getType()));
  Type *type = emitter.types.ofElement(mlir::getElementTypeOrSelf(op.getOutput().getType()));
  Registers results;
  for (unsigned reg = 0; reg < emitter.types.registerCount(op.getOutput().getType()); ++reg) {
    Coords coords = elements.wide.coordsOf(reg), at = coords;
    if (elements.arePairs)
      at[elements.axis] /= 2;
    std::optional<unsigned> from = elements.packed.find(at), scale = elements.scaleOf(coords);
    if (!from || !scale)
      return emitter.unsupported(op);
    Value *byte = emitter.get(op.getInput())[*from];
    Value *number = elements.arePairs
                        ? unpackFp4(builder, byte, coords[elements.axis] % 2, builder.getFloatTy())
                        : emitter.isa.convertFloat(builder, byte, *kind, FloatKind::F32, false);
    Value *scaled =
        builder.CreateFMul(number, scaleAsFloat(builder, emitter.get(op.getScale())[*scale]));
    results.push_back(builder.CreateFPTrunc(scaled, type));
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

LogicalResult emitDowncastFp8(Emitter &emitter, amdg::ScaledDowncastFp8Op op) {
  Builder &builder = emitter.builder;
  ScaledElements elements(emitter, op.getInput(), op.getOutput(), op.getScale(), op.getAxis());
  FloatKind kind = *floatKind(mlir::getElementTypeOrSelf(op.getOutput().getType()));
  Registers results;
  for (unsigned reg = 0; reg < emitter.types.registerCount(op.getOutput().getType()); ++reg) {
    Coords coords = elements.packed.coordsOf(reg);
    std::optional<unsigned> from = elements.wide.find(coords), scale = elements.scaleOf(coords);
    if (!from || !scale)
      return emitter.unsupported(op);
    Value *number =
        divided(builder, emitter.get(op.getInput())[*from], emitter.get(op.getScale())[*scale]);
    results.push_back(emitter.isa.convertFloat(builder, number, FloatKind::F64, kind, false));
  }
  emitter.set(op.getOutput(), std::move(results));
  return success();
}

LogicalResult emitDowncastFp4(Emitter &emitter, amdg::ScaledDowncastFp4Op op) {
  Builder &builder = emitter.builder;
  ScaledElements elements(emitter, op.getInput(), op.getOutput(), op.getScale(), op.getAxis());
  Registers results;
  for (unsigned reg = 0; reg < emitter.types.registerCount(op.getOutput().getType()); ++reg) {
    Value *byte = builder.getInt8(0);
    for (unsigned half : {0u, 1u}) {
      Coords coords = elements.packed.coordsOf(reg);
      coords[elements.axis] = 2 * coords[elements.axis] + half;
      std::optional<unsigned> from = elements.wide.find(coords), scale = elements.scaleOf(coords);
      if (!from || !scale)
        return emitter.unsupported(op);
      Value *number =
          divided(builder, emitter.get(op.getInput())[*from], emitter.get(op.getScale())[*scale]);
      Value *bits = narrowToSmall(builder, roundToOdd(builder, number), smallE2M1);
      byte = builder.CreateOr(byte, builder.CreateShl(bits, 4 * half));
    }
    results.push_back(byte);
  }
  emitter.set(op.getOutput(), std::move(results));
  return success();
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
