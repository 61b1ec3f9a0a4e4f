//===- Atomics.h - Operations on memory that give back what was there ----------===//
#pragma once

#include "amdgcn/Instruction.h"

#include <cstdint>

namespace gluonc::amdgcn {

enum class AtomicOp : uint8_t {
  None,
  Swap,
  CompareSwap,
  Add,
  Sub,
  ReverseSub,
  SignedMin,
  UnsignedMin,
  SignedMax,
  UnsignedMax,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  FloatAdd,
  FloatMin,
  FloatMax,
  PackedAddHalf,
  PackedAddBrain,
  SubClamp,
  MaskedOr
};

/// What the end of a mnemonic says ("add_x2", "smin", "pk_add_f16", "add_u64"); none if it is no
/// atomic one.
AtomicOp atomicNamed(llvm::StringRef name, uint8_t &bytes);

/// Changes 4 or 8 bytes; `compared` is for CompareSwap and MaskedOr. Gives the old value.
uint64_t applyAtomic(AtomicOp op, unsigned bytes, uint8_t *at, uint64_t value, uint64_t compared);

} // namespace gluonc::amdgcn
