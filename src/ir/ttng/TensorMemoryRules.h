//===- TensorMemoryRules.h - What tcgen05 demands of its operands -------------===//
//
// Read off the types, as in AsyncUnitRules.h: "" is a yes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"
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
  /// Elements along K of one instruction, and its tiles of the sum.
  unsigned depth, rows, columns;
};
/// The instruction for buffers a, b and d; with the reason in `why` where there is none.
std::optional<TensorProduct> tensorProduct(ttg::MemDescType a, ttg::MemDescType b,
                                           ttg::MemDescType d, std::string &why);

} // namespace gluonc::ttng
