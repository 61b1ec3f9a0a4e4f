//===- EmitDot.cpp - Matrix products of a wave -----------------------------------===//
//
// The layouts of operands and sums put into each lane exactly the registers that an
// instruction wants of it. Which register is which operand is found by the coordinates
// that it has in lane 0; the other lanes' differ by the same amounts for all registers.
//
// Along K, A and B only have to agree: what a lane holds of K is fed to instructions in
// ascending runs, and a sum does not care which of its terms is which.
//
// A transposed layout is the product of the transposed operands, in exchanged places.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/EmitDot.h"

#include "codegen/amd/MatrixInstructions.h"
#include "codegen/core/Fragment.h"
#include "codegen/core/Words.h"
#include "codegen/emit/DotFma.h"
#include "ir/Encoding.h"

using namespace llvm;
using gluonc::layout::Dim;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

/// What both families' layouts say.
struct MatrixLayout {
  Family family;
  int64_t version;
  bool transposed;
  unsigned rows, columns;

  static std::optional<MatrixLayout> of(mlir::RankedTensorType type) {
    std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
    if (!layout)
      return std::nullopt;
    auto make = [](Family family, const auto &named) {
      const layout::Ints &shape = named.instrShape;
      return MatrixLayout{family, named.version, named.transposed, unsigned(shape[0]),
                          unsigned(shape[1])};
    };
    if (const auto *mfma = layout->as<layout::AMDMFMALayout>())
      return make(Family::Mfma, *mfma);
    if (const auto *wmma = layout->as<layout::AMDWMMALayout>())
      return make(Family::Wmma, *wmma);
    return std::nullopt;
  }
};

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
      : emitter(emitter), builder(emitter.builder), op(op), layout(layout),
        left(emitter, layout.transposed ? op.getB() : op.getA()),
        right(emitter, layout.transposed ? op.getA() : op.getB()), sums(emitter, op.getC()) {}

  /// False where the chip has no instruction for these types and layouts.
  bool choose() {
    std::optional<Element> a = elementOf(op.getA()), b = elementOf(op.getB()),
                           sum = elementOf(op.getC());
    if (!a || !b || !sum)
      return false;
    steps = elementsAlongK(left, leftDim());
    if (steps != elementsAlongK(right, rightDim()) || !lanesAgree())
      return false;
    if (layout.transposed)
      std::swap(*a, *b);
    bool tf32 = *a == Element::F32 && op.getInputPrecision() == tt::InputPrecision::TF32;
    int64_t depth = cast<mlir::RankedTensorType>(op.getA().getType()).getShape().back();
    std::optional<target::amd::MatrixInstruction> found =
        layout.family == Family::Mfma ? target::amd::mfma(layout.version, layout.rows,
                                                          layout.columns, depth, *a, *b, *sum, tf32)
                                      : target::amd::wmma(layout.version, depth, *a, *b, *sum);
    if (!found || steps.size() % found->perLane)
      return false;
    perLane = found->perLane;
    element = *a;
    intrinsic = matrixIntrinsic(layout.family, layout.rows, found->k, *a, *b, tf32);
    bases = sumBases(layout, *a);
    return intrinsic.has_value();
  }

  std::optional<Registers> emit() {
    Registers result = sums.registers;
    unsigned covered = 0;
    for (const auto &[place, reg] : sums.places()) {
      if (!beginsTile(place))
        continue;
      SmallVector<uint32_t> tile;
      for (uint32_t i = 0; i < 1u << bases.size(); ++i) {
        std::optional<uint32_t> found = sums.find(along(place, i));
        if (!found)
          return std::nullopt;
        tile.push_back(*found);
      }
      covered += tile.size();
      if (!multiply(place, tile, result))
        return std::nullopt;
    }
    if (covered != result.size())
      return std::nullopt;
    return result;
  }

private:
  /// The dim of K, counted from the last, in the operand that feeds rows and columns.
  unsigned leftDim() const { return layout.transposed ? 1 : 0; }
  unsigned rightDim() const { return layout.transposed ? 0 : 1; }

  static std::optional<Element> elementOf(mlir::Value operand) {
    mlir::Type type = mlir::getElementTypeOrSelf(operand.getType());
    if (type.isF64())
      return Element::F64;
    if (type.isF32())
      return Element::F32;
    if (type.isF16())
      return Element::F16;
    if (type.isBF16())
      return Element::BF16;
    if (type.isInteger(8))
      return Element::I8;
    if (type.isInteger(32))
      return Element::I32;
    if (isa<mlir::Float8E4M3FNType>(type))
      return Element::E4M3;
    if (isa<mlir::Float8E5M2Type>(type))
      return Element::E5M2;
    if (isa<mlir::Float8E4M3FNUZType>(type))
      return Element::E4M3Fnuz;
    if (isa<mlir::Float8E5M2FNUZType>(type))
      return Element::E5M2Fnuz;
    return std::nullopt;
  }

  static uint32_t coordinate(const Place &place, unsigned fromLast) {
    return fromLast == 0 ? place.column : place.row;
  }

  /// What lane 0 holds of K in its first row (or column).
  static SmallVector<uint32_t> elementsAlongK(const Fragment &operand, unsigned kDim) {
    SmallVector<uint32_t> elements;
    for (const auto &[place, reg] : operand.places())
      if (place.batch == 0 && coordinate(place, 1 - kDim) == 0)
        elements.push_back(coordinate(place, kDim));
    llvm::sort(elements);
    return elements;
  }

  /// The lanes of A and B hold the same of K, and lie along rows and columns as those of sums do.
  bool lanesAgree() const {
    const unsigned outer = layout.transposed ? 0 : 1, inner = 1 - outer;
    for (unsigned bit = 0; bit < left.layout.inLog2(Dim::Lane); ++bit) {
      if (left.basis(Dim::Lane, bit, leftDim()) != right.basis(Dim::Lane, bit, rightDim()))
        return false;
      uint32_t row = left.basis(Dim::Lane, bit, 1 - leftDim());
      uint32_t column = right.basis(Dim::Lane, bit, 1 - rightDim());
      bool isAcross = (1u << bit) < layout.columns;
      if (isAcross && (row != 1u << bit || column != 1u << bit ||
                       sums.basis(Dim::Lane, bit, inner) != 1u << bit))
        return false;
      if (!isAcross && (row || column || sums.basis(Dim::Lane, bit, inner) ||
                        !isPowerOf2_32(sums.basis(Dim::Lane, bit, outer))))
        return false;
    }
    return true;
  }

  /// `place` and the i-th element of its tile.
  Place along(Place place, uint32_t i) const {
    for (auto [bit, basis] : enumerate(bases))
      if (i >> bit & 1)
        (layout.transposed ? place.column : place.row) += basis;
    return place;
  }

  bool beginsTile(const Place &place) const {
    uint32_t rows = layout.rows, columns = layout.columns;
    return place.row % rows == 0 && place.column % columns == 0;
  }

  /// `count` elements of K from the one numbered `first`, as the instruction wants them; null where
  /// they are not there.
  Value *operand(const Fragment &from, unsigned kDim, Place place, unsigned first) {
    SmallVector<Value *> elements;
    for (unsigned i = 0; i < perLane; ++i) {
      (kDim == 0 ? place.column : place.row) = steps[first + i];
      std::optional<uint32_t> found = from.find(place);
      if (!found)
        return nullptr;
      elements.push_back(from.registers[*found]);
    }
    return pack(elements);
  }

  Value *vectorOf(ArrayRef<Value *> values) {
    if (values.size() == 1)
      return values[0];
    Value *vector = PoisonValue::get(FixedVectorType::get(values[0]->getType(), values.size()));
    for (auto [i, value] : enumerate(values))
      vector = builder.CreateInsertElement(vector, value, i);
    return vector;
  }

  Value *pack(ArrayRef<Value *> elements) {
    if (intrinsic->packing == Packing::Elements)
      return vectorOf(elements);
    if (intrinsic->packing == Packing::Shorts) {
      SmallVector<Value *> shorts;
      for (Value *element : elements)
        shorts.push_back(builder.CreateBitCast(element, builder.getInt16Ty()));
      return vectorOf(shorts);
    }
    Registers words = packWords(builder, elements, builder.getInt32Ty());
    Value *vector = vectorOf(words);
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
    else if (isInteger)
      operands.push_back(no());
    return builder.CreateIntrinsic(c->getType(), id, operands);
  }

  bool multiply(const Place &place, ArrayRef<uint32_t> tile, Registers &result) {
    SmallVector<Value *> initial;
    for (uint32_t reg : tile)
      initial.push_back(sums.registers[reg]);
    Value *sum = vectorOf(initial);
    for (unsigned first = 0; first < steps.size(); first += perLane) {
      Value *a = operand(left, leftDim(), place, first);
      Value *b = operand(right, rightDim(), place, first);
      if (!a || !b)
        return false;
      sum = call(a, b, sum);
    }
    for (auto [i, reg] : enumerate(tile))
      result[reg] = builder.CreateExtractElement(sum, i);
    return true;
  }

  Emitter &emitter;
  Builder &builder;
  mutable tt::DotOp op;
  const MatrixLayout &layout;
  /// What the instruction takes as A and B.
  Fragment left, right, sums;
  /// What each lane holds of K, in lane 0.
  SmallVector<uint32_t> steps;
  SmallVector<uint32_t> bases;
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
