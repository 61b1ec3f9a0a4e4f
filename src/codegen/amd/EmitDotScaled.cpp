//===- EmitDotScaled.cpp - Products whose operands have scales ------------------------===//
//
// Unlike in other products, the place of an element along K counts: it says which scale is
// its own. A lane of an instruction holds runs of 16 bytes, those of the lanes of a line one
// behind the other, then the lanes' next runs. MFMA has the scale of block j in lane j of the
// line; WMMA all scales of a line in one register, in the lower or upper half of the lanes, or in
// both those of 32 lines.
// Sources: the ISA documents of CDNA 4 (section 7) and gfx1250; LLVM's IntrinsicsAMDGPU.td.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdEmitters.h"

#include "codegen/amd/WaveTiles.h"
#include "codegen/core/Words.h"
#include "ir/tt/DotScaled.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using gluonc::layout::Dim;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::amd {
namespace {

constexpr unsigned bytesOfRun = 16;

/// A register with a scale, or those of a line, and which part of it is meant.
struct ScaleRegister {
  Value *bits;
  unsigned select;
};

class WaveDotScaled {
public:
  WaveDotScaled(Emitter &emitter, tt::DotScaledOp op, const MatrixLayout &layout)
      : builder(emitter.builder), layout(layout),
        tiles(emitter, layout, op.getA(), op.getB(), op.getC()),
        left{tiles.left, op.getAElemType()}, right{tiles.right, op.getBElemType()},
        block(op.getScaleBlock()), total(op.getDepth()) {
    mlir::Value ofLeft = op.getAScale(), ofRight = op.getBScale();
    if (layout.transposed) {
      std::swap(ofLeft, ofRight);
      std::swap(left.format, right.format);
    }
    for (auto [side, scales] : {std::pair(&left, ofLeft), {&right, ofRight}}) {
      if (!scales)
        continue;
      side->scales.emplace(emitter, scales);
      side->isFloatScale = !mlir::getElementTypeOrSelf(scales.getType()).isInteger();
    }
  }

  /// False where the chip has no instruction for these types and layouts.
  bool choose() {
    bool isMfma = layout.family == Family::Mfma;
    bool isKnown = isMfma ? layout.version == 4 && layout.rows == layout.columns
                          : layout.version == 3 && layout.columns == 16 &&
                                (layout.rows == 16 || (isTall() && areOfFourBits()));
    if (!isKnown)
      return false;
    depth = isMfma && layout.rows == 32 ? 64 : 128;
    const unsigned lanes = isMfma ? target::amd::mfmaLanes : target::amd::wmmaLanes;
    lanesOfLine = lanes / layout.columns;
    return tiles.linesAgree() && stepsOf(left) == stepsOf(right) &&
           ((isInOrder(left) && isInOrder(right)) || keepsBlocks());
  }

  std::optional<Registers> emit() {
    SmallVector<uint32_t> bases = {1, 2};
    if (layout.family == Family::Wmma)
      bases.push_back(4);
    else if (layout.rows == 32)
      bases.append({8, 16});
    if (isTall())
      bases.push_back(16);
    return tiles.multiply(builder, bases,
                          [&](const Place &place, Value *sum) { return multiply(place, sum); });
  }

private:
  struct Side {
    const WaveOperand &operand;
    tt::ScaleDotElemType format;
    std::optional<Fragment> scales = std::nullopt;
    bool isFloatScale = false;

    unsigned bytes(unsigned elements) const {
      return format == tt::ScaleDotElemType::E2M1 ? elements / 2 : elements;
    }
  };

  /// Of WMMA, whose lanes hold two lines of the left operand, one in the first half of its words.
  bool isTall() const { return layout.rows > layout.columns; }
  bool areOfFourBits() const {
    return left.format == tt::ScaleDotElemType::E2M1 && right.format == tt::ScaleDotElemType::E2M1;
  }

  unsigned bytesOfLane(const Side &side) const { return side.bytes(depth) / lanesOfLine; }
  /// Where K is shorter than an instruction's, zeros follow.
  size_t stepsOf(const Side &side) const {
    return divideCeil(side.operand.alongK.size(), bytesOfLane(side));
  }

  /// Whether lanes hold of K what the instruction takes from them.
  bool isInOrder(const Side &side) const {
    const unsigned perLane = bytesOfLane(side);
    const size_t held = side.operand.alongK.size();
    if (held % std::min<size_t>(held, perLane) || held % bytesOfRun)
      return false;
    for (auto [i, k] : enumerate(side.operand.alongK)) {
      unsigned step = i / perLane, run = i % perLane / bytesOfRun;
      if (k != step * side.bytes(depth) + run * bytesOfRun * lanesOfLine + i % bytesOfRun)
        return false;
    }
    const Fragment &fragment = side.operand.fragment;
    const unsigned lines = Log2_32(layout.columns);
    for (unsigned bit = 0; bit < fragment.layout.inLog2(Dim::Lane); ++bit) {
      uint32_t wanted = bit < lines ? 0 : bytesOfRun << (bit - lines);
      uint32_t basis = fragment.basis(Dim::Lane, bit, side.operand.kDim);
      // Where one lane has all of a short K, the others count as zeros.
      if (basis != wanted && (basis || wanted < held))
        return false;
    }
    return true;
  }

  /// Whether both operands have K in one order, which leaves elements in the blocks of their
  /// scales: within those a sum does not care which of its terms is which.
  bool keepsBlocks() const {
    const WaveOperand &a = left.operand, &b = right.operand;
    const unsigned perLane = bytesOfLane(left), bytes = left.bytes(depth);
    const unsigned blockBytes = block * bytes / depth;
    if (bytes != right.bytes(depth) || a.alongK != b.alongK || a.alongK.size() % perLane)
      return false;
    const unsigned lines = Log2_32(layout.columns);
    for (unsigned bit = 0; bit < a.fragment.layout.inLog2(Dim::Lane); ++bit) {
      uint32_t basis = a.fragment.basis(Dim::Lane, bit, a.kDim);
      if (basis != b.fragment.basis(Dim::Lane, bit, b.kDim) || (bit < lines && basis))
        return false;
    }
    for (unsigned lane = 0; lane < lanesOfLine; ++lane)
      for (auto [i, k] : enumerate(a.alongK)) {
        unsigned run = i % perLane / bytesOfRun;
        unsigned taken = i / perLane * bytes + (run * lanesOfLine + lane) * bytesOfRun;
        uint32_t held = k;
        for (unsigned bit = 0; lane >> bit; ++bit)
          held ^= lane >> bit & 1 ? a.fragment.basis(Dim::Lane, lines + bit, a.kDim) : 0;
        if (held / blockBytes != taken / blockBytes)
          return false;
      }
    return true;
  }

  /// The codes of formats are the same for both families.
  Value *format(const Side &side) const {
    switch (side.format) {
    case tt::ScaleDotElemType::E4M3:
      return builder.getInt32(0);
    case tt::ScaleDotElemType::E5M2:
      return builder.getInt32(1);
    default:
      return builder.getInt32(4);
    }
  }

  /// The scales of the line at `place` for a step; nullopt where this lane has not what it should.
  std::optional<ScaleRegister> scale(const Side &side, const Place &place, unsigned step) const {
    if (!side.scales)
      return ScaleRegister{ones(), 0};
    return layout.family == Family::Mfma ? ownScale(side, place, step)
                                         : scalesOfLine(side, place, step);
  }

  unsigned blocksOfStep() const { return depth / block; }
  /// Blocks that there are of a line: fewer than those of a step where K is short.
  unsigned blocksOfLine() const { return std::max(1u, total / block); }

  /// Four times 2^0, or twice as many in the wide register for blocks of 16.
  Value *ones() const {
    constexpr uint64_t four = 0x7f7f7f7f;
    return blocksOfStep() > 4 ? builder.getInt64(four << 32 | four) : builder.getInt32(four);
  }

  /// Registers lie four to a word, in their order: so they come from memory.
  std::optional<ScaleRegister> ownScale(const Side &side, const Place &place, unsigned step) const {
    for (unsigned bit = 0; bit < Log2_32(lanesOfLine); ++bit)
      if (side.scales->basis(Dim::Lane, bit + Log2_32(layout.rows), 0) != 1u << bit)
        return std::nullopt;
    std::optional<uint32_t> found =
        side.scales->find({place.batch, side.operand.line(place), step * blocksOfStep()});
    if (!found)
      return std::nullopt;
    Registers four;
    for (uint32_t i = *found & ~3u; i < (*found & ~3u) + 4; ++i)
      four.push_back(i < side.scales->registers.size() ? side.scales->registers[i]
                                                       : builder.getInt8(0));
    return ScaleRegister{packWords(builder, four, builder.getInt32Ty())[0], *found & 3};
  }

  /// Those of a line whose own lanes have another's come from the other half.
  std::optional<ScaleRegister> scalesOfLine(const Side &side, const Place &place,
                                            unsigned step) const {
    uint32_t line = side.operand.line(place);
    uint32_t half = side.scales->basis(Dim::Lane, 4, 1);
    for (unsigned select : {0u, 1u}) {
      if (select && (!half || line < half))
        break;
      Registers blocks;
      for (unsigned i = 0; i < blocksOfStep(); ++i)
        if (i >= blocksOfLine())
          blocks.push_back(builder.getInt8(side.isFloatScale ? 0x38 : 0x7f));
        else if (std::optional<uint32_t> found = side.scales->find(
                     {place.batch, line - select * half, step * blocksOfStep() + i}))
          blocks.push_back(side.scales->registers[*found]);
      if (blocks.size() == blocksOfStep())
        return ScaleRegister{packWords(builder, blocks, builder.getIntNTy(8 * blocks.size()))[0],
                             select};
    }
    return std::nullopt;
  }

  /// What a lane holds of one line of an operand.
  std::optional<Registers> bytesOfLine(const Side &side, const Place &place, unsigned step) const {
    unsigned count = bytesOfLane(side);
    unsigned held = std::min<unsigned>(count, side.operand.alongK.size());
    std::optional<Registers> elements = side.operand.elements(place, step * count, held);
    if (elements)
      elements->resize(count, builder.getInt8(0));
    return elements;
  }

  Value *bytesAt(const Side &side, const Place &place, unsigned step) const {
    std::optional<Registers> elements = bytesOfLine(side, place, step);
    if (elements && isTall() && &side == &left) {
      Place below = place;
      uint32_t &line = layout.transposed ? below.column : below.row;
      line = (line + layout.columns) & (tiles.extents[layout.transposed ? 0 : 1] - 1);
      std::optional<Registers> second = bytesOfLine(side, below, step);
      if (!second)
        return nullptr;
      elements->append(*second);
    }
    return elements ? vectorOf(builder, packWords(builder, *elements, builder.getInt32Ty()))
                    : nullptr;
  }

  /// Null where an element is not there.
  Value *multiply(const Place &place, Value *sum) {
    for (unsigned step = 0; step < stepsOf(left); ++step) {
      Value *a = bytesAt(left, place, step), *b = bytesAt(right, place, step);
      std::optional<ScaleRegister> x = scale(left, place, step), y = scale(right, place, step);
      if (!a || !b || !x || !y)
        return nullptr;
      sum =
          layout.family == Family::Mfma ? callMfma(a, b, sum, *x, *y) : callWmma(a, b, sum, *x, *y);
    }
    return sum;
  }

  Value *callMfma(Value *a, Value *b, Value *sum, const ScaleRegister &x, const ScaleRegister &y) {
    Intrinsic::ID id = layout.rows == 32 ? Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4
                                         : Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4;
    return builder.CreateIntrinsic(sum->getType(), id,
                                   {a, b, sum, format(left), format(right),
                                    builder.getInt32(x.select), x.bits, builder.getInt32(y.select),
                                    y.bits});
  }

  /// Types of scales: 0 is a power of two, 2 is e4m3.
  Value *callWmma(Value *a, Value *b, Value *sum, const ScaleRegister &x, const ScaleRegister &y) {
    Intrinsic::ID id = block == 16 ? Intrinsic::amdgcn_wmma_scale16_f32_16x16x128_f8f6f4
                                   : Intrinsic::amdgcn_wmma_scale_f32_16x16x128_f8f6f4;
    auto type = [&](const Side &side) { return builder.getInt32(side.isFloatScale ? 2 : 0); };
    Value *none = builder.getInt16(0), *no = builder.getFalse();
    if (isTall())
      return builder.CreateIntrinsic(sum->getType(),
                                     block == 16 ? Intrinsic::amdgcn_wmma_scale16_f32_32x16x128_f4
                                                 : Intrinsic::amdgcn_wmma_scale_f32_32x16x128_f4,
                                     {a, b, none, sum, builder.getInt32(x.select), type(left),
                                      x.bits, builder.getInt32(y.select), type(right), y.bits, no,
                                      no});
    return builder.CreateIntrinsic(sum->getType(), id,
                                   {format(left), a, format(right), b, none, sum,
                                    builder.getInt32(x.select), type(left), x.bits,
                                    builder.getInt32(y.select), type(right), y.bits, no, no});
  }

  Builder &builder;
  MatrixLayout layout;
  WaveTiles tiles;
  Side left, right;
  /// Elements along K of an instruction, that share a scale, of the operands.
  unsigned depth = 0, block, total, lanesOfLine = 0;
};

LogicalResult emitDotScaled(Emitter &emitter, tt::DotScaledOp op) {
  std::optional<Registers> result;
  if (std::optional<MatrixLayout> layout = MatrixLayout::of(op.getC().getType())) {
    WaveDotScaled dot(emitter, op, *layout);
    if (dot.choose())
      result = dot.emit();
  }
  if (!result)
    return emitter.unsupported(op, "a dot with scales of these types in this layout");
  emitter.set(op.getResult(), std::move(*result));
  return success();
}

} // namespace

void addDotScaled(EmitTable &table) { table.add<emitDotScaled>(); }

} // namespace gluonc::codegen::amd
