//===- EmitWgmma.cpp - Matrix products of a warp group: wgmma ------------------===//
//
// One instruction multiplies 64 rows of A by up to 256 columns of B, B (and mostly
// A) being read from shared memory by descriptor while the threads go on. The
// accumulator stays in the registers that its layout names; each instruction
// ties its results to its operands, so that they remain the same registers.
//
//     wgmma.fence          registers written before are seen
//     wgmma.mma_async …    for each tile of the result, for each step along K
//     wgmma.commit_group   one group for each operation
//     wgmma.wait_group n   where the program waits, or at once if not asynchronous
//
// A wait hands the accumulators through, so nothing that uses them moves before it. What nobody
// uses behind it, operands in registers mostly, it only takes: until then they are the product's.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/SharedMemory.h"
#include "codegen/core/Words.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/Operands.h"
#include "codegen/nvidia/SharedOperand.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "target/Features.h"

#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen::nvidia {

namespace wgmma = target::nvidia::wgmma;
using target::nvidia::MatrixElement;

namespace {

mlir::Type elementOf(mlir::Value operand) {
  if (auto buffer = dyn_cast<ttg::MemDescType>(operand.getType()))
    return buffer.getElementType();
  return cast<mlir::RankedTensorType>(operand.getType()).getElementType();
}

/// What an instruction accumulates in: its registers' type and how elements fill them.
struct SumWord {
  Type *type;
  unsigned elements;
};

/// An instruction without operands.
void order(Builder &builder, StringRef text) {
  emitAsm(builder, text, builder.getVoidTy(), {}, AsmEffect::ReadsAndWrites, Threads::Together);
}

/// Passes registers through `text`, whose operands $0.. they are. `read` it only reads.
Registers passThrough(Builder &builder, StringRef text, ArrayRef<Value *> words,
                      ArrayRef<Value *> read) {
  SmallVector<Type *> types;
  for (Value *word : words)
    types.push_back(word->getType());
  Value *passed = emitTiedAsm(builder, text, types, words, read, AsmEffect::ReadsAndWrites);
  Registers result;
  for (unsigned i = 0; i < words.size(); ++i)
    result.push_back(words.size() == 1 ? passed : builder.CreateExtractValue(passed, i));
  return result;
}

void waitGroups(Emitter &emitter, Registers &words, unsigned pending, ArrayRef<Value *> kept = {}) {
  std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";";
  words = passThrough(emitter.builder, text, words, kept);
}

class WarpGroupDot {
public:
  WarpGroupDot(Emitter &emitter, ttng::WarpGroupDotOp op)
      : emitter(emitter), builder(emitter.builder), op(op), c(emitter, op.getC()) {
    aBits = elementOf(op.getA()).getIntOrFloatBitWidth();
    aElement = *ttng::matrixElement(elementOf(op.getA()));
    bElement = *ttng::matrixElement(elementOf(op.getB()));
    sumElement = *ttng::matrixElement(elementOf(op.getC()));
    depth = target::nvidia::matrixDepth(aBits);
    sum = sumElement == MatrixElement::F32   ? SumWord{builder.getFloatTy(), 1}
          : sumElement == MatrixElement::F16 ? SumWord{builder.getInt32Ty(), 2}
                                             : SumWord{builder.getInt32Ty(), 1};
    if (isa<mlir::RankedTensorType>(op.getA().getType()))
      aRegisters.emplace(emitter, op.getA());
  }

  /// Null or what is not possible.
  const char *prepare() {
    const auto *mma =
        toLayout(op.getC().getType().getEncoding()).as<layout::NVMMADistributedLayout>();
    if (!mma || !mma->isWarpGroup())
      return "a dot into another layout than that of wgmma";
    columns = mma->instrN();
    auto [rows, depthAll] = shapeOfA();
    if (depthAll % depth || rows % wgmma::rows || op.getC().getType().getShape()[1] < columns)
      return "a dot smaller than one instruction";
    totalDepth = depthAll;
    if (isFloat8(aElement) && sumElement == MatrixElement::F32 &&
        op.getMaxNumImpreciseAcc() <= totalDepth)
      exactDepth = std::max<unsigned>(op.getMaxNumImpreciseAcc() / depth * depth, depth);
    if (aElement == MatrixElement::F32 && op.getInputPrecision() != tt::InputPrecision::TF32)
      return "a float32 dot of other precision than tf32";
    if (!hasLanes(c, 0, 2))
      return "a dot into this layout";
    b.emplace(emitter, op.getB(), 0, columns, depth);
    if (!aRegisters)
      a.emplace(emitter, op.getA(), 1, wgmma::rows, depth);
    for (std::optional<SharedOperand> *operand : {&a, &b})
      if (*operand &&
          (!(*operand)->isValid() || (!wgmma::transposes(aBits) && !(*operand)->contiguousK())))
        return "an operand of wgmma in this shared layout";
    if (aRegisters && !hasLanes(*aRegisters, 0, elementsPerWord()))
      return "an operand of wgmma in these registers";
    return findTiles() ? nullptr : "a dot into these registers";
  }

  /// False if a register of A is not there.
  bool emit() {
    if (a)
      a->start(groupSteps(1));
    b->start(groupSteps(0));
    SmallVector<Registers> operandsOfA;
    if (aRegisters && !collectA(operandsOfA))
      return false;
    bool ignoresC = isZero(op.getC());
    Value *useC = op.getUseC() ? emitter.scalar(op.getUseC()) : nullptr;
    if (ConstantInt *known = dyn_cast_or_null<ConstantInt>(useC)) {
      ignoresC |= known->isZero();
      useC = nullptr;
    }
    order(builder, "wgmma.fence.sync.aligned;");
    Registers all;
    unsigned next = 0;
    for (const Tile &tile : tiles) {
      Registers sums = packSums(tile, ignoresC), partial;
      Chain chain;
      for (unsigned k = 0; k < totalDepth; k += depth) {
        ArrayRef<Value *> words;
        if (aRegisters)
          words = operandsOfA[next++];
        bool first = k == 0;
        if (!exactDepth) {
          multiply(chain, tile, k, words, first && ignoresC, first && !ignoresC ? useC : nullptr);
          continue;
        }
        if (k % exactDepth == 0)
          partial.assign(sums.size(), Constant::getNullValue(sum.type));
        multiply(chain, tile, k, words, k % exactDepth == 0, nullptr);
        if ((k + depth) % exactDepth == 0 || k + depth == totalDepth) {
          finish(chain, partial);
          addExactly(partial, sums, k < exactDepth ? useC : nullptr);
        }
      }
      finish(chain, sums);
      append_range(all, sums);
    }
    order(builder, "wgmma.commit_group.sync.aligned;");
    if (!op.getIsAsync())
      waitGroups(emitter, all, 0);
    emitter.set(op.getResult(), unpackSums(all));
    return true;
  }

private:
  /// Tensor cores sum products of 8-bit floats with few bits. Where the program bounds how many,
  /// the sum of so many goes to the real accumulator by float32 additions.
  void addExactly(Registers &partial, Registers &sums, Value *useC) {
    order(builder, "wgmma.commit_group.sync.aligned;");
    waitGroups(emitter, partial, 0);
    for (auto [sum, part] : zip_equal(sums, partial)) {
      Value *total = builder.CreateFAdd(sum, part);
      sum = useC ? builder.CreateSelect(useC, total, part) : total;
    }
    order(builder, "wgmma.fence.sync.aligned;");
  }

  /// Instructions that follow each other on the same sums. They become one piece of assembly: LLVM
  /// takes its time with hundreds of operands, and here they are the same ones again and again.
  struct Chain {
    std::string text;
    /// Beside the sums.
    SmallVector<Value *> operands;
  };

  /// What one chain of instructions accumulates.
  struct Tile {
    uint32_t row, column;
    /// In the order of the instruction's operands.
    SmallVector<uint32_t, 64> registers;
  };

  unsigned elementsPerWord() const { return target::nvidia::matrixWordBits / aBits; }

  std::pair<int64_t, int64_t> shapeOfA() {
    auto buffer = dyn_cast<ttg::MemDescType>(op.getA().getType());
    ArrayRef<int64_t> shape =
        buffer ? buffer.getShape() : cast<mlir::RankedTensorType>(op.getA().getType()).getShape();
    return {shape[0], shape[1]};
  }

  bool isZero(mlir::Value tensor) {
    return all_of(emitter.get(tensor), [](Value *value) {
      Constant *constant = dyn_cast<Constant>(value);
      return constant && constant->isNullValue();
    });
  }

  /// What the bits of the warp group's number add to rows (1) or columns (0).
  SmallVector<uint32_t> groupSteps(unsigned fromLast) {
    SmallVector<uint32_t> steps;
    for (unsigned bit = 2; bit < c.layout.inLog2(Dim::Warp); ++bit)
      steps.push_back(c.basis(Dim::Warp, bit, fromLast));
    return steps;
  }

  bool findTiles() {
    unsigned covered = 0;
    for (const auto &[place, reg] : c.places()) {
      if (place.column % columns || place.row % wgmma::rows)
        continue;
      Tile &tile = tiles.emplace_back(Tile{place.row, place.column, {}});
      for (uint32_t column = 0; column < columns; column += 8)
        for (uint32_t row : {0u, 8u})
          for (uint32_t next : {0u, 1u}) {
            auto found = c.find({0, place.row + row, place.column + column + next});
            if (!found)
              return false;
            tile.registers.push_back(*found);
          }
      covered += tile.registers.size();
    }
    return covered == c.registers.size();
  }

  /// The four words of each instruction, gathered before the fence: they must not change after it.
  bool collectA(SmallVector<Registers> &operands) {
    unsigned perWord = elementsPerWord();
    for (const Tile &tile : tiles)
      for (uint32_t k = 0; k < totalDepth; k += depth) {
        Registers &words = operands.emplace_back();
        for (uint32_t half : {0u, depth / 2})
          for (uint32_t row : {0u, 8u}) {
            Value *word = aRegisters->word(builder, {0, tile.row + row, k + half}, perWord,
                                           builder.getInt32Ty());
            if (!word)
              return false;
            words.push_back(word);
          }
      }
    return true;
  }

  Registers packSums(const Tile &tile, bool ignored) {
    SmallVector<Value *> elements;
    for (uint32_t reg : tile.registers)
      elements.push_back(c.registers[reg]);
    if (ignored)
      return Registers(elements.size() / sum.elements, Constant::getNullValue(sum.type));
    if (sum.elements == 1)
      return Registers(elements.begin(), elements.end());
    return packWords(builder, elements, sum.type);
  }

  Registers unpackSums(ArrayRef<Value *> words) {
    Registers result(c.registers.size());
    Type *element = c.registers[0]->getType();
    for (const Tile &tile : tiles) {
      unsigned count = tile.registers.size() / sum.elements;
      Registers elements(words.take_front(count));
      words = words.drop_front(count);
      if (sum.elements > 1)
        elements = unpackWords(builder, elements, element, tile.registers.size());
      for (auto [reg, value] : zip_equal(tile.registers, elements))
        result[reg] = value;
    }
    return result;
  }

  void multiply(Chain &chain, const Tile &tile, uint32_t k, ArrayRef<Value *> aWords,
                bool overwrites, Value *useC) {
    unsigned count = tile.registers.size() / sum.elements;
    auto operand = [&](Value *value) {
      chain.operands.push_back(value);
      return "$" + std::to_string(2 * count + chain.operands.size() - 1);
    };
    raw_string_ostream out(chain.text);
    bool isInteger = aElement == MatrixElement::I8;
    out << "wgmma.mma_async.sync.aligned.m" << wgmma::rows << "n" << columns << "k" << depth << "."
        << sumName(sumElement) << "." << (op.getUnsignedA() ? "u8" : operandName(aElement)) << "."
        << (op.getUnsignedB() ? "u8" : operandName(bElement)) << (isInteger ? ".satfinite " : " ")
        << operandList(0, count) << ", ";
    if (a) {
      out << operand(a->at(tile.row, k));
    } else {
      out << operandList(2 * count + chain.operands.size(), aWords.size());
      append_range(chain.operands, aWords);
    }
    out << ", " << operand(b->at(tile.column, k)) << ", ";
    out << (useC ? operand(useC) : overwrites ? "0" : "1");
    if (!isInteger)
      out << ", 1, 1";
    if (wgmma::transposes(aBits)) {
      if (a)
        out << ", " << !a->contiguousK();
      out << ", " << !b->contiguousK();
    }
    out << ";\n\t";
  }

  /// Emits what the chain holds and empties it.
  void finish(Chain &chain, Registers &sums) {
    if (chain.text.empty())
      return;
    Value *result = emitTiedAsm(builder, chain.text, SmallVector<Type *>(sums.size(), sum.type),
                                sums, chain.operands, AsmEffect::ReadsAndWrites);
    for (unsigned i = 0; i < sums.size(); ++i)
      sums[i] = builder.CreateExtractValue(result, i);
    chain = {};
  }

  Emitter &emitter;
  Builder &builder;
  ttng::WarpGroupDotOp op;
  Fragment c;
  std::optional<Fragment> aRegisters;
  std::optional<SharedOperand> a, b;
  MatrixElement aElement, bElement, sumElement;
  unsigned aBits;
  SumWord sum;
  unsigned columns = 0, depth = 0, totalDepth = 0;
  /// Not 0: so many elements of K are summed by the tensor cores alone.
  unsigned exactDepth = 0;
  std::vector<Tile> tiles;
};

LogicalResult emitWarpGroupDot(Emitter &emitter, ttng::WarpGroupDotOp op) {
  if (!target::has(emitter.state.target, target::Feature::WarpgroupMma))
    return emitter.unsupported(op, "wgmma on another target than cuda:90a");
  WarpGroupDot dot(emitter, op);
  if (const char *problem = dot.prepare())
    return emitter.unsupported(op, problem);
  if (!dot.emit())
    return emitter.unsupported(op, "an operand of wgmma in these registers");
  return success();
}

/// What a wait takes of a tensor: 16-bit numbers travel in pairs, as wgmma left them.
Registers wordsOf(Emitter &emitter, mlir::Value tensor) {
  const Registers &registers = emitter.get(tensor);
  unsigned bits = registers[0]->getType()->getPrimitiveSizeInBits();
  if (bits < 32 && registers.size() * bits % 32 == 0)
    return packWords(emitter.builder, registers, emitter.builder.getInt32Ty());
  return registers;
}

/// All results of a wait depend on it.
LogicalResult emitWarpGroupDotWait(Emitter &emitter, ttng::WarpGroupDotWaitOp op) {
  Registers words, kept;
  for (auto [input, output] : zip_equal(op.getInputs(), op.getOutputs()))
    if (isa<mlir::RankedTensorType>(input.getType()))
      append_range(output.use_empty() ? kept : words, wordsOf(emitter, input));
  waitGroups(emitter, words, op.getPendings(), kept);
  ArrayRef<Value *> rest = words;
  for (auto [input, output] : zip_equal(op.getInputs(), op.getOutputs())) {
    Registers registers = emitter.get(input);
    if (isa<mlir::RankedTensorType>(input.getType()) && !output.use_empty()) {
      Type *element = registers[0]->getType();
      unsigned bits = element->getPrimitiveSizeInBits(), count = registers.size();
      bool packed = bits < 32 && count * bits % 32 == 0;
      unsigned used = packed ? count * bits / 32 : count;
      Registers passed(rest.take_front(used));
      rest = rest.drop_front(used);
      registers = packed ? unpackWords(emitter.builder, passed, element, count) : passed;
    }
    emitter.set(output, std::move(registers));
  }
  return success();
}

} // namespace

void addWgmma(EmitTable &table) {
  table.add<emitWarpGroupDot>();
  table.add<emitWarpGroupDotWait>();
}

} // namespace gluonc::codegen::nvidia
