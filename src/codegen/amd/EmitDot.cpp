//===- EmitDot.cpp - Matrix products of a wave -----------------------------------===//
//
// Along K, A and B only have to agree: what a lane holds of K is fed to instructions in
// ascending runs, and a sum does not care which of its terms is which.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/WaveTiles.h"
#include "codegen/core/Words.h"
#include "codegen/emit/DotFma.h"
#include "ir/amdg/MatrixElement.h"

using namespace llvm;
using gluonc::layout::Dim;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// How the elements of one instruction's sum lie in lane 0 along the dim that registers run over
/// (rows, unless transposed), lowest bit first.
SmallVector<uint32_t> sumBases(const MatrixLayout &layout, Element element) {
  if (layout.family == Family::Wmma) {
    if (layout.version == 1)
      return {2, 4, 8};
    return {1, 2, 4};
  }
  if (element == Element::F64)
    return {4, 8};
  if (layout.rows == 32)
    return {1, 2, 8, 16};
  return {1, 2};
}

class WaveDot {
public:
  WaveDot(Emitter &emitter, tt::DotOp op, const MatrixLayout &layout)
      : builder(emitter.builder), op(op), layout(layout),
        tiles(emitter, layout, op.getA(), op.getB(), op.getC()) {}

  /// False where the chip has no instruction for these types and layouts.
  bool choose() {
    std::optional<Element> a = elementOf(op.getA()), b = elementOf(op.getB()),
                           sum = elementOf(op.getC());
    if (!a || !b || !sum || !lanesAgree())
      return false;
    if (layout.transposed)
      std::swap(*a, *b);
    bool tf32 = *a == Element::F32 && op.getInputPrecision() == tt::InputPrecision::TF32;
    int64_t depth = cast<mlir::RankedTensorType>(op.getA().getType()).getShape().back();
    std::optional<target::amd::MatrixInstruction> found =
        layout.family == Family::Mfma
            ? target::amd::mfma(layout.version, layout.rows, layout.columns, depth, *a, *b, *sum,
                                tf32)
            : target::amd::wmma(layout.version, std::min<int64_t>(depth, layout.depth), *a, *b,
                                *sum);
    if (!found || tiles.left.alongK.size() % found->perLane)
      return false;
    perLane = found->perLane;
    element = *a;
    intrinsic = matrixIntrinsic(layout.family, layout.rows, found->k, *a, *b, tf32);
    return intrinsic.has_value();
  }

  std::optional<Registers> emit() {
    return tiles.multiply(builder, sumBases(layout, element),
                          [&](const Place &place, Value *sum) { return multiply(place, sum); });
  }

private:
  static std::optional<Element> elementOf(mlir::Value operand) {
    return amdg::matrixElement(mlir::getElementTypeOrSelf(operand.getType()));
  }

  /// The lanes of A and B hold the same of K, and lie as those of sums do.
  bool lanesAgree() const {
    if (tiles.left.alongK != tiles.right.alongK)
      return false;
    const Fragment &left = tiles.left.fragment, &right = tiles.right.fragment;
    for (unsigned bit = 0; bit < left.layout.inLog2(Dim::Lane); ++bit)
      if (left.basis(Dim::Lane, bit, tiles.left.kDim) !=
          right.basis(Dim::Lane, bit, tiles.right.kDim))
        return false;
    return tiles.linesAgree();
  }

  Value *pack(ArrayRef<Value *> elements) {
    if (intrinsic->packing == Packing::Elements)
      return vectorOf(builder, elements);
    if (intrinsic->packing == Packing::Shorts) {
      SmallVector<Value *> shorts;
      for (Value *element : elements)
        shorts.push_back(builder.CreateBitCast(element, builder.getInt16Ty()));
      return vectorOf(builder, shorts);
    }
    Registers words = packWords(builder, elements, builder.getInt32Ty());
    Value *vector = vectorOf(builder, words);
    // MFMA takes eight bytes as one number.
    bool isNumber = layout.family == Family::Mfma && words.size() == 2;
    return isNumber ? builder.CreateBitCast(vector, builder.getInt64Ty()) : vector;
  }

  /// With the operands beside the matrices as this instruction has them: formats, signs, hints.
  Value *call(Value *a, Value *b, Value *c) {
    auto no = [&] { return builder.getFalse(); };
    Value *none = builder.getInt32(0), *signedNumbers = builder.getTrue();
    Intrinsic::ID id = intrinsic->id;
    if (layout.family == Family::Mfma) {
      return builder.CreateIntrinsic(c->getType(), id, {a, b, c, none, none, none});
    }
    SmallVector<Value *> operands;
    bool isInteger = element == Element::I8;
    bool isNewest = layout.version == 3;
    bool isSmallFloat = element == Element::E4M3 || element == Element::E5M2;
    if (isInteger)
      operands = {signedNumbers, a, signedNumbers, b, c};
    else if (isNewest && !isSmallFloat)
      operands = {no(), a, no(), b, builder.getInt16(0), c};
    else if (isNewest)
      operands = {a, b, builder.getInt16(0), c};
    else
      operands = {a, b, c};
    if (isNewest)
      operands.append({no(), no()});
    if (isInteger)
      operands.push_back(no());
    return builder.CreateIntrinsic(c->getType(), id, operands);
  }

  /// Null where an element is not there.
  Value *multiply(const Place &place, Value *sum) {
    for (unsigned first = 0; first < tiles.left.alongK.size(); first += perLane) {
      std::optional<Registers> a = tiles.left.elements(place, first, perLane);
      std::optional<Registers> b = tiles.right.elements(place, first, perLane);
      if (!a || !b)
        return nullptr;
      sum = call(pack(*a), pack(*b), sum);
    }
    return sum;
  }

  Builder &builder;
  mutable tt::DotOp op;
  const MatrixLayout &layout;
  WaveTiles tiles;
  /// Of each operand, in a lane of one instruction.
  unsigned perLane = 0;
  /// Of the instruction's A.
  Element element = Element::F16;
  std::optional<MatrixIntrinsic> intrinsic;
};

LogicalResult emitDot(Emitter &emitter, tt::DotOp op) {
  std::optional<MatrixLayout> layout = MatrixLayout::of(op.getC().getType());
  if (!layout)
    return emitDotFma(emitter, op);
  WaveDot dot(emitter, op, *layout);
  std::optional<Registers> result;
  if (dot.choose())
    result = dot.emit();
  if (!result)
    return emitter.unsupported(op, "a dot of these types in this layout");
  emitter.set(op.getResult(), std::move(*result));
  return success();
}

} // namespace

void addDot(EmitTable &table) { table.add<emitDot>(); }

} // namespace gluonc::codegen::amd
