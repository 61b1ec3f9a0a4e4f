#include "driver/Run.h"
#include "ir/Dialects.h"
#include "sim/machine/Memory.h"

#include "llvm/ADT/MapVector.h"

#include <chrono>

namespace gluonc::driver {

using diag::Kind;
using sema::Value;

namespace {
/// Every buffer once, under the name of the first argument that lies in it.
llvm::MapVector<host::Buffer *, std::string> buffersOf(const KernelArguments &arguments) {
  llvm::MapVector<host::Buffer *, std::string> buffers;
  for (const RuntimeArgument &argument : arguments.runtime)
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      buffers.insert({tensor->storage().get(), argument.name});
  return buffers;
}
} // namespace

uint64_t tensorBytes(const KernelArguments &arguments) {
  uint64_t bytes = 0;
  for (const RuntimeArgument &argument : arguments.runtime)
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      bytes += static_cast<uint64_t>(tensor->size()) * tensor->dtype().byteSize();
  return bytes;
}

std::string kernelNameOf(mlir::ModuleOp module) {
  std::string name;
  unsigned count = 0;
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (function.isPublic()) {
      name = function.getSymName().str();
      ++count;
    }
  return count == 1 ? name : "";
}

bool takesArguments(mlir::ModuleOp module, const KernelArguments &arguments, diag::Sink &sink) {
  std::string name = kernelNameOf(module);
  auto function = module.lookupSymbol<tt::FuncOp>(name);
  if (!function)
    sink.report(Kind::SimulatedKernelMissing, {}, name).end();
  else if (function.getNumArguments() != arguments.runtime.size())
    sink.report(Kind::SimulatedArgumentCount, {}, name, function.getNumArguments(),
                arguments.runtime.size())
        .end();
  else
    return true;
  return false;
}

/// Takes over what the simulator knows about a poisoned buffer's bytes.
static void readWritten(host::Buffer &buffer, const sim::Memory &memory) {
  uint64_t base = reinterpret_cast<uint64_t>(buffer.data());
  const sim::Range *range = memory.find(base);
  if (!range || range->firstUnwritten(base, buffer.size()) == buffer.size())
    return buffer.settle();
  buffer.written.assign(buffer.size(), false);
  for (uint64_t i = 0; i != buffer.size(); ++i)
    buffer.written[i] = range->firstUnwritten(base + i, 1) == 1;
}

std::optional<RunTime> runOnCpu(mlir::ModuleOp module, const KernelArguments &arguments, Grid grid,
                                const diag::SourceManager &sources, const SimulatedRun &how,
                                diag::Sink &sink) {
  std::unique_ptr<sim::Executable> executable =
      sim::Executable::prepare(module, kernelNameOf(module), sink, sources);
  if (!executable)
    return std::nullopt;
  sim::Memory memory;
  llvm::MapVector<host::Buffer *, std::string> buffers = buffersOf(arguments);
  for (auto &[buffer, name] : buffers)
    if (buffer->size())
      memory.add(name, buffer->data(), buffer->size(), sim::Memory::Access::ReadWrite,
                 buffer->isPoisoned() ? sim::Memory::Contents::Poisoned
                                      : sim::Memory::Contents::Initialized);
  sim::Launch launch;
  launch.grid = grid;
  launch.memory = &memory;
  launch.output = how.printed;
  launch.scheduleSeed = how.scheduleSeed;
  launch.races = how.races;
  launch.maskedOff = how.maskedOff;
  launch.maxBranches = how.maxBranches;
  for (const RuntimeArgument &argument : arguments.runtime) {
    if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
      launch.arguments.push_back(sim::Argument::pointer(tensor->data()));
    else if (argument.dtype.isFloat())
      launch.arguments.push_back(
          sim::Argument::floating(std::get<Value>(argument.value).asDouble()));
    else
      launch.arguments.push_back(
          sim::Argument::integer(static_cast<int64_t>(scalarBits(argument))));
  }
  auto start = std::chrono::steady_clock::now();
  bool fine = executable->run(launch, sink);
  RunTime time;
  time.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  for (auto &[buffer, name] : buffers)
    if (buffer->isPoisoned())
      readWritten(*buffer, memory);
  if (!fine)
    return std::nullopt;
  return time;
}

void reportDevice(llvm::Error error, diag::Sink &sink) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const runtime::DriverError &failure) {
        sink.report(failure.isByKernel() ? Kind::DeviceFault : Kind::DeviceError, {},
                    failure.message())
            .end();
      },
      [&](const llvm::ErrorInfoBase &other) {
        sink.report(Kind::DeviceError, {}, other.message()).end();
      });
}

namespace {

/// A launch with its buffers on the device.
class CudaRun {
public:
  CudaRun(std::shared_ptr<const cuda::Device> device, const KernelArguments &arguments)
      : device(std::move(device)), arguments(arguments), buffers(buffersOf(arguments)) {}

  llvm::Error upload() {
    for (auto &[buffer, name] : buffers) {
      llvm::Expected<cuda::Buffer> copy = cuda::Buffer::allocate(device, buffer->size());
      if (!copy)
        return copy.takeError();
      if (llvm::Error error = copy->upload(buffer->data(), buffer->size()))
        return error;
      copies.insert({buffer, std::move(*copy)});
    }
    for (const RuntimeArgument &argument : arguments.runtime) {
      if (const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value))
        slots.push_back(copies.find(tensor->storage().get())->second.address() +
                        tensor->byteOffset());
      else
        slots.push_back(scalarBits(argument));
    }
    return llvm::Error::success();
  }

  llvm::Expected<float> launch(const cuda::Launcher &launcher, const cuda::Stopwatch &watch,
                               Grid grid) {
    if (llvm::Error error = watch.start(nullptr))
      return std::move(error);
    if (llvm::Error error = launcher.run({grid[0], grid[1], grid[2]}, nullptr, slots))
      return std::move(error);
    if (llvm::Error error = watch.stop(nullptr))
      return std::move(error);
    return watch.milliseconds();
  }

  llvm::Error download() {
    for (auto &[buffer, name] : buffers) {
      if (llvm::Error error = copies.find(buffer)->second.download(buffer->data(), buffer->size()))
        return error;
      buffer->settle();
    }
    return llvm::Error::success();
  }

  llvm::Expected<RunTime> measure(const cuda::Launcher &launcher, const cuda::Stopwatch &watch,
                                  Grid grid, unsigned launches) {
    llvm::Expected<int> cacheBytes = device->attribute(cuda::DeviceAttribute::L2CacheSize);
    if (!cacheBytes)
      return cacheBytes.takeError();
    llvm::Expected<cuda::Buffer> flush =
        cuda::Buffer::allocate(device, static_cast<size_t>(*cacheBytes) * 4);
    if (!flush)
      return flush.takeError();
    std::vector<double> times;
    for (unsigned i = 0; i != launches; ++i) {
      if (llvm::Error error = flush->fill(0))
        return std::move(error);
      llvm::Expected<float> time = launch(launcher, watch, grid);
      if (!time)
        return time.takeError();
      times.push_back(*time);
    }
    llvm::sort(times);
    return RunTime{times[times.size() / 2], launches};
  }

  llvm::Expected<RunTime> run(const CompiledKernel &kernel, unsigned warpSize, Grid grid,
                              unsigned launches) {
    llvm::Expected<std::shared_ptr<const cuda::Module>> module =
        cuda::Module::load(device, kernel.artifact.bytes);
    if (!module)
      return module.takeError();
    cuda::LaunchShape shape;
    shape.threads = kernel.kernel.numWarps * warpSize;
    shape.ctasPerCluster = kernel.kernel.numCtas;
    shape.sharedBytes = kernel.kernel.sharedBytes;
    shape.scratchBytes = kernel.kernel.globalScratchBytes;
    llvm::Expected<cuda::Launcher> launcher = cuda::Launcher::create(
        *module, kernel.kernel.name, shape, static_cast<unsigned>(arguments.runtime.size()));
    if (!launcher)
      return launcher.takeError();
    llvm::Expected<cuda::Stopwatch> watch = cuda::Stopwatch::create(device);
    if (!watch)
      return watch.takeError();
    if (llvm::Error error = upload())
      return std::move(error);
    llvm::Expected<float> first = launch(*launcher, *watch, grid);
    if (!first)
      return first.takeError();
    // Results first: launches for the time may overwrite them (atomics, in-place kernels).
    if (llvm::Error error = download())
      return std::move(error);
    return launches ? measure(*launcher, *watch, grid, launches) : RunTime{*first, 1};
  }

private:
  std::shared_ptr<const cuda::Device> device;
  const KernelArguments &arguments;
  llvm::MapVector<host::Buffer *, std::string> buffers;
  llvm::MapVector<host::Buffer *, cuda::Buffer> copies;
  std::vector<uint64_t> slots;
};

} // namespace

std::optional<RunTime> runOnCuda(std::shared_ptr<const cuda::Device> device,
                                 const CompiledKernel &kernel, unsigned warpSize,
                                 const KernelArguments &arguments, Grid grid, unsigned launches,
                                 diag::Sink &sink) {
  llvm::Expected<RunTime> time =
      CudaRun(std::move(device), arguments).run(kernel, warpSize, grid, launches);
  if (time)
    return *time;
  reportDevice(time.takeError(), sink);
  return std::nullopt;
}

} // namespace gluonc::driver
