#include "driver/ExecutedLaunch.h"
#include "ptx/Execute.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::driver {

using diag::Kind;

static std::string describe(const ptx::Fault &fault) {
  return ("PTX line " + llvm::Twine(fault.line) + ", thread " + llvm::Twine(fault.thread) +
          " of CTA (" + llvm::Twine(fault.cta[0]) + ", " + llvm::Twine(fault.cta[1]) + ", " +
          llvm::Twine(fault.cta[2]) + "): " + fault.message)
      .str();
}

static std::string registersOf(const ptx::Fault &fault) {
  std::string text;
  for (const ptx::Fault::Register &reg : fault.registers)
    text += (text.empty() ? "" : ", ") + reg.name + " = 0x" +
            llvm::utohexstr(reg.value, /*LowerCase=*/true);
  return text.empty() ? "it names none" : text;
}

/// PTX is what the last stage gave, or what machine code was assembled from.
static llvm::StringRef ptxOf(const CompiledKernel &kernel) {
  return kernel.assembly.bytes.empty() ? kernel.artifact.bytes : kernel.assembly.bytes;
}

std::optional<RunTime> executePtx(const CompiledKernel &kernel, unsigned warpSize,
                                  ExecutedLaunch &executed, const ExecutedRun &how,
                                  diag::Sink &sink) {
  ptx::ParseError error;
  std::unique_ptr<ptx::Module> module = ptx::parse(ptxOf(kernel), error);
  const ptx::Function *function = module ? module->kernel(kernel.kernel.name) : nullptr;
  if (!function) {
    sink.report(Kind::DeviceError, {},
                "PTX line " + std::to_string(error.line) + ": " + error.message)
        .end();
    return std::nullopt;
  }
  std::vector<ptx::Range> memory;
  for (auto [begin, end] : executed.memory)
    memory.push_back({begin, end});
  ptx::Launch launch;
  launch.ctasPerCluster = kernel.kernel.numCtas;
  launch.grid = executed.grid;
  launch.threads = executed.threads(warpSize);
  launch.sharedBytes = kernel.kernel.sharedBytes;
  launch.slots = executed.slots;
  launch.memory = memory;
  launch.output = how.printed;
  launch.state = how.state;
  launch.observer = how.observer;
  launch.clusters = how.clusters;
  launch.skipsProducts = how.skipsProducts;
  launch.stepsOfWarp = how.stepsOfWarp;
  launch.stepLimit = how.stepLimit;
  std::optional<ptx::Fault> fault;
  RunTime time = executed.timed([&] { fault = ptx::execute(*function, *module, launch); });
  if (!fault)
    return time;
  sink.report(Kind::DeviceFault, {}, describe(*fault))
      .note("PTX: {0}", fault->instruction)
      .note("the thread's registers: {0}", registersOf(*fault))
      .end();
  return std::nullopt;
}

std::optional<RunTime> runOnPtx(const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, const ExecutedRun &how,
                                diag::Sink &sink) {
  ExecutedLaunch launch(kernel, arguments, grid);
  return executePtx(kernel, warpSize, launch, how, sink);
}

} // namespace gluonc::driver
