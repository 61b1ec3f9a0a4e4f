//===- Execution.h - How a launch is executed --------------------------------===//
//
// What `gluonc run` and `gluonc verify` launch with: the simulator, an executor of
// machine code, or a GPU, for a chip.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Gpu.h"
#include "Session.h"
#include "driver/KernelCache.h"
#include "driver/Stamped.h"
#include "driver/predict/LaunchModel.h"

namespace gluonc::tool {

struct Execution {
  Session &session;
  /// Nothing for the CPU.
  std::optional<Gpu> gpu = std::nullopt;
  /// On the CPU: what is executed in place of simulating the kernel.
  enum class Executed { Nothing, Ptx, Amdgcn } executed = Executed::Nothing;
  sema::Options options = {};
  /// Of the simulator; all print where it says.
  driver::SimulatedRun how = {&llvm::outs()};
  /// Is shown what the simulator executes.
  std::function<void(mlir::ModuleOp)> seesIr = {};

  /// As --device and --target say. False after a report, or with a usage problem.
  bool choose(std::string &problem);
  /// False where there is none that gluonc has code for, or --target names the other vendor's.
  bool chooseFirstGpu();
  std::string deviceText() const;
  /// Nullopt after a report.
  std::optional<driver::RunTime> launch(sema::Program &program, const sema::Function &kernel,
                                        const driver::KernelArguments &arguments, driver::Grid grid,
                                        Timings *timings);

private:
  llvm::Error open(GpuName name);
  bool chooseTarget(std::string &problem);
  bool readIr(driver::Compiler &compiler, const driver::KernelArguments &arguments,
              driver::KernelSource &source);
  std::optional<driver::RunTime> launchCode(driver::Compiler &compiler,
                                            const driver::KernelSource &source,
                                            const driver::KernelArguments &arguments,
                                            driver::Grid grid, Timings *timings);
  std::optional<driver::StampedKernel> stamp(driver::Compiler &compiler, const driver::Cache &cache,
                                             const driver::KernelSource &source,
                                             const driver::CompiledKernel &kernel,
                                             const driver::CodeOptions &code);
  std::optional<driver::RunTime>
  measureTimeline(driver::Compiler &compiler, const driver::Cache &cache,
                  const driver::KernelSource &source, const driver::CompiledKernel &kernel,
                  const driver::CodeOptions &code, const driver::KernelArguments &arguments,
                  driver::Grid grid, const Word &path);
  std::optional<driver::RunTime>
  executeCodeObject(mlir::ModuleOp ir, const driver::KernelArguments &arguments, driver::Grid grid);
  void writeTimeline(driver::LaunchModel &model, llvm::StringRef kernel, const Word &path);
  std::optional<driver::RunTime> executeWaves(const driver::CompiledKernel &kernel,
                                              const driver::KernelArguments &arguments,
                                              driver::Grid grid);
  std::optional<driver::RunTime> executePtx(const driver::CompiledKernel &kernel,
                                            const driver::KernelArguments &arguments,
                                            driver::Grid grid);
  std::optional<driver::RunTime> simulate(driver::Compiler &compiler,
                                          const driver::KernelSource &source,
                                          const driver::KernelArguments &arguments,
                                          driver::Grid grid, Timings *timings);
};

} // namespace gluonc::tool
