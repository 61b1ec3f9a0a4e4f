//===- TensorMemoryRules.h - What tcgen05 demands of its operands -------------===//
//
// Read off the types, as in AsyncUnitRules.h: "" is a yes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
#include "layout/plan/MatrixDescriptor.h"
#include "layout/plan/TensorMemoryAccess.h"
#include "target/nvidia/TensorMemory.h"

#include <optional>
#include <string>

namespace gluonc::ttng {

/// 32-bit columns of tensor memory that a whole buffer or ring takes in each CTA, and whether it
/// leaves every second group of 16 rows to others. Nullopt where the layout is not known.
struct TensorMemoryFootprint {
  int64_t columns;
  bool leavesHalf;
};
std::optional<TensorMemoryFootprint> tensorMemoryFootprint(ttg::MemDescType type);
/// Columns of one buffer of a ring.
int64_t columnsOfBuffer(ttg::MemDescType type);

/// Why there is no buffer of this type: elements, or more columns than the chip has.
std::string whyNoTensorMemory(ttg::MemDescType type);
/// Why a buffer in tensor memory may not be seen as `result`.
std::string whyNoReinterpretation(ttg::MemDescType source, ttg::MemDescType result);
/// Why elements `begin` to `begin + size` along `dim`, which the buffer has, are no view of it.
std::string whyNoWindow(ttg::MemDescType source, int64_t dim, int64_t begin, int64_t size);
/// Whether instructions move `tensor` from or to the buffer.
std::string whyNoTensorMemoryAccess(mlir::RankedTensorType tensor, ttg::MemDescType buffer);

/// The layout in which `warps` warps load a view by a variant of the instruction
/// (layout/plan/TensorMemoryAccess.h).
std::optional<layout::DistributedLinearLayout> tensorMemoryRegisters(ttg::MemDescType type,
                                                                     llvm::StringRef variant,
                                                                     int64_t warps,
                                                                     std::string &why);

/// A product that tensor cores do: how the instruction is called and told.
struct TensorProduct {
  target::nvidia::tcgen05::Form form;
  /// Elements along K of one instruction, and its tiles of the sum in one CTA.
  unsigned depth = 0, rows = 0, columns = 0;
  /// CTAs that multiply together: 1 or 2. Each has half of the rows of a, and half of the columns
  /// of b.
  unsigned ctas = 1;
  /// Instructions along M and N of a CTA's sum, and along K.
  int64_t tilesDown = 0, tilesRight = 0, steps = 0;
  /// An operand whose elements have 4 bits: bytes of the buffer hold two. Padded: 8 bytes of them
  /// are followed by 8 bytes of nothing.
  struct Operand {
    unsigned perElement = 1;
    bool isPadded = false;
  };
  Operand a, b;
  /// Elements along K with one scale; 0 without scales.
  unsigned scaleBlock = 0;

  unsigned columnsOfB() const { return columns / ctas; }
  /// Steps along K whose scales share a column of tensor memory.
  int64_t stepsPerScaleColumn() const {
    return target::nvidia::tcgen05::scalesPerColumn * scaleBlock / depth;
  }
};
/// The instruction for buffers a, b and d; with the reason in `why` where there is none.
/// `sanitized`: under fpsan, where it is no instruction, and how operands lie does not matter.
std::optional<TensorProduct> tensorProduct(ttg::MemDescType a, ttg::MemDescType b,
                                           ttg::MemDescType d, std::string &why,
                                           bool sanitized = false);
/// Operands of a product with scales.
struct ScaledOperands {
  ttg::MemDescType a, b, d, aScale, bScale;
  tt::ScaleDotElemType aType, bType;
};
std::optional<TensorProduct> tensorProduct(const ScaledOperands &operands, std::string &why,
                                           bool sanitized = false);
template <typename Op> ScaledOperands scaledOperands(Op op) {
  return {
      op.getA().getType(),      op.getB().getType(), op.getD().getType(), op.getAScale().getType(),
      op.getBScale().getType(), op.getAType(),       op.getBType()};
}

/// Which other CTAs the arrivals of a commit go to as well: bits of CTA numbers in which they
/// differ from the one that commits, one set for each of `buffers` that is in several CTAs.
llvm::SmallVector<uint32_t, 4> commitTargets(mlir::TypeRange buffers, bool twoCtas);

/// How tcgen05.cp copies a buffer from shared memory to tensor memory.
struct TensorCopy {
  /// Of one instruction.
  unsigned rows = 0, bits = 0;
  /// The rows of each of the four warps get the same.
  bool isRepeated = false;
  /// Of what one instruction reads.
  layout::MatrixDescriptor descriptor;
  /// One instruction: the byte of the buffer where it reads, and the column that it writes first.
  struct Message {
    uint32_t from, to;
  };
  llvm::SmallVector<Message, 4> messages;
};
std::optional<TensorCopy> tensorCopy(ttg::MemDescType source, ttg::MemDescType target,
                                     std::string &why);

} // namespace gluonc::ttng
