//===- MachineOperands.h - Instructions of machine code, taken apart ------------===//
#pragma once

#include "explain/MachineCode.h"

#include "llvm/ADT/SmallVector.h"

namespace gluonc::explain::machine {

struct Operand {
  enum class Kind : uint8_t {
    /// What this file does not know.
    Other,
    Register,
    Uniform,
    Predicate,
    UniformPredicate,
    Number,
    /// c[bank][index + number]
    Constant,
    /// [index + uniform + number]
    Memory,
    Special
  };
  Kind kind = Kind::Other;
  /// Of a register or a predicate; `none` is RZ, URZ, PT, UPT, and no index.
  static constexpr unsigned none = ~0u;
  unsigned index = none;
  /// Of Constant and Memory: a uniform register that is added.
  unsigned uniform = none;
  /// Of Constant.
  unsigned bank = 0;
  /// Of Memory: the address is of a form that is not known.
  bool isUnread = false;
  /// `-`, and `~` or `!`.
  bool isNegated = false, isInverted = false;
  /// "R4.64": with the register behind it.
  bool isWide = false;
  int64_t number = 0;
  llvm::StringRef text = {};

  bool isPredicate() const { return kind == Kind::Predicate || kind == Kind::UniformPredicate; }
  bool isRegister() const { return kind == Kind::Register || kind == Kind::Uniform; }
};

Operand readOperand(llvm::StringRef text);

struct Step;
/// Executes an instruction for some lanes of a warp (MachineWarp.cpp).
using Handler = void (*)(Step &);

/// An instruction with its operands by what they are for. Refers to the one that was read.
struct Decoded {
  /// "IMAD", without the U of instructions that are the same for a whole warp.
  llvm::StringRef family;
  llvm::SmallVector<llvm::StringRef, 4> modifiers;
  /// Always true where there is none.
  Operand guard;
  /// Where the result goes; Other: nowhere.
  Operand result;
  llvm::SmallVector<Operand, 2> predicateResults;
  llvm::SmallVector<Operand, 6> sources;
  /// How many registers the result has.
  unsigned width = 1;
  Handler handler = nullptr;

  bool has(llvm::StringRef modifier) const;
};

Decoded decode(const MachineInstruction &instruction);

} // namespace gluonc::explain::machine
