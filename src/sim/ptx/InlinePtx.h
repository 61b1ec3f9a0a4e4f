//===- InlinePtx.h - A few instructions of PTX ------------------------------===//
//
// What kernels write into inline_asm_elementwise is arithmetic on registers. This
// runs the part of PTX that it takes: integer and float arithmetic, comparisons,
// selection, conversions, packing, labels and predicated branches. Each
// instruction is a row with the types, modifiers and number of operands that it has
// in PTX; what no row says is refused when the kernel is prepared, so nothing runs
// that ptxas would not take, or would take to mean something else.
//
// Registers are 64 bits; an instruction looks at as many as its type has.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gluonc::sim {

/// The type suffix of an instruction: `.f32` is {'f', 32, 1}, `.f16x2` {'f', 16, 2}.
struct PtxType {
  /// b, u, s, f, `h` for bf16, or p (predicate).
  char kind = 'b';
  uint8_t bits = 32;
  uint8_t elements = 1;
};

struct PtxOperand {
  /// Of a register; of the parts of `{a, b}`, lowest first.
  llvm::SmallVector<uint32_t, 2> registers;
  uint64_t immediate = 0;
  bool isImmediate = false;
};

enum class PtxSpace : uint8_t { Shared, Global };

struct PtxInstruction;
using PtxHandler = void (*)(const PtxInstruction &, std::vector<uint64_t> &);

struct PtxInstruction {
  PtxHandler run = nullptr;
  PtxType type, source;
  /// `.lt`, `.rz`, `.hi` …: what the handler is to look at.
  llvm::SmallVector<std::string, 2> modifiers;
  /// The result first.
  llvm::SmallVector<PtxOperand, 4> operands;
  int32_t predicate = -1;
  bool predicateNegated = false;
  /// Of a branch.
  int32_t target = -1;
  /// Of an access to memory: the address is the last operand of a load, the first of a store.
  enum class Access : uint8_t { None, Load, Store } access = Access::None;
  PtxSpace space = PtxSpace::Shared;
  int64_t addressOffset = 0;
  /// The register that is to hold the time before it runs.
  int32_t clock = -1;

  bool has(llvm::StringRef modifier) const;
};

/// The memory that a fragment may access. False after it has reported a fault.
class PtxMemory {
public:
  virtual ~PtxMemory() = default;
  /// Of the CTA that runs the fragment, in its cluster.
  virtual uint32_t ctaRank() const = 0;
  virtual bool load(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t &value) = 0;
  virtual bool store(PtxSpace space, uint64_t address, uint32_t bytes, uint64_t value) = 0;
};

class PtxProgram {
public:
  /// Registers 0 … are the results, then the operands; named ones follow. `ld` and `st` are those
  /// of `spaces`.
  static std::optional<PtxProgram> parse(llvm::StringRef text, size_t results, size_t operands,
                                         std::string &why, llvm::ArrayRef<PtxSpace> spaces = {});
  /// The same of AMD's instructions, those that compute on registers (InlineAmd.cpp).
  static std::optional<PtxProgram> parseAmd(llvm::StringRef text, size_t results, size_t operands,
                                            std::string &why);

  /// Runs to the end, or to a fault of the memory; says why it cannot.
  std::string run(std::vector<uint64_t> &registers, PtxMemory *memory = nullptr) const;

  /// Whether it has loads, or stores, of that memory.
  bool accesses(PtxSpace space, PtxInstruction::Access kind) const;

  uint32_t registerCount = 0, firstOperand = 0;
  /// The register that holds the CTA's rank, if one does.
  int32_t rank = -1;
  /// Operands that are in the register of a result, as (operand, result).
  llvm::SmallVector<std::pair<unsigned, unsigned>> ties;

private:
  friend class PtxParser;
  friend class AmdParser;
  std::vector<PtxInstruction> code;
};

/// One form of an instruction. Lists are separated by spaces.
struct PtxForm {
  const char *opcode;
  /// The result among them.
  uint8_t operands;
  /// Types of the result, and of the source where an instruction names both.
  const char *types, *sources;
  /// In their order, alternatives as `rn|rz`; those behind `!` have to be there.
  const char *modifiers;
  PtxHandler run;

  bool matches(llvm::ArrayRef<llvm::StringRef> givenTypes,
               llvm::ArrayRef<llvm::StringRef> givenModifiers) const;
};
/// All that is simulated.
llvm::ArrayRef<PtxForm> ptxForms();

} // namespace gluonc::sim
