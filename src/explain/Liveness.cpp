#include "explain/Liveness.h"

#include "ptx/Uses.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace gluonc::explain {

using llvm::BitVector;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

namespace {

/// Instructions that follow each other, from the first to the one before the next block's.
struct Block {
  size_t begin = 0, end = 0;
  llvm::SmallVector<size_t, 2> successors;
  /// Registers that are live before it.
  BitVector live;
};

class Liveness {
public:
  explicit Liveness(const ptx::Function &kernel)
      : code(kernel.code), bits(kernel.registerBits), blockOf(code.size() + 1, 0),
        written(static_cast<unsigned>(bits.size())), read(static_cast<unsigned>(bits.size())) {
    findBlocks();
    for (bool changes = true; changes;) {
      changes = false;
      for (Block &block : llvm::reverse(blocks))
        changes |= update(block);
    }
  }

  std::vector<unsigned> counts() {
    std::vector<unsigned> counts(code.size());
    forEachInstruction([&](size_t i, const BitVector &live) { counts[i] = sizeOf(live); });
    return counts;
  }

  MostLive most() {
    MostLive most;
    BitVector there;
    forEachInstruction([&](size_t i, const BitVector &live) {
      // Of several the first in the code, which has a line.
      unsigned size = sizeOf(live);
      if (size < most.registers || (size == most.registers && code[i].source >= most.place) ||
          !code[i].source.line)
        return;
      most.registers = size;
      most.place = code[i].source;
      there = live;
    });
    std::map<ptx::SourcePlace, unsigned> sums;
    std::vector<ptx::SourcePlace> origins = originsOf();
    for (unsigned reg : there.set_bits())
      if (unsigned size = sizeOf(reg))
        sums[origins[reg]] += size;
    most.values.assign(sums.begin(), sums.end());
    llvm::stable_sort(most.values,
                      [](const auto &a, const auto &b) { return a.second > b.second; });
    return most;
  }

private:
  /// 32 bits each; none for predicates.
  unsigned sizeOf(unsigned reg) const { return bits[reg] == 1 ? 0 : bits[reg] > 32 ? 2 : 1; }
  unsigned sizeOf(const BitVector &live) const {
    unsigned size = 0;
    for (unsigned reg : live.set_bits())
      size += sizeOf(reg);
    return size;
  }

  /// Calls `visit` with what is live before each instruction.
  template <typename Visit> void forEachInstruction(Visit visit) {
    for (const Block &block : blocks) {
      BitVector live = behind(block);
      for (size_t i = block.end; i-- != block.begin;) {
        step(code[i], live);
        visit(i, live);
      }
    }
  }

  /// Where each register is computed: by its last instruction that is no move, since what loops
  /// carry is moved into place first.
  std::vector<ptx::SourcePlace> originsOf() const {
    std::vector<ptx::SourcePlace> origins(bits.size());
    std::vector<bool> isComputed(bits.size());
    for (const Instruction &instruction : code)
      for (int32_t reg : ptx::usesOf(instruction).written) {
        auto index = static_cast<size_t>(reg);
        const bool computes = instruction.name != "mov";
        if (!computes && isComputed[index])
          continue;
        isComputed[index] = computes;
        origins[index] = instruction.source;
      }
    return origins;
  }

  static bool isTransfer(const Instruction &instruction) {
    return llvm::is_contained({"bra", "brx", "ret", "exit", "trap"}, instruction.name);
  }
  template <typename Function>
  static void forEachTarget(const Instruction &instruction, Function function) {
    if (instruction.name == "call")
      return;
    auto visit = [&](const Operand &operand) {
      if (operand.kind == OperandKind::Target)
        function(static_cast<size_t>(operand.value));
    };
    for (const Operand &operand : instruction.operands) {
      visit(operand);
      for (const Operand &element : operand.elements)
        visit(element);
    }
  }

  void findBlocks() {
    std::vector<bool> begins(code.size() + 1, false);
    begins[0] = true;
    for (size_t i = 0; i != code.size(); ++i) {
      if (isTransfer(code[i]))
        begins[i + 1] = true;
      forEachTarget(code[i], [&](size_t to) { begins[to] = true; });
    }
    for (size_t i = 0; i != code.size(); ++i) {
      if (begins[i])
        blocks.push_back({i, i, {}, BitVector(static_cast<unsigned>(bits.size()))});
      blocks.back().end = i + 1;
      blockOf[i] = blocks.size() - 1;
    }
    for (Block &block : blocks) {
      const Instruction &last = code[block.end - 1];
      forEachTarget(last, [&](size_t to) { block.successors.push_back(blockOf[to]); });
      if ((!isTransfer(last) || last.guard >= 0) && block.end != code.size())
        block.successors.push_back(blockOf[block.end]);
    }
  }

  BitVector behind(const Block &block) const {
    BitVector live(static_cast<unsigned>(bits.size()));
    for (size_t successor : block.successors)
      live |= blocks[successor].live;
    return live;
  }

  /// From what is live behind an instruction to what is before it.
  void step(const Instruction &instruction, BitVector &live) {
    written.reset();
    read.reset();
    ptx::Uses uses = ptx::usesOf(instruction);
    for (int32_t reg : uses.written)
      written.set(static_cast<unsigned>(reg));
    for (int32_t reg : uses.read)
      read.set(static_cast<unsigned>(reg));
    // Sums of products are read, too; so is what a guard may leave as it was.
    if (instruction.name == "wgmma" || instruction.guard >= 0) {
      BitVector kept = written;
      kept &= live;
      read |= kept;
    }
    if (instruction.guard >= 0)
      read.set(static_cast<unsigned>(instruction.guard));
    live.reset(written);
    live |= read;
  }

  bool update(Block &block) {
    BitVector live = behind(block);
    for (size_t i = block.end; i-- != block.begin;)
      step(code[i], live);
    if (live == block.live)
      return false;
    block.live = std::move(live);
    return true;
  }

  const std::vector<Instruction> &code;
  const std::vector<uint8_t> &bits;
  std::vector<Block> blocks;
  std::vector<size_t> blockOf;
  /// Of the instruction of the moment.
  BitVector written, read;
};

} // namespace

std::vector<unsigned> liveRegisters(const ptx::Function &kernel) {
  return Liveness(kernel).counts();
}

MostLive mostLive(const ptx::Function &kernel) { return Liveness(kernel).most(); }

} // namespace gluonc::explain
