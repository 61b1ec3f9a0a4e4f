//===- LaunchParameters.h - A kernel's parameters as a launch sees them ------===//
//
// A caller gives one slot per visible parameter. A `tensordesc` is one of them, but
// several of the machine's (runtime/TensorParameter.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/TensorParameter.h"
#include "sema/value/ArgSpec.h"

namespace gluonc::driver {

/// A run-time parameter that the caller gives.
struct LaunchParameter : runtime::TensorParameter {
  LaunchParameter(sema::DType dtype, std::string type) : dtype(dtype), type(std::move(type)) {}

  sema::DType dtype;
  /// "*fp32", "i32", "tensordesc<fp16[64, 64],NVMMASharedLayout(…)>".
  std::string type;
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
