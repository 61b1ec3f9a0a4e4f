//===- Gpu.h - The GPUs of this machine, of either vendor --------------------===//
#pragma once

#include "runtime/cuda/Device.h"
#include "runtime/hip/Device.h"
#include "target/Target.h"

#include <optional>

namespace gluonc::tool {

/// As the command line names it.
struct GpuName {
  target::Vendor vendor = target::Vendor::Nvidia;
  int ordinal = 0;

  /// "cuda", "cuda:1", "hip:0"
  static std::optional<GpuName> parse(llvm::StringRef text);
  std::string text() const;
};

/// An open device: one of the two pointers is set.
struct Gpu {
  std::shared_ptr<const cuda::Device> cuda = nullptr;
  std::shared_ptr<const hip::Device> hip = nullptr;
  target::Target target = {};

  /// Fails where the device is missing or gluonc generates no code for it.
  static llvm::Expected<Gpu> open(GpuName name);
  /// "cuda:0 (NVIDIA H100)"
  std::string text() const;
};

} // namespace gluonc::tool
