#include "driver/Run.h"
#include "ptx/Execute.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>

namespace gluonc::driver {

using diag::Kind;

/// As of memory that a GPU's driver gives.
constexpr uint64_t scratchAlignment = 256;

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

std::optional<RunTime> runOnPtx(const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, const ExecutedRun &how,
                                diag::Sink &sink) {
  ptx::ParseError error;
  std::unique_ptr<ptx::Module> module = ptx::parse(kernel.artifact.bytes, error);
  const ptx::Function *function = module ? module->kernel(kernel.kernel.name) : nullptr;
  if (!function) {
    sink.report(Kind::DeviceError, {},
                "PTX line " + std::to_string(error.line) + ": " + error.message)
        .end();
    return std::nullopt;
  }
  std::vector<uint64_t> slots;
  llvm::SetVector<host::Buffer *> buffers;
  std::vector<ptx::Range> memory;
  for (const RuntimeArgument &argument : arguments.runtime) {
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value)) {
      slots.push_back(reinterpret_cast<uint64_t>(tensor->data()));
      if (buffers.insert(tensor->storage().get())) {
        auto begin = reinterpret_cast<uint64_t>(tensor->storage()->data());
        memory.push_back({begin, begin + tensor->storage()->size()});
      }
    } else {
      slots.push_back(scalarBits(argument));
    }
  }
  // Behind the visible parameters: the kernel's own memory, so many bytes a CTA.
  uint64_t ctas = uint64_t(grid[0]) * kernel.kernel.numCtas * grid[1] * grid[2];
  std::vector<uint8_t> scratch(ctas * kernel.kernel.globalScratchBytes + scratchAlignment);
  auto base = llvm::alignTo(reinterpret_cast<uint64_t>(scratch.data()), scratchAlignment);
  slots.push_back(base);
  memory.push_back({base, reinterpret_cast<uint64_t>(scratch.data() + scratch.size())});
  ptx::Launch launch;
  launch.ctasPerCluster = kernel.kernel.numCtas;
  launch.grid = {grid[0] * launch.ctasPerCluster, grid[1], grid[2]};
  launch.threads = kernel.kernel.numWarps * warpSize;
  launch.sharedBytes = kernel.kernel.sharedBytes;
  launch.slots = slots;
  launch.memory = memory;
  launch.output = how.printed;
  launch.state = how.state;
  auto start = std::chrono::steady_clock::now();
  std::optional<ptx::Fault> fault = ptx::execute(*function, *module, launch);
  RunTime time;
  time.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  for (host::Buffer *buffer : buffers)
    buffer->settle();
  if (!fault)
    return time;
  sink.report(Kind::DeviceFault, {}, describe(*fault))
      .note("PTX: {0}", fault->instruction)
      .note("the thread's registers: {0}", registersOf(*fault))
      .end();
  return std::nullopt;
}

} // namespace gluonc::driver
