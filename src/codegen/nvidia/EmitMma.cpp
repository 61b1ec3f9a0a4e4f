//===- EmitMma.cpp - Matrix products of a warp: mma.sync -----------------------===//
//
// One instruction multiplies 16 rows of A by 8 columns of B (8 by 8 for f64). Of
// its operands, thread 4g+t holds, in 32-bit words,
//
//   A   row g, g+8   words t and t+4 along K        4 words
//   B   column g     words t and t+4 along K        2 words
//   C   row g, g+8   columns 2t and 2t+1            4 elements
//
// and the dot operand layouts place exactly these registers in the thread, for
// as many rows, columns and words as the tensors have. So nothing moves: the
// emitter looks up registers by the coordinates that they have in thread 0, and
// says which of them are the words of which instruction.
//
// A larger k_width only renames K: a thread then has neighbouring words where
// the instruction speaks of t and t+4, in A and in B alike, and a sum does not
// care about the order of its terms. So the words of K are simply taken in pairs.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/Words.h"
#include "codegen/emit/DotFma.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/Operands.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "target/Features.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using gluonc::layout::Dim;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace mma = target::nvidia::mma;
using target::nvidia::MatrixElement;

namespace {

/// One mma.sync instruction.
struct Instruction {
  /// From `m16n8k16` to the end, with the types.
  std::string name;
  unsigned rows, elementsPerWord;
  /// Type of an operand word, and of a word of the accumulator.
  Type *operandWord, *sumWord;
  unsigned sumsPerWord;
};

/// Of operands and sum; nullopt where tensor cores do not know one of them.
struct Elements {
  MatrixElement a, b, sum;

  static std::optional<Elements> of(tt::DotOp op) {
    auto a = ttng::matrixElement(op.getA().getType().getElementType());
    auto b = ttng::matrixElement(op.getB().getType().getElementType());
    auto sum = ttng::matrixElement(op.getC().getType().getElementType());
    return a && b && sum ? std::optional<Elements>({*a, *b, *sum}) : std::nullopt;
  }

  /// Whether mma.sync takes them.
  bool areSupported(const target::Target &target) const {
    return mma::multiplies(a, b, sum) &&
           (!isFloat8(a) || target::has(target, target::Feature::MmaSyncFp8));
  }
};

Instruction instructionFor(Builder &builder, const Elements &elements, unsigned bits) {
  Instruction result;
  auto [a, b, sum] = elements;
  bool isDouble = a == MatrixElement::F64;
  result.rows = mma::rows(a);
  result.elementsPerWord = isDouble ? 1 : target::nvidia::matrixWordBits / bits;
  result.operandWord = isDouble ? builder.getDoubleTy() : builder.getInt32Ty();
  result.sumWord = isDouble                    ? builder.getDoubleTy()
                   : sum == MatrixElement::F32 ? builder.getFloatTy()
                                               : builder.getInt32Ty();
  result.sumsPerWord = sum == MatrixElement::F16 ? 2 : 1;
  raw_string_ostream out(result.name);
  out << "m" << result.rows << "n" << mma::columns << "k" << mma::depth(a, bits) << ".row.col"
      << (a == MatrixElement::I8 ? ".satfinite" : "") << "." << sumName(sum) << "."
      << operandName(a) << "." << operandName(b) << "." << sumName(sum);
  return result;
}

/// Emits one operation.
class WarpDot {
public:
  WarpDot(Emitter &emitter, tt::DotOp op, const Elements &elements)
      : builder(emitter.builder), a(emitter, op.getA()), b(emitter, op.getB()),
        c(emitter, op.getC()),
        instruction(instructionFor(builder, elements,
                                   op.getA().getType().getElementType().getIntOrFloatBitWidth())) {}

  /// Whether the lanes and warps hold what the instruction wants them to.
  bool fits() const {
    uint32_t width = a.basis(Dim::Lane, 0, 0);
    if (width < instruction.elementsPerWord || width % instruction.elementsPerWord ||
        !hasLanes(a, 0, width) || !hasLanes(b, 1, width) || !hasLanes(c, 0, 2))
      return false;
    for (unsigned bit = 0; bit < c.layout.inLog2(Dim::Warp); ++bit)
      if (a.basis(Dim::Warp, bit, 1) != c.basis(Dim::Warp, bit, 1) ||
          b.basis(Dim::Warp, bit, 0) != c.basis(Dim::Warp, bit, 0) || a.basis(Dim::Warp, bit, 0) ||
          b.basis(Dim::Warp, bit, 1))
        return false;
    return true;
  }

  /// Nullopt if a register that an instruction needs is not there.
  std::optional<Registers> emit() {
    if (!findTiles())
      return std::nullopt;
    SmallVector<Registers> sums;
    for (const Tile &tile : tiles)
      sums.push_back(packSums(tile));
    SmallVector<uint32_t> words = wordsAlongK();
    unsigned step = instruction.rows == 8 ? 1 : 2;
    if (words.empty() || words.size() % step)
      return std::nullopt;
    // K outermost: neighbouring instructions do not wait for each other.
    for (unsigned i = 0; i < words.size(); i += step)
      for (auto [tile, sum] : zip_equal(tiles, sums))
        if (!multiply(tile, ArrayRef(words).slice(i, step), sum))
          return std::nullopt;
    Registers result(c.registers.size());
    for (auto [tile, sum] : zip_equal(tiles, sums))
      unpackSums(tile, sum, result);
    return result;
  }

private:
  /// What one instruction accumulates.
  struct Tile {
    Place place;
    /// In the order of the instruction's operands.
    SmallVector<uint32_t, 4> registers;
  };

  bool findTiles() {
    unsigned covered = 0;
    for (const auto &[place, reg] : c.places()) {
      if (place.column & 1 || (instruction.rows == 16 && place.row & 8))
        continue;
      Tile &tile = tiles.emplace_back();
      tile.place = place;
      for (uint32_t row = 0; row < instruction.rows; row += 8)
        for (uint32_t column : {0u, 1u}) {
          std::optional<uint32_t> found =
              c.find({place.batch, place.row + row, place.column + column});
          if (!found)
            return false;
          tile.registers.push_back(*found);
        }
      covered += tile.registers.size();
    }
    return covered == c.registers.size();
  }

  /// First elements of the words that a thread holds along K.
  SmallVector<uint32_t> wordsAlongK() const {
    SmallVector<uint32_t> words = a.columns();
    erase_if(words, [&](uint32_t k) { return k % instruction.elementsPerWord; });
    return words;
  }

  Value *operand(const Fragment &from, Place place, bool alongRows) {
    return from.word(builder, place, instruction.elementsPerWord, instruction.operandWord,
                     alongRows);
  }

  bool multiply(const Tile &tile, ArrayRef<uint32_t> words, Registers &sum) {
    SmallVector<Value *> operands;
    auto [batch, row, column] = tile.place;
    for (uint32_t k : words)
      for (uint32_t r = 0; r < instruction.rows; r += 8)
        operands.push_back(operand(a, {batch, row + r, k}, /*alongRows=*/false));
    unsigned aWords = operands.size(), bWords = words.size(), count = sum.size();
    for (uint32_t k : words)
      operands.push_back(operand(b, {batch, k, column}, /*alongRows=*/true));
    if (is_contained(operands, nullptr))
      return false;
    append_range(operands, sum);
    std::string text = "mma.sync.aligned." + instruction.name + " " + operandList(0, count) + ", " +
                       operandList(count, aWords) + ", " + operandList(count + aWords, bWords) +
                       ", " + operandList(count + aWords + bWords, count) + ";";
    Type *result =
        StructType::get(builder.getContext(), SmallVector<Type *>(count, instruction.sumWord));
    Value *sums = emitAsm(builder, text, result, operands, AsmEffect::Pure, Threads::Together);
    for (unsigned i = 0; i < count; ++i)
      sum[i] = builder.CreateExtractValue(sums, i);
    return true;
  }

  Registers packSums(const Tile &tile) {
    SmallVector<Value *, 4> elements;
    for (uint32_t reg : tile.registers)
      elements.push_back(c.registers[reg]);
    if (instruction.sumsPerWord == 1)
      return Registers(elements.begin(), elements.end());
    return packWords(builder, elements, instruction.sumWord);
  }

  void unpackSums(const Tile &tile, const Registers &sum, Registers &result) {
    Registers elements = sum;
    if (instruction.sumsPerWord > 1)
      elements = unpackWords(builder, sum, c.registers[0]->getType(), tile.registers.size());
    for (auto [reg, value] : zip_equal(tile.registers, elements))
      result[reg] = value;
  }

  Builder &builder;
  Fragment a, b, c;
  Instruction instruction;
  SmallVector<Tile> tiles;
};

LogicalResult emitDot(Emitter &emitter, tt::DotOp op) {
  std::optional<layout::Layout> layout = layoutOf(op.getC().getType().getEncoding());
  const auto *fragment = layout ? layout->as<layout::NVMMADistributedLayout>() : nullptr;
  if (!fragment)
    return emitDotFma(emitter, op);
  std::optional<Elements> elements = Elements::of(op);
  if (fragment->isWarpGroup() || !elements || !elements->areSupported(emitter.state.target))
    return emitter.unsupported(op, "a dot of these types");
  if (elements->a == MatrixElement::F32 && op.getInputPrecision() != tt::InputPrecision::TF32)
    return emitter.unsupported(op, "a float32 dot of other precision than tf32");
  WarpDot dot(emitter, op, *elements);
  std::optional<Registers> result;
  if (dot.fits())
    result = dot.emit();
  if (!result)
    return emitter.unsupported(op, "a dot smaller than one instruction");
  emitter.set(op.getResult(), std::move(*result));
  return success();
}

} // namespace

void addMma(EmitTable &table) { table.add<emitDot>(); }

} // namespace gluonc::codegen::nvidia
