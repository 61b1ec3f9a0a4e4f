//===- Device.h - What says how long a launch takes ------------------------------===//
#pragma once

#include "driver/Run.h"

namespace gluonc::tune {

/// A GPU, or the performance model of one.
class Device {
public:
  virtual ~Device() = default;
  virtual const target::Target &target() const = 0;
  /// "cuda:0 (NVIDIA H100)", "the performance model of cuda:90a".
  virtual std::string name() const = 0;
  virtual bool isPrediction() const = 0;
  /// Runs a launch, whose tensors then have its results. False after a report.
  virtual bool run(const driver::CompiledKernel &kernel, const driver::KernelArguments &arguments,
                   driver::Grid grid, diag::Sink &sink) = 0;
  /// Microseconds, of data that earlier launches may have changed. Nullopt after a report.
  virtual std::optional<double> time(const driver::CompiledKernel &kernel,
                                     const driver::KernelArguments &arguments, driver::Grid grid,
                                     diag::Sink &sink) = 0;
};

/// A GPU; one of the two pointers is set.
std::unique_ptr<Device> openGpu(std::shared_ptr<const cuda::Device> cuda,
                                std::shared_ptr<const hip::Device> hip, target::Target target,
                                std::string name);
/// Executes PTX on the CPU and predicts. Null for a chip that the model does not know.
std::unique_ptr<Device> openModel(const target::Target &target);

} // namespace gluonc::tune
