//===- Apis.h - Each driver under one name --------------------------------------===//
//
// For templates over what is the same with both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Launcher.h"
#include "runtime/hip/Launcher.h"
#include "target/Target.h"

namespace gluonc::runtime {

struct CudaApi {
  using Driver = cuda::Driver;
  using Device = cuda::Device;
  using Module = cuda::Module;
  using Launcher = cuda::Launcher;
  using Stream = cuda::CUstream;
  /// While one lives, the thread's current context stays the caller's.
  using Keeper = cuda::ContextKeeper;
};

struct HipApi {
  using Driver = hip::Driver;
  using Device = hip::Device;
  using Module = hip::Module;
  using Launcher = hip::Launcher;
  using Stream = hip::Stream;
  /// HIP's calls leave the current device as it was.
  struct Keeper {
    explicit Keeper(const Driver &) {}
  };
};

/// Nullopt where gluonc knows no such chip.
std::optional<target::Target> targetOf(const cuda::Device &device);
std::optional<target::Target> targetOf(const hip::Device &device);
/// For messages about such a chip.
std::string chipOf(const cuda::Device &device);
std::string chipOf(const hip::Device &device);

} // namespace gluonc::runtime
