#include "runtime/hip/Launcher.h"

#include "target/Limits.h"

#include "llvm/Support/raw_ostream.h"

#include <limits>

namespace gluonc::hip {

/// A dispatch counts threads, not workgroups, in 32 bits along x (HIP, "hipModuleLaunchKernel").
static Grid mostPrograms(const LaunchShape &shape) {
  unsigned workgroups =
      std::min(target::maxGridX, std::numeric_limits<uint32_t>::max() / shape.threads);
  return {workgroups / shape.ctasPerCluster, target::maxGridYZ, target::maxGridYZ};
}

llvm::Expected<Launcher> Launcher::create(std::shared_ptr<const Module> module,
                                          const std::string &name, const LaunchShape &shape,
                                          unsigned parameters) {
  Launcher launcher;
  llvm::Expected<Function> function = module->function(name, shape.sharedBytes);
  if (!function)
    return function.takeError();
  const Device &device = *module->device();
  if (shape.threads > static_cast<unsigned>(function->maxThreads))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "%s has %u threads; it was compiled for %d", name.c_str(),
                                   shape.threads, function->maxThreads);
  if (shape.ctasPerCluster > 1 && !device.driver().api().hipDrvLaunchKernelEx)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the HIP driver launches no clusters (no hipDrvLaunchKernelEx)");
  launcher.kernel = *function;
  launcher.parameters = Parameters(parameters, shape.byAddress, shape.profileAddress);
  launcher.threads = shape.threads;
  launcher.clusterSize = shape.ctasPerCluster;
  launcher.sharedBytes = shape.sharedBytes;
  launcher.isCooperative = shape.mode.cooperative;
  launcher.most = mostPrograms(shape);
  if (shape.scratchBytes) {
    llvm::Expected<MemoryPool> pool = MemoryPool::create(device);
    if (!pool)
      return pool.takeError();
    launcher.scratchBytes = shape.scratchBytes;
    launcher.scratch = std::make_unique<MemoryPool>(std::move(*pool));
  }
  launcher.module = std::move(module);
  return std::move(launcher);
}

Result Launcher::launch(Grid grid, Stream stream, const uint64_t *slots) const {
  if (!runtime::fits(grid, most)) [[unlikely]]
    return errorInvalidValue;
  CurrentDevice current(device());
  if (current.result() != success) [[unlikely]]
    return current.result();
  // The default stream is never captured.
  if (stream && !module->wasKept())
    keepIfCaptured(stream);
  if (scratch) [[unlikely]]
    return launchWithScratch(grid, stream, slots);
  if (parameters.all() > Parameters::inlinePointers) [[unlikely]]
    return launchMany(grid, stream, slots, &Parameters::noScratch);
  void *pointers[Parameters::inlinePointers];
  return call(grid, stream, slots, pointers, &Parameters::noScratch);
}

Result Launcher::call(Grid grid, Stream stream, const uint64_t *slots, void **pointers,
                      const uint64_t *scratchAddress) const {
  parameters.point(pointers, slots, scratchAddress);
  const Table &api = device().driver().api();
  if (clusterSize > 1)
    return callWithClusters(grid, stream, pointers);
  if (isCooperative)
    return api.hipModuleLaunchCooperativeKernel(kernel.handle, grid.x, grid.y, grid.z, threads, 1,
                                                1, sharedBytes, stream, pointers);
  return api.hipModuleLaunchKernel(kernel.handle, grid.x, grid.y, grid.z, threads, 1, 1,
                                   sharedBytes, stream, pointers, nullptr);
}

Result Launcher::callWithClusters(Grid grid, Stream stream, void **pointers) const {
  LaunchAttribute attributes[2];
  attributes[0].id = LaunchAttribute::ClusterDimension;
  attributes[0].clusterDimension[0] = clusterSize;
  attributes[0].clusterDimension[1] = attributes[0].clusterDimension[2] = 1;
  attributes[1].id = LaunchAttribute::Cooperative;
  attributes[1].flag = 1;
  LaunchConfig config;
  config.gridX = grid.x * clusterSize;
  config.gridY = grid.y;
  config.gridZ = grid.z;
  config.blockX = threads;
  config.sharedBytes = sharedBytes;
  config.stream = stream;
  config.attributes = attributes;
  config.attributeCount = isCooperative ? 2 : 1;
  return device().driver().api().hipDrvLaunchKernelEx(&config, kernel.handle, pointers, nullptr);
}

void Launcher::keepIfCaptured(Stream stream) const {
  auto *ask = device().driver().api().hipStreamIsCapturing;
  int status = 0;
  if (ask && ask(stream, &status) == success && status)
    module->keep();
}

Result Launcher::launchMany(Grid grid, Stream stream, const uint64_t *slots,
                            const uint64_t *scratchAddress) const {
  llvm::SmallVector<void *, Parameters::inlinePointers> pointers(parameters.all());
  return call(grid, stream, slots, pointers.data(), scratchAddress);
}

Result Launcher::launchWithScratch(Grid grid, Stream stream, const uint64_t *slots) const {
  size_t ctas = size_t(grid.x) * clusterSize * grid.y * grid.z;
  void *memory = nullptr;
  if (Result result = scratch->take(memory, ctas * scratchBytes, stream))
    return result;
  auto address = reinterpret_cast<uint64_t>(memory);
  Result launched = launchMany(grid, stream, slots, &address);
  Result returned = scratch->giveBack(memory, stream);
  return launched ? launched : returned;
}

std::optional<unsigned> Launcher::residentCtas() const {
  auto *ask = device().driver().api().hipModuleOccupancyMaxActiveBlocksPerMultiprocessor;
  llvm::Expected<int> processors = device().attribute(DeviceAttribute::MultiprocessorCount);
  if (!processors) {
    llvm::consumeError(processors.takeError());
    return std::nullopt;
  }
  int count = 0;
  if (!ask || ask(&count, kernel.handle, static_cast<int>(threads), sharedBytes) != success)
    return std::nullopt;
  return unsigned(count) * unsigned(*processors);
}

std::string Launcher::whyNotPossible(Grid grid, const LaunchShape &shape) {
  return runtime::whyTooLarge(grid, mostPrograms(shape));
}

std::string Launcher::describeFailure(Result result, Grid grid) const {
  std::string text = runtime::whyTooLarge(grid, most);
  if (!text.empty())
    return text;
  text = "launching the kernel";
  if (result != errorCooperativeLaunchTooLarge)
    return text;
  if (std::optional<unsigned> resident = residentCtas())
    llvm::raw_string_ostream(text)
        << ", a cooperative one of " << uint64_t(grid.x) * grid.y * grid.z * clusterSize
        << " CTAs; at most " << *resident << " are on the GPU at the same time";
  return text;
}

llvm::Error Launcher::run(Grid grid, Stream stream, llvm::ArrayRef<uint64_t> slots) const {
  if (slots.size() != parameters.visible())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the kernel takes %u launch arguments, not %zu",
                                   parameters.visible(), slots.size());
  // As in Triton, an empty grid runs nothing; the driver would call it an error.
  if (!grid.x || !grid.y || !grid.z)
    return llvm::Error::success();
  Result result = launch(grid, stream, slots.data());
  if (result == success)
    return llvm::Error::success();
  return device().driver().fail(result, describeFailure(result, grid));
}

} // namespace gluonc::hip
