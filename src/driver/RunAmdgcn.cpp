#include "amdgcn/Execute.h"
#include "driver/predict/LaunchModel.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

using diag::Kind;

static std::string hex(uint64_t number) {
  return "0x" + llvm::utohexstr(number, /*LowerCase=*/true);
}

static std::string describe(const amdgcn::Fault &fault) {
  return ("machine code at " + hex(fault.offset) + ", lane " + llvm::Twine(fault.lane) +
          " of wave " + llvm::Twine(fault.wave) + " of workgroup (" +
          llvm::Twine(fault.workgroup[0]) + ", " + llvm::Twine(fault.workgroup[1]) + ", " +
          llvm::Twine(fault.workgroup[2]) + "): " + fault.message)
      .str();
}

static std::string registersOf(const amdgcn::Fault &fault) {
  std::string text;
  for (const amdgcn::Fault::Register &reg : fault.registers)
    text += (text.empty() ? "" : ", ") + reg.name + " = " + hex(reg.value);
  return text.empty() ? "it names none" : text;
}

std::optional<RunTime> runOnAmdgcn(const CompiledKernel &kernel, unsigned warpSize,
                                   const KernelArguments &arguments, Grid grid,
                                   llvm::raw_ostream *printed, diag::Sink &sink) {
  return executeAmdgcn(kernel, warpSize, arguments, grid, printed, /*observer=*/nullptr, sink);
}

/// Without what differs between launches of one kernel.
static std::shared_ptr<const amdgcn::Module> loadModule(const CompiledKernel &kernel,
                                                        diag::Sink &sink) {
  std::string error;
  std::shared_ptr<const amdgcn::Module> module = amdgcn::load(kernel.artifact.bytes, error);
  if (!module)
    sink.report(Kind::DeviceError, {}, error).end();
  return module;
}

static amdgcn::Launch launchOf(const CompiledKernel &kernel, unsigned warpSize,
                               const ExecutedLaunch &executed,
                               llvm::ArrayRef<amdgcn::Range> memory) {
  amdgcn::Launch launch;
  launch.workgroupsPerCluster = kernel.kernel.numCtas;
  launch.grid = executed.grid;
  launch.threads = executed.threads(warpSize);
  launch.sharedBytes = kernel.kernel.sharedBytes;
  launch.slots = executed.slots;
  launch.memory = memory;
  return launch;
}

static std::vector<amdgcn::Range> rangesOf(const ExecutedLaunch &executed) {
  std::vector<amdgcn::Range> memory;
  for (auto [begin, end] : executed.memory)
    memory.push_back({begin, end});
  return memory;
}

static void report(const amdgcn::Fault &fault, diag::Sink &sink) {
  sink.report(Kind::DeviceFault, {}, describe(fault))
      .note("instruction: {0}", fault.instruction)
      .note("the lane's registers: {0}", registersOf(fault))
      .end();
}

std::optional<RunTime> executeAmdgcn(const CompiledKernel &kernel, unsigned warpSize,
                                     const KernelArguments &arguments, Grid grid,
                                     llvm::raw_ostream *printed, amdgcn::Observer *observer,
                                     diag::Sink &sink) {
  std::shared_ptr<const amdgcn::Module> module = loadModule(kernel, sink);
  if (!module)
    return std::nullopt;
  ExecutedLaunch executed(kernel, arguments, grid);
  const std::vector<amdgcn::Range> memory = rangesOf(executed);
  amdgcn::Launch launch = launchOf(kernel, warpSize, executed, memory);
  launch.output = printed;
  launch.observer = observer;
  std::optional<amdgcn::Fault> fault;
  RunTime time =
      executed.timed([&] { fault = amdgcn::execute(*module, kernel.kernel.name, launch); });
  if (!fault)
    return time;
  report(*fault, sink);
  return std::nullopt;
}

bool observeWaves(const CompiledKernel &kernel, unsigned warpSize, const ExecutedLaunch &executed,
                  amdgcn::Observer &observer, llvm::ArrayRef<uint64_t> workgroups,
                  uint64_t stepsOfWave, uint64_t stepLimit, diag::Sink &sink) {
  std::shared_ptr<const amdgcn::Module> module = loadModule(kernel, sink);
  if (!module)
    return false;
  const std::vector<amdgcn::Range> memory = rangesOf(executed);
  amdgcn::Launch launch = launchOf(kernel, warpSize, executed, memory);
  launch.observer = &observer;
  launch.skipsProducts = true;
  launch.stepsOfWave = stepsOfWave;
  launch.stepLimit = stepLimit;
  launch.clusters = workgroups;
  std::optional<amdgcn::Fault> fault = amdgcn::execute(*module, kernel.kernel.name, launch);
  if (fault)
    report(*fault, sink);
  return !fault;
}

} // namespace gluonc::driver
