#include "driver/LaunchParameters.h"
#include "driver/Run.h"
#include "driver/Stamped.h"

#include "llvm/ADT/MapVector.h"

#include <deque>

namespace gluonc::driver {

namespace {

/// What a run takes from each vendor's runtime, under one name.
struct Cuda {
  using Device = cuda::Device;
  using Module = cuda::Module;
  using Launcher = cuda::Launcher;
  using Buffer = cuda::Buffer;
  using Stopwatch = cuda::Stopwatch;
  static constexpr auto cacheSize = cuda::DeviceAttribute::L2CacheSize;
};
struct Hip {
  using Device = hip::Device;
  using Module = hip::Module;
  using Launcher = hip::Launcher;
  using Buffer = hip::Buffer;
  using Stopwatch = hip::Stopwatch;
  static constexpr auto cacheSize = hip::DeviceAttribute::L2CacheSize;
};

/// A launch with its buffers on the device.
template <class Api> class GpuRun {
public:
  using Device = typename Api::Device;
  using Launcher = typename Api::Launcher;
  using Buffer = typename Api::Buffer;
  using Stopwatch = typename Api::Stopwatch;

  GpuRun(std::shared_ptr<const Device> device, const KernelArguments &arguments)
      : device(std::move(device)), arguments(arguments) {}

  llvm::Expected<RunTime> run(const CompiledKernel &kernel, unsigned warpSize, Grid grid,
                              unsigned launches, StampedRun *stamped) {
    llvm::Expected<Launcher> launcher = load(kernel, warpSize);
    if (!launcher)
      return launcher.takeError();
    llvm::Expected<Stopwatch> watch = Stopwatch::create(device);
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
    if (!launches)
      return RunTime{*first, 1};
    llvm::Expected<RunTime> time = measure(*launcher, *watch, grid, launches);
    if (time && stamped)
      if (llvm::Error error = record(*stamped, warpSize, *watch, grid, launches))
        return std::move(error);
    return time;
  }

private:
  llvm::Expected<Launcher> load(const CompiledKernel &kernel, unsigned warpSize,
                                uint64_t profileAddress = 0) {
    auto module = Api::Module::load(device, kernel.artifact.bytes);
    if (!module)
      return module.takeError();
    runtime::LaunchShape shape;
    shape.threads = kernel.kernel.numWarps * warpSize;
    shape.ctasPerCluster = kernel.kernel.numCtas;
    shape.sharedBytes = kernel.kernel.sharedBytes;
    shape.scratchBytes = kernel.kernel.globalScratchBytes;
    shape.profileAddress = profileAddress;
    const LaunchParameters parameters = launchParameters(arguments.specs);
    shape.byAddress = parameters.machineDescriptors;
    return Launcher::create(*module, kernel.kernel.name, shape, parameters.machineCount);
  }

  /// The time of the kernel with timestamps, and what one more launch of it records.
  llvm::Error record(StampedRun &recorded, unsigned warpSize, const Stopwatch &watch, Grid grid,
                     unsigned launches) {
    const uint64_t ctas =
        uint64_t(grid[0]) * grid[1] * grid[2] * recorded.stamped.kernel.kernel.numCtas;
    recorded.records.resize(recorded.stamped.timed.bytes(ctas));
    // At a multiple of what a warp has.
    constexpr uint64_t align = ptx::TimestampedKernel::bytesOfWarp;
    llvm::Expected<Buffer> memory = Buffer::allocate(device, recorded.records.size() + align);
    if (!memory)
      return memory.takeError();
    const uint64_t begin = llvm::alignTo(memory->address(), align);
    llvm::Expected<Launcher> launcher = load(recorded.stamped.kernel, warpSize, begin);
    if (!launcher)
      return launcher.takeError();
    llvm::Expected<RunTime> time = measure(*launcher, watch, grid, launches);
    if (!time)
      return time.takeError();
    recorded.milliseconds = time->milliseconds;
    if (llvm::Error error = memory->fill(0))
      return error;
    llvm::Expected<float> last = launch(*launcher, watch, grid);
    if (!last)
      return last.takeError();
    std::vector<uint8_t> all(memory->size());
    if (llvm::Error error = memory->download(all.data(), all.size()))
      return error;
    std::copy_n(all.begin() + ptrdiff_t(begin - memory->address()), recorded.records.size(),
                recorded.records.begin());
    return llvm::Error::success();
  }

  llvm::Error upload() {
    for (const auto &[buffer, name] : buffersOf(arguments))
      if (llvm::Error error = upload(buffer))
        return error;
    for (const auto &[buffer, copy] : copies)
      if (llvm::Error error = translate(*buffer, copy))
        return error;
    for (const RuntimeArgument &argument : arguments.runtime) {
      const host::Tensor *tensor = std::get_if<host::Tensor>(&argument.value);
      if (!tensor) {
        slots.push_back(scalarBits(argument));
        continue;
      }
      const uint64_t address =
          copies.find(tensor->storage().get())->second.address() + tensor->byteOffset();
      if (argument.described.rank()) {
        if (llvm::Error error = append(argument, address))
          return error;
      } else {
        slots.push_back(address);
      }
    }
    return llvm::Error::success();
  }

  /// A descriptor of the copy, and what follows it.
  llvm::Error append(const RuntimeArgument &argument, uint64_t address) {
    TensorDescription tensor = argument.description;
    tensor.base = address;
    runtime::Slots words;
    if constexpr (std::is_same_v<Api, Cuda>) {
      cuda::TensorMap *next = &maps.emplace_back();
      if (llvm::Error error =
              runtime::append(device->driver(), argument.described, tensor, next, words))
        return error;
    } else {
      runtime::append(argument.described, tensor, words);
    }
    llvm::append_range(slots, words);
    return llvm::Error::success();
  }

  llvm::Error upload(host::Buffer *buffer) {
    llvm::Expected<Buffer> copy = Buffer::allocate(device, buffer->size());
    if (!copy)
      return copy.takeError();
    if (llvm::Error error = copy->upload(buffer->data(), buffer->size()))
      return error;
    copies.insert({buffer, std::move(*copy)});
    return llvm::Error::success();
  }

  /// Where elements are addresses of buffers, the copy has those of their copies.
  llvm::Error translate(const host::Buffer &buffer, const Buffer &copy) {
    if (buffer.reached.empty())
      return llvm::Error::success();
    std::vector<uint64_t> addresses(buffer.reached.size());
    std::memcpy(addresses.data(), buffer.data(), addresses.size() * sizeof(uint64_t));
    for (size_t i = 0; i != addresses.size(); ++i) {
      host::Buffer *reached = buffer.reached[i].second.get();
      addresses[i] +=
          copies.find(reached)->second.address() - reinterpret_cast<uint64_t>(reached->data());
    }
    return copy.upload(addresses.data(), addresses.size() * sizeof(uint64_t));
  }

  llvm::Expected<float> launch(const Launcher &launcher, const Stopwatch &watch, Grid grid) {
    if (llvm::Error error = watch.start(nullptr))
      return std::move(error);
    if (llvm::Error error = launcher.run({grid[0], grid[1], grid[2]}, nullptr, slots))
      return std::move(error);
    if (llvm::Error error = watch.stop(nullptr))
      return std::move(error);
    return watch.milliseconds();
  }

  llvm::Error download() {
    for (auto &[buffer, copy] : copies) {
      // Addresses that only the device knows.
      if (!buffer->reached.empty())
        continue;
      if (llvm::Error error = copy.download(buffer->data(), buffer->size()))
        return error;
      buffer->settle();
    }
    return llvm::Error::success();
  }

  llvm::Expected<RunTime> measure(const Launcher &launcher, const Stopwatch &watch, Grid grid,
                                  unsigned launches) {
    llvm::Expected<int> cacheBytes = device->attribute(Api::cacheSize);
    if (!cacheBytes)
      return cacheBytes.takeError();
    llvm::Expected<Buffer> flush = Buffer::allocate(device, static_cast<size_t>(*cacheBytes) * 4);
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

  std::shared_ptr<const Device> device;
  const KernelArguments &arguments;
  llvm::MapVector<host::Buffer *, Buffer> copies;
  std::vector<uint64_t> slots;
  /// What slots of descriptors point to.
  std::deque<cuda::TensorMap> maps;
};

template <class Api>
std::optional<RunTime> runOnGpu(std::shared_ptr<const typename Api::Device> device,
                                const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, unsigned launches,
                                diag::Sink &sink, StampedRun *stamped = nullptr) {
  llvm::Expected<RunTime> time =
      GpuRun<Api>(std::move(device), arguments).run(kernel, warpSize, grid, launches, stamped);
  if (time)
    return *time;
  reportDevice(time.takeError(), sink);
  return std::nullopt;
}

} // namespace

std::optional<RunTime> runOnCuda(std::shared_ptr<const cuda::Device> device,
                                 const CompiledKernel &kernel, unsigned warpSize,
                                 const KernelArguments &arguments, Grid grid, unsigned launches,
                                 diag::Sink &sink, StampedRun *stamped) {
  return runOnGpu<Cuda>(std::move(device), kernel, warpSize, arguments, grid, launches, sink,
                        stamped);
}

std::optional<RunTime> runOnHip(std::shared_ptr<const hip::Device> device,
                                const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, unsigned launches,
                                diag::Sink &sink) {
  return runOnGpu<Hip>(std::move(device), kernel, warpSize, arguments, grid, launches, sink);
}

} // namespace gluonc::driver
