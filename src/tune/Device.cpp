#include "tune/Device.h"

#include "driver/predict/LaunchModel.h"
#include "target/nvidia/Speeds.h"

namespace gluonc::tune {

namespace {

class Gpu : public Device {
public:
  Gpu(std::shared_ptr<const cuda::Device> cuda, std::shared_ptr<const hip::Device> hip,
      target::Target target, std::string name)
      : cuda(std::move(cuda)), hip(std::move(hip)), chip(std::move(target)), text(std::move(name)) {
  }

  const target::Target &target() const override { return chip; }
  std::string name() const override { return text; }
  bool isPrediction() const override { return false; }

  bool run(const driver::CompiledKernel &kernel, const driver::KernelArguments &arguments,
           driver::Grid grid, diag::Sink &sink) override {
    return launch(kernel, arguments, grid, 0, sink).has_value();
  }
  std::optional<double> time(const driver::CompiledKernel &kernel,
                             const driver::KernelArguments &arguments, driver::Grid grid,
                             diag::Sink &sink) override {
    constexpr unsigned launches = 10;
    std::optional<driver::RunTime> time = launch(kernel, arguments, grid, launches, sink);
    constexpr double microseconds = 1000;
    return time ? std::optional(time->milliseconds * microseconds) : std::nullopt;
  }

private:
  std::optional<driver::RunTime> launch(const driver::CompiledKernel &kernel,
                                        const driver::KernelArguments &arguments, driver::Grid grid,
                                        unsigned launches, diag::Sink &sink) {
    return cuda ? driver::runOnCuda(cuda, kernel, chip.warpSize(), arguments, grid, launches, sink)
                : driver::runOnHip(hip, kernel, chip.warpSize(), arguments, grid, launches, sink);
  }

  std::shared_ptr<const cuda::Device> cuda;
  std::shared_ptr<const hip::Device> hip;
  target::Target chip;
  std::string text;
};

class Model : public Device {
public:
  explicit Model(target::Target target) : chip(std::move(target)) {}

  const target::Target &target() const override { return chip; }
  std::string name() const override { return "the performance model of " + chip.name(); }
  bool isPrediction() const override { return true; }

  bool run(const driver::CompiledKernel &kernel, const driver::KernelArguments &arguments,
           driver::Grid grid, diag::Sink &sink) override {
    if (!chip.isNvidia())
      return driver::runOnAmdgcn(kernel, chip.warpSize(), arguments, grid, nullptr, sink)
          .has_value();
    return driver::runOnPtx(kernel, chip.warpSize(), arguments, grid, {}, sink).has_value();
  }
  std::optional<double> time(const driver::CompiledKernel &kernel,
                             const driver::KernelArguments &arguments, driver::Grid grid,
                             diag::Sink &sink) override {
    std::unique_ptr<driver::LaunchModel> model =
        driver::LaunchModel::make(chip, kernel, grid, driver::tensorBytes(arguments));
    driver::ExecutedLaunch launch(kernel, arguments, grid);
    std::optional<model::Predicted> predicted =
        driver::predict(*model, kernel, chip.warpSize(), launch, 0, sink);
    return predicted ? std::optional(predicted->prediction.microseconds) : std::nullopt;
  }

private:
  target::Target chip;
};

} // namespace

std::unique_ptr<Device> openGpu(std::shared_ptr<const cuda::Device> cuda,
                                std::shared_ptr<const hip::Device> hip, target::Target target,
                                std::string name) {
  return std::make_unique<Gpu>(std::move(cuda), std::move(hip), std::move(target), std::move(name));
}

std::unique_ptr<Device> openModel(const target::Target &target) {
  return driver::LaunchModel::knows(target) ? std::make_unique<Model>(target) : nullptr;
}

} // namespace gluonc::tune
