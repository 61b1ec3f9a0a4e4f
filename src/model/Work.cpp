#include "model/Work.h"

#include "explain/Pipes.h"
#include "ptx/Scopes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace gluonc::model {

using llvm::StringRef;
using ptx::Instruction;
using ptx::OperandKind;

namespace {

bool isOneOf(StringRef name, std::initializer_list<StringRef> names) {
  return llvm::is_contained(names, name);
}

/// Bits of the first type of such a name in an instruction of a product: "f16", "tf32", "e4m3".
unsigned operandBits(const Instruction &instruction) {
  for (StringRef word : llvm::reverse(instruction.modifiers)) {
    unsigned bits = llvm::StringSwitch<unsigned>(word)
                        .Cases({"f16", "bf16"}, 16)
                        .Case("tf32", 32)
                        .Cases({"e4m3", "e5m2", "s8", "u8"}, 8)
                        .Case("f64", 64)
                        .Default(0);
    if (bits)
      return bits;
  }
  return 16;
}

/// Columns and depth of "m64nNkK".
std::pair<unsigned, unsigned> columnsAndDepth(const Instruction &instruction) {
  for (StringRef shape : instruction.modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (shape.consume_front("m") && !shape.consumeInteger(10, m) && shape.consume_front("n") &&
        !shape.consumeInteger(10, n) && shape.consume_front("k") && !shape.getAsInteger(10, k))
      return {n, k};
  }
  return {0, 0};
}

double productCycles(const Instruction &instruction, const Speeds &chip) {
  constexpr double referenceBits = 16;
  double rate = chip.tensorFlops * referenceBits / operandBits(instruction);
  return static_cast<double>(explain::productFlops(instruction)) / rate;
}

/// What lies in shared memory of a product's operands has to be read in the same time.
double operandCycles(const Instruction &instruction, const Speeds &chip) {
  constexpr unsigned rowsOfGroup = 64;
  auto [columns, depth] = columnsAndDepth(instruction);
  bool aInRegisters = instruction.operands[1].kind == OperandKind::Vector;
  unsigned rows = columns + (aInRegisters ? 0 : rowsOfGroup);
  return rows * depth * operandBits(instruction) / 8 / chip.sharedBytesPerCycle;
}

class Classifier {
public:
  Classifier(const Instruction &instruction, const Speeds &chip)
      : instruction(instruction), chip(chip) {
    ptx::Uses uses = ptx::usesOf(instruction);
    work.written = std::move(uses.written);
    work.read = std::move(uses.read);
    if (instruction.guard >= 0)
      work.read.push_back(instruction.guard);
  }

  Work classify() {
    StringRef name = instruction.name;
    if (name == "wgmma")
      classifyWgmma();
    else if (name == "mma")
      setProduct();
    else if (name == "cp")
      classifyCopy();
    else if (isOneOf(name, {"ld", "st", "atom", "red", "ldmatrix", "stmatrix"}))
      classifyAccess();
    else if (name == "tcgen05")
      classifyTensor();
    else if (isOneOf(name, {"bar", "barrier", "mbarrier"}))
      classifyBarrier();
    else if (isOneOf(name, {"shfl", "vote", "match", "redux"})) {
      work.rule = Rule::Shuffle;
      work.latency = chip.shuffleLatency;
    } else if (isOneOf(name, {"bra", "brx", "ret", "exit", "call"})) {
      work.rule = Rule::Branch;
      work.latency = chip.branchLatency;
    } else if (std::optional<ptx::ScopeBorder> border = ptx::scopeBorderOf(instruction)) {
      work.rule = Rule::Scope;
      work.left = 2 * border->number + border->ends;
    } else
      classifyMath();
    return std::move(work);
  }

private:
  void setMath(Pipe pipe, unsigned times = 1) {
    auto [cycles, latency] = chip.pipes[unsigned(pipe)];
    work.rule = Rule::Math;
    work.pipe = pipe;
    work.cycles = cycles * times;
    work.latency = latency + cycles * (times - 1);
  }
  void setQueue(Rule rule, Queue queue) {
    work.rule = rule;
    work.queue = queue;
    if (rule == Rule::Wait && !instruction.operands.empty())
      work.left = static_cast<unsigned>(instruction.operands.front().value);
  }

  void setProduct() {
    work.rule = Rule::Product;
    work.pipe = Pipe::Tensor;
    work.cycles = productCycles(instruction, chip) / chip.warpProductShare;
    work.latency = chip.pipes[unsigned(Pipe::Tensor)].latency;
  }

  void classifyWgmma() {
    if (instruction.has("commit_group"))
      return setQueue(Rule::Commit, Queue::Products);
    if (instruction.has("wait_group"))
      return setQueue(Rule::Wait, Queue::Products);
    if (!instruction.has("mma_async"))
      return;
    work.rule = Rule::AsyncProduct;
    work.pipe = Pipe::Tensor;
    work.sharedCycles = operandCycles(instruction, chip);
    work.cycles = std::max(productCycles(instruction, chip), work.sharedCycles);
    work.latency = chip.wgmmaLatency;
    work.written.clear();
  }

  /// What a product's shape is, the trace says (Detail).
  void classifyTensor() {
    if (instruction.has("mma"))
      work.rule = Rule::TensorProduct;
    else if (instruction.has("cp"))
      setTensorCopy();
    else if (instruction.has("commit"))
      work.rule = Rule::TensorCommit;
    else if (instruction.has("ld") || instruction.has("st"))
      setTensorMove();
    else if (!instruction.modifiers.empty() && instruction.modifiers.front().starts_with("wait"))
      work.rule = Rule::TensorWait;
    else
      work.rule = Rule::Signal;
  }
  void setTensorCopy() {
    work.rule = Rule::TensorCopy;
    for (StringRef shape : instruction.modifiers) {
      unsigned lanes = 0, bits = 0;
      if (!shape.consumeInteger(10, lanes) && shape.consume_front("x") &&
          !shape.consumeInteger(10, bits) && shape == "b")
        work.cycles = lanes * bits / 8 / chip.sharedBytesPerCycle;
    }
  }
  /// A column of a quarter's 32 lanes, 32 bits each, in a cycle.
  void setTensorMove() {
    work.rule = Rule::TensorMove;
    work.cycles = 1;
    for (const ptx::Operand &operand : instruction.operands)
      if (operand.kind == OperandKind::Vector)
        work.cycles = std::max<double>(work.cycles, static_cast<double>(operand.elements.size()));
    work.latency = chip.tensorMemoryLatency;
  }

  void classifyCopy() {
    bool isBox = instruction.has("bulk");
    Queue queue = isBox ? Queue::Boxes : Queue::Copies;
    if (instruction.has("commit_group"))
      return setQueue(Rule::Commit, queue);
    if (instruction.has("wait_group") || instruction.has("wait_all")) {
      work.untilRead = instruction.has("read");
      return setQueue(Rule::Wait, queue);
    }
    if (instruction.has("mbarrier"))
      work.rule = Rule::SignalAfterCopies;
    else if (!isBox)
      work.rule = Rule::AsyncCopy;
    else if (!instruction.has("prefetch"))
      work.rule = instruction.has("bulk_group") || instruction.has("reduce") ? Rule::BoxStore
                                                                             : Rule::BoxLoad;
    work.bypassesFirstLevel = instruction.has("cg");
  }

  void classifyAccess() {
    auto isParameter = [](StringRef word) { return word.starts_with("param"); };
    if (llvm::any_of(instruction.modifiers, isParameter))
      return;
    work.rule = Rule::Access;
    work.isAtomic = isOneOf(instruction.name, {"atom", "red"});
    work.stores = work.isAtomic || isOneOf(instruction.name, {"st", "stmatrix"});
    auto isStrong = [](StringRef word) {
      return isOneOf(word, {"volatile", "acquire", "relaxed", "mmio", "cg"});
    };
    work.bypassesFirstLevel = work.isAtomic || llvm::any_of(instruction.modifiers, isStrong);
  }

  void classifyBarrier() {
    if (instruction.has("cluster") && instruction.name == "barrier")
      work.rule = instruction.has("arrive") ? Rule::ClusterArrive : Rule::ClusterWait;
    else if (!instruction.has("warp"))
      work.rule = Rule::Signal;
  }

  void classifyMath() {
    /// How many instructions of its pipe a division becomes.
    constexpr unsigned divisionSteps = 8;
    ptx::Type type = instruction.types.empty() ? ptx::Type() : instruction.types.back();
    switch (explain::pipeOf(instruction)) {
    case explain::Pipe::Float:
      if (instruction.name == "cvt")
        return setMath(Pipe::Convert);
      if (isOneOf(instruction.name, {"setp", "min", "max", "selp", "abs", "neg", "copysign"}))
        return setMath(Pipe::Integer);
      return setMath(type.bits == 64 ? Pipe::Double : Pipe::Float);
    case explain::Pipe::Integer:
      // Half of the pipe for floats multiplies integers.
      if (isOneOf(instruction.name, {"mul", "mad"}))
        return setMath(Pipe::Float, 2);
      return setMath(Pipe::Integer, isOneOf(instruction.name, {"div", "rem"}) ? divisionSteps : 1);
    case explain::Pipe::Special:
      if (instruction.name == "div" && !instruction.has("approx"))
        return setMath(Pipe::Float, divisionSteps);
      return setMath(Pipe::Special);
    default:
      return;
    }
  }

  const Instruction &instruction;
  const Speeds &chip;
  Work work;
};

} // namespace

Work workOf(const Instruction &instruction, const Speeds &chip) {
  return Classifier(instruction, chip).classify();
}

} // namespace gluonc::model
