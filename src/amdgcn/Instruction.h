//===- Instruction.h - Machine instructions as data ---------------------------===//
//
// An instruction is what the disassembler writes: mnemonic, operands, modifiers.
// The text is regular and documented, and has everything that the bits say.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gluonc::amdgcn {

/// Scalar registers by number. Those behind 127 have places of ours.
enum ScalarSlot : uint16_t {
  vccSlot = 106,
  ttmpSlot = 108,
  m0Slot = 124,
  nullSlot = 125,
  execSlot = 126,
  flatScratchSlot = 128,
  xnackSlot = 130,
  sccSlot = 132,
  sharedBaseSlot = 134,
  sharedLimitSlot = 136,
  privateBaseSlot = 138,
  privateLimitSlot = 140,
  scalarSlots = 144
};

/// Accumulators lie behind the other vector registers in one file.
inline constexpr unsigned accumulatorRow = 256;

enum class Bank : uint8_t { None, Vector, Scalar, Literal, Word };

struct Operand {
  Bank bank = Bank::None;
  bool negate = false, absolute = false, signExtend = false;
  /// `.l` and `.h` of a register; -1 without.
  int8_t half = -1;
  /// Of a literal: written as a float, or in hexadecimal, or as 64 bits.
  bool isFloat = false, isHex = false, isWide = false;
  uint16_t reg = 0;
  /// In registers of 32 bits.
  uint16_t count = 1;
  uint64_t value = 0;
  double real = 0;
  /// What is none of these: "off", "hwreg(...)".
  std::string word = {};

  bool isRegister() const { return bank == Bank::Vector || bank == Bank::Scalar; }
  bool is(llvm::StringRef text) const { return bank == Bank::Word && word == text; }
};

enum class DppKind : uint8_t {
  None,
  QuadPerm,
  RowShl,
  RowShr,
  RowRor,
  WaveShl,
  WaveRol,
  WaveShr,
  WaveRor,
  Mirror,
  HalfMirror,
  Bcast15,
  Bcast31,
  NewBcast,
  Share,
  XMask,
  Eight
};

struct Dpp {
  DppKind kind = DppKind::None;
  uint8_t amount = 0;
  uint8_t lanes[8] = {};
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false, fetchInactive = false;
};

/// Part of a register: bits from `shift`, so many.
struct Selection {
  uint8_t shift = 0, bits = 32;
};

struct Sdwa {
  bool present = false;
  Selection destination, source[2];
  enum : uint8_t { Pad, SignExtend, Preserve } unused = Pad;
};

struct Modifiers {
  int64_t offset = 0, offset0 = 0, offset1 = 0;
  /// A bit for each source, the last one for the destination; -1 if not written.
  int opSel = -1, opSelHi = -1;
  unsigned negLo = 0, negHi = 0;
  bool clamp = false;
  /// Power of two that the result is multiplied with.
  int omod = 0;
  Dpp dpp;
  Sdwa sdwa;
  /// Modifiers without a value: "sc0", "lds", "offen".
  llvm::SmallVector<std::string, 2> flags;
  /// Others with a value, as written: "cbsz", "matrix_a_fmt", "th".
  llvm::SmallVector<std::pair<std::string, std::string>, 2> values;

  bool has(llvm::StringRef flag) const;
  llvm::StringRef text(llvm::StringRef name) const;
  /// 0 if it is not written.
  int64_t number(llvm::StringRef name) const;
};

/// What a memory instruction moves for each lane.
struct Access {
  uint8_t bytes = 4;
  bool isSigned = false;
  /// Of 16-bit results: 1 low half and 2 high half of a register that keeps the other.
  uint8_t half = 0;
  bool isStore = false, isAtomic = false, returns = false;
  /// Chosen by the family.
  uint8_t operation = 0, type = 0;
  /// In elements of `bytes`, of the two-address forms.
  unsigned stride = 1;
  bool isPair = false;
};

/// A product: D = A B + C for so many blocks.
struct Product {
  uint16_t m = 0, n = 0, k = 0, blocks = 1;
  uint8_t a = 0, b = 0, d = 0;
  bool isScaled = false, isSparse = false;
  uint8_t scaleBlock = 32;
};

struct Step;
using Handler = void (*)(Step &);

struct Instruction {
  uint64_t offset = 0;
  unsigned bytes = 4;
  std::string text = {};
  /// Without the suffix of its encoding.
  std::string mnemonic = {};
  bool isDpp = false, isSdwa = false;
  llvm::SmallVector<Operand, 6> operands = {};
  Modifiers modifiers = {};
  Access access = {};
  Product product = {};
  Handler handler = nullptr;
  /// The other half of a pair (`::`), and what executes this half.
  Handler firstHandler = nullptr;
  std::unique_ptr<Instruction> second = nullptr;
};

/// Reads a line of the disassembler; null if it is not understood.
std::unique_ptr<Instruction> parse(llvm::StringRef text);

} // namespace gluonc::amdgcn
