//===- LaunchParameters.h - A kernel's parameters as a launch sees them ------===//
//
// A caller gives one slot per visible parameter. A `tensordesc` is one of them, but
// several of the machine's: the descriptor (NVIDIA: by address; AMD: its words), then
// extents, then strides. Where no copy engine moves the blocks of one without a layout: the
// pointer, extents, and strides but the last.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/TensorMap.h"
#include "runtime/hip/TensorWords.h"
#include "sema/value/ArgSpec.h"

namespace gluonc::driver {

/// A run-time parameter that the caller gives.
struct LaunchParameter {
  sema::DType dtype;
  /// "*fp32", "i32", "tensordesc<fp16[64, 64],NVMMASharedLayout(…)>".
  std::string type;
  /// Of a descriptor for NVIDIA's engine: what one transfer moves.
  std::optional<cuda::TensorBox> box = std::nullopt;
  /// Of one for AMD's.
  std::optional<hip::TensorBlock> block = std::nullopt;
  /// Of one whose blocks threads access themselves.
  unsigned expandedRank = 0;

  /// Of the tensor that a descriptor describes; 0 for what is none.
  unsigned rank() const { return box ? box->rank : block ? block->rank : expandedRank; }
};

struct LaunchParameters {
  std::vector<LaunchParameter> visible;
  /// (index, bits) of those that are integers of less than 64 bits.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 8> narrowIntegers;
  bool hasDescriptors = false;
  /// Parameters of the machine's kernel, the hidden ones not counted.
  unsigned machineCount = 0;
  /// Those of them that are descriptors by address.
  llvm::SmallVector<unsigned, 0> machineDescriptors;
};

/// Of a kernel with these arguments, as its target takes them (sema::onTarget).
LaunchParameters launchParameters(llvm::ArrayRef<sema::ArgSpec> arguments);

} // namespace gluonc::driver
