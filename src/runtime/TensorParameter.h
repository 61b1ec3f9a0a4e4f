//===- TensorParameter.h - A kernel's parameter that a tensor is given for -----===//
//
// A launch gives a description of the tensor. The machine's kernel takes a descriptor
// of it (NVIDIA: by address; AMD: its words), then extents, then strides. Where no copy engine
// moves its blocks: the address, extents, and strides but the last, which is 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/TensorMap.h"
#include "runtime/hip/TensorWords.h"

namespace gluonc::runtime {

struct TensorParameter {
  /// Of a descriptor for NVIDIA's engine: what one transfer moves.
  std::optional<cuda::TensorBox> box = std::nullopt;
  /// Of one for AMD's.
  std::optional<hip::TensorBlock> block = std::nullopt;
  /// Of one whose blocks threads access themselves.
  unsigned expandedRank = 0;

  /// Of the tensor; 0 for a parameter that is none.
  unsigned rank() const { return box ? box->rank : block ? block->rank : expandedRank; }
};

/// The machine's slots of a launch.
using Slots = llvm::SmallVector<uint64_t, 64>;

/// Fails where the engine cannot address the tensor.
llvm::Error check(const TensorParameter &parameter, const TensorDescription &tensor);

/// The strides of a tensor that its kernel takes.
llvm::ArrayRef<int64_t> passedStrides(const TensorParameter &parameter,
                                      const TensorDescription &tensor);

/// Appends what the kernel takes of a tensor that passed `check`. A map goes to `next`, which then
/// is the place of the one after it, and lives as long as the slots.
llvm::Error append(const cuda::Driver &driver, const TensorParameter &parameter,
                   const TensorDescription &tensor, cuda::TensorMap *&next, Slots &slots);
void append(const TensorParameter &parameter, const TensorDescription &tensor, Slots &slots);

} // namespace gluonc::runtime
