//===- Module.h - PTX as it is executed --------------------------------------===//
//
// What the parser makes of a PTX file: variables with their places, and per
// function a list of instructions with resolved operands. Names are gone, but
// for what messages need.
//
// Sources: PTX ISA 8.4 to 9.0. Sections are named where a rule is not obvious.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gluonc::ptx {

enum class TypeKind : uint8_t { None, Bits, Unsigned, Signed, Float, BFloat, Predicate };

/// Of one operand; `packed` for two numbers of half the bits each (f16x2).
struct Type {
  TypeKind kind = TypeKind::None;
  uint8_t bits = 0;
  bool packed = false;

  unsigned bytes() const { return bits / 8; }
  bool isSigned() const { return kind == TypeKind::Signed; }
  bool isFloat() const { return kind == TypeKind::Float || kind == TypeKind::BFloat; }
  bool isInteger() const {
    return kind == TypeKind::Bits || kind == TypeKind::Unsigned || kind == TypeKind::Signed;
  }
  friend bool operator==(const Type &, const Type &) = default;
};

/// By its name in PTX ("s32", "f16x2"); kind None for what is no type.
Type typeNamed(llvm::StringRef name);

enum class Special : uint8_t {
  ThreadX,
  ThreadsX,
  CtaX,
  CtaY,
  CtaZ,
  GridX,
  GridY,
  GridZ,
  ClusterRank,
  ClusterSize,
  ClusterCtaX,
  Lane,
  Warp,
  Clock,
  SharedBytes,
  LaneMaskLess,
  ClusterX,
  ClustersX,
  One,
  Zero
};

enum class OperandKind : uint8_t { None, Register, Immediate, Special, Vector, Address, Target };

struct Operand {
  OperandKind kind = OperandKind::None;
  /// Of a predicate: `!p`.
  bool isNegated = false;
  /// A place in the shared memory of the CTA that asks: its rank in the cluster belongs to it.
  bool isShared = false;
  Special special = Special::Zero;
  /// A register; of an address its base, or none; the second half of `p|q` or of a shuffle's
  /// result.
  int32_t reg = -1, second = -1;
  /// An immediate's bits, an address' offset, an instruction's number.
  uint64_t value = 0;
  /// Of a vector (a register of 128 bits is one of two), or the coordinates of a tensor's address.
  std::vector<Operand> elements;
};

/// Where the kernel's source has what an instruction does (`.loc`); file 0: nobody says.
struct SourcePlace {
  unsigned file = 0, line = 0, column = 0;
  friend auto operator<=>(const SourcePlace &, const SourcePlace &) = default;
};

/// A call that was inlined (`inlined_at`).
struct InlinedCall {
  /// What it calls; "" where nobody says.
  std::string function;
  SourcePlace place;
  /// By which call the place itself was inlined: its number in a list of these; 0: by none.
  unsigned outer = 0;
  friend bool operator==(const InlinedCall &, const InlinedCall &) = default;
};

struct Function;
struct Instruction;
struct Step;
/// Executes an instruction for the active lanes of a warp.
using Handler = void (*)(Step &);

/// Which lanes have to be at an instruction before it is executed.
enum class LaneNeeds : uint8_t {
  /// Any group may go on.
  None,
  /// All that are alive.
  Alive,
  /// Those of the mask that is the last operand.
  Mask
};

struct Instruction {
  Handler execute = nullptr;
  LaneNeeds needs = LaneNeeds::None;
  unsigned line = 0;
  SourcePlace source;
  /// The innermost call that it was inlined by: a number in Module::calls; 0: by none.
  unsigned call = 0;
  /// Predicate register of `@p`; -1 without.
  int32_t guard = -1;
  bool guardIsNegated = false;
  /// "ld", "mma".
  llvm::StringRef name;
  /// What follows the name between dots, in order.
  llvm::SmallVector<llvm::StringRef, 8> modifiers;
  /// A bit of each of them, by which most questions are answered.
  uint64_t modifierBits = 0;
  /// Those of the modifiers that are types, in order.
  llvm::SmallVector<Type, 4> types;
  llvm::SmallVector<Operand, 5> operands;
  /// Of `call`, whose operands are where results go and where arguments are.
  llvm::StringRef calleeName;
  const Function *callee = nullptr;

  void addModifier(llvm::StringRef modifier) {
    modifiers.push_back(modifier);
    modifierBits |= bitOf(modifier);
  }
  bool has(llvm::StringRef modifier) const {
    return modifierBits & bitOf(modifier) && llvm::is_contained(modifiers, modifier);
  }
  Type type(unsigned i = 0) const { return i < types.size() ? types[i] : Type(); }

private:
  static uint64_t bitOf(llvm::StringRef modifier) {
    if (modifier.empty())
      return 1;
    size_t number = modifier.size() * 7 + static_cast<unsigned char>(modifier.front()) * 5 +
                    static_cast<unsigned char>(modifier.back());
    return uint64_t(1) << number % 64;
  }
};

/// Parameters of kernels lie from 0 on; parameters and results of functions, what is passed to them
/// and local variables, in memory of each lane from here on. No function calls itself, so each has
/// one place.
inline constexpr unsigned laneMemoryBase = 1u << 20;

struct Parameter {
  unsigned offset = 0, bytes = 0;
};

/// Registers that were declared together: `%r<9>`, or one.
struct RegisterNames {
  llvm::StringRef name;
  bool isRange = false;
  uint32_t first = 0;
};

struct Function {
  std::string name;
  /// Of a kernel: with the code of all functions that it calls behind its own.
  std::vector<Instruction> code;
  std::vector<Parameter> parameters, results;
  unsigned parameterBytes = 0;
  /// Those of `.reg`, and how many bits each has.
  std::vector<uint8_t> registerBits;
  /// In the order of their numbers.
  std::vector<RegisterNames> registerNames;
  /// What its directives say of a launch; 0 where they do not: threads of a CTA, at most or exactly
  /// so many (.maxntid, .reqntid), CTAs of a cluster (.reqnctapercluster), registers (.maxnreg).
  unsigned maxThreads = 0, exactThreads = 0, clusterCtas = 0, maxRegisters = 0;

  std::string registerName(int32_t number) const;
};

/// Of a `.global` or `.const` variable.
struct VariablePlace {
  uint64_t address = 0, bytes = 0;
};

struct Module {
  /// Names and modifiers refer to it.
  std::string text;
  /// "sm_90a".
  std::string target;
  llvm::StringMap<std::unique_ptr<Function>> functions;
  /// `.global` and `.const` variables; their addresses are the host's.
  std::vector<std::unique_ptr<llvm::SmallVector<uint8_t, 0>>> variables;
  /// Of those that are declared outside of functions.
  llvm::StringMap<VariablePlace> variablePlaces;
  /// Source files by the numbers that places have; "" for numbers that are no file's.
  std::vector<std::string> files;
  /// Those that were inlined; the first one is none.
  std::vector<InlinedCall> calls = std::vector<InlinedCall>(1);
  unsigned staticSharedBytes = 0;
  unsigned laneMemoryBytes = 0;

  const Function *kernel(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second.get();
  }
};

struct ParseError {
  unsigned line = 0;
  std::string message;
};

/// Puts the code of the functions that a kernel calls behind its own. False, and why, if one is
/// missing or calls itself.
bool link(Module &module, Function &kernel, ParseError &error);

/// Null, and why, for text that is not understood: a syntax error, or what the executor does not
/// know.
std::unique_ptr<Module> parse(llvm::StringRef text, ParseError &error);

} // namespace gluonc::ptx
