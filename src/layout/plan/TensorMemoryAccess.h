//===- TensorMemoryAccess.h - Tensor memory and registers ---------------------===//
//
// A warp moves a fragment of its 32 rows of tensor memory to or from registers
// by one instruction (PTX ISA, tcgen05.ld and tcgen05.st). Which row and column the
// bits of lane and register stand for depends on the instruction's shape:
//
//   shape       lanes                     registers
//   32x32b      row 1 2 4 8 16            column 1 2 4 ...
//   16x64b      row 8, column 1, row 1 2 4    column 2 4 ...
//   16x128b     column 1 2, row 1 2 4     row 8, column 4 8 ...
//   16x256b     column 2 4, row 1 2 4     column 1, row 8, column 8 16 ...
//   16x32bx2    row 1 2 4 8, then a column of choice    column 1 2 4 ...
//
// Columns have 32 bits. Narrower elements share one, or have one each: then
// `.pack::16b` makes one register of two neighbours.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include <optional>

namespace gluonc::layout {

/// 32-bit columns that one buffer takes; `memory` maps row, col (of elements) and block to dims.
unsigned tensorMemoryColumns(const LinearLayout &memory, unsigned elementBits);
/// Whether a buffer leaves every second group of 16 rows to another.
bool leavesHalfOfTensorMemory(const LinearLayout &memory);
/// Row << 16 | 32-bit column where an element lies, from where its buffer begins.
uint32_t tensorMemoryOffset(const LinearLayout &memory, unsigned elementBits,
                            llvm::ArrayRef<int64_t> element);

enum class TensorMemoryShape : uint8_t { S32x32b, S16x64b, S16x128b, S16x256b, S16x32bx2 };
/// "32x32b"
llvm::StringRef textOf(TensorMemoryShape shape);

/// The layout in which `warps` warps load a tensor from tensor memory by instructions of a variant
/// of the language: a shape, or "32x32b_splitn", whose last register bit is the middle of the
/// columns. Nullopt, with the reason in `why`, where there is none.
std::optional<DistributedLinearLayout> tensorMemoryRegisters(const LinearLayout &memory,
                                                             llvm::ArrayRef<int64_t> shape,
                                                             unsigned elementBits,
                                                             llvm::StringRef variant, int64_t warps,
                                                             std::string &why);

/// How a tensor moves.
struct TensorMemoryAccess {
  TensorMemoryShape shape;
  /// Two 16-bit elements of neighbouring columns make one register.
  bool packs = false;
  /// Register bits within a word, and those that number the words of one instruction, lowest first.
  /// Within a word 0 stands for copies: loads take the element with the lowest number.
  llvm::SmallVector<uint32_t, 2> wordBits, repeatBits;
  /// One instruction: the register of its first element, and where in tensor memory it begins
  /// (row << 16 | column).
  struct Message {
    uint32_t base, offset;
  };
  llvm::SmallVector<Message, 4> messages;
  /// What bits of the number of the warp's group of four add to the address.
  llvm::SmallVector<uint32_t, 2> groupOffsets;
  /// Of 16x32bx2: columns to the second half.
  uint32_t secondHalf = 0;

  unsigned elementsPerWord() const { return 1u << wordBits.size(); }
  unsigned words() const { return 1u << repeatBits.size(); }
  /// N of the instruction's `.xN`.
  unsigned repeat() const;
  uint32_t registerOf(uint32_t base, unsigned word, unsigned element) const;
};

/// For a tensor in layout `registers` (without zero bases of registers) and a buffer in `memory`
/// from whose beginning it lies. Instructions have up to `maxWords` words. Nullopt where no
/// instruction moves it.
std::optional<TensorMemoryAccess> planTensorMemoryAccess(const LinearLayout &registers,
                                                         const LinearLayout &memory,
                                                         unsigned elementBits, unsigned maxWords);

} // namespace gluonc::layout
