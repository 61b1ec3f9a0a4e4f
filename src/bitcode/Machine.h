//===- Machine.h - Flat code, and what executes it ----------------------------===//
//
// A value is one 64-bit word for each lane: scalars have one, vectors and structures one for each
// element. Integers are zero-extended, floats their bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bitcode/Bitcode.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gluonc::bitcode {

using Word = uint64_t;

struct Step;
class Machine;
/// What one lane of a result is; operands that a step does not have are 0.
using Compute = Word (*)(Word a, Word b, Word c, const Step &step, Machine &machine);

struct Step {
  enum class Kind : uint8_t {
    Compute,
    /// Lanes from one place to another.
    Copy,
    /// Bits of vectors as lanes of another width.
    Repack,
    /// One lane of operand 0 that operand 1 names; and operand 0 with one lane replaced.
    Extract,
    Insert,
    Load,
    Store,
    Update,
    CompareExchange,
    /// `immediate` bytes of local memory, aligned to 16.
    Allocate,
    Call,
    /// To edge `target`, or `other` where operand 0 is 0.
    Jump,
    Branch,
    Switch,
    Return,
    /// Nothing comes here in a correct program.
    Unreachable,
  };
  Kind kind = Kind::Compute;
  /// Bits of a lane of the result, and of operand 0.
  uint8_t bits = 64, fromBits = 64;
  /// Whether each lane of the result has its own lane of an operand, or all take the one.
  bool perLane[3] = {true, true, true};
  Compute compute = nullptr;
  uint32_t result = 0, lanes = 1, fromLanes = 1;
  uint32_t operands[3] = {0, 0, 0};
  uint32_t target = 0, other = 0;
  Word immediate = 0;
};

/// The way to another block, with what its phis become.
struct Edge {
  uint32_t target = 0;
  /// From, to.
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 2> copies;
};

struct Code {
  std::string name;
  std::vector<Step> steps;
  std::vector<Edge> edges;
  /// Of Switch: value, edge.
  std::vector<std::vector<std::pair<Word, uint32_t>>> switches;
  /// Of Call, with the first words of their arguments' values.
  struct Callee {
    const Code *code;
    std::vector<uint32_t> arguments;
  };
  std::vector<Callee> callees;
  /// Bytes from the address on, of Load and Store, lane by lane.
  std::vector<llvm::SmallVector<uint32_t, 4>> offsets;
  /// The words of a frame; arguments first, constants where steps take them.
  std::vector<Word> frame;
  uint32_t arguments = 0, resultLanes = 0;
  bool loads = false, stores = false, updates = false;
  /// Of the outermost function: those that it calls, and the tables of its library.
  std::vector<std::shared_ptr<Code>> called;
  std::vector<std::shared_ptr<std::vector<uint64_t>>> tables;
};

class Machine {
public:
  Machine(const Code &outermost, Memory &memory) : outermost(outermost), memory(memory) {}

  Outcome run(llvm::ArrayRef<uint64_t> arguments);
  /// Ends the call; the first problem counts.
  void fail(const char *what) {
    if (problem.empty())
      problem = what;
    stopped = true;
  }

private:
  void call(const Code &code, uint32_t frame, uint32_t depth);
  bool execute(const Code &code, const Step &step, uint32_t frame, uint32_t depth, size_t &next);
  void follow(const Code &code, uint32_t edge, uint32_t frame, size_t &next);
  void access(const Code &code, const Step &step, uint32_t frame);
  void update(const Step &step, uint32_t frame);
  void repack(const Step &step, uint32_t frame);
  bool loadWord(Word address, unsigned bytes, Word &value);
  bool storeWord(Word address, unsigned bytes, Word value);
  uint8_t *local(Word address, unsigned bytes);
  const uint8_t *inTable(Word address, unsigned bytes) const;

  const Code &outermost;
  Memory &memory;
  std::vector<Word> words;
  /// Local memory, of a size that stays.
  std::vector<uint8_t> stack;
  size_t stackUsed = 0;
  uint64_t branches = 0;
  bool stopped = false;
  std::string problem;
};

/// What computes an intrinsic or an instruction on lanes.
struct Operation {
  Compute compute = nullptr;
  Word immediate = 0;
};

/// Of a function of LLVM's or NVPTX's by its name (`llvm.fma.f32`, `llvm.nvvm.mul.rn.ftz.f`), whose
/// first argument has elements of type `type`; null where it is not executed.
Operation intrinsicNamed(llvm::StringRef name, Type type);

/// The arithmetic of floats.
enum class FloatOp : uint8_t { Add, Subtract, Multiply, Divide, Remainder };
Compute floatArithmetic(FloatOp op, Type type);
/// By `llvm::CmpInst::Predicate`, as `immediate`.
Compute floatComparison(Type type);
/// Between floats, and between integers of `step.bits` and `step.fromBits` bits and floats.
Compute floatConversion(Type from, Type to);
Compute integerFromFloat(Type from, bool isSigned);
Compute floatFromInteger(Type to, bool isSigned);

} // namespace gluonc::bitcode
