#include "runtime/cuda/Launcher.h"

#include "target/nvidia/Chips.h"

#include "llvm/Support/raw_ostream.h"

namespace gluonc::cuda {

static Grid mostPrograms(unsigned ctasPerCluster) {
  return {target::maxGridX / ctasPerCluster, target::maxGridYZ, target::maxGridYZ};
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
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "%s has %u threads; with its %d registers it may have %d",
        name.c_str(), shape.threads, function->registers, function->maxThreads);
  launcher.enter = device.driver().api().cuLaunchKernelEx;
  if (!launcher.enter)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the CUDA driver is older than 11.8 (no cuLaunchKernelEx)");
  if (shape.ctasPerCluster > target::nvidia::portableCtasPerCluster)
    if (llvm::Error error = device.driver().check(
            device.driver().api().cuFuncSetAttribute(
                function->handle,
                static_cast<int>(FunctionAttribute::NonPortableClusterSizeAllowed), 1),
            "allowing clusters of more than 8 CTAs"))
      return std::move(error);
  launcher.kernel = *function;
  launcher.parameters = Parameters(parameters, shape.byAddress, shape.profileAddress);
  launcher.clusterSize = shape.ctasPerCluster;
  launcher.most = mostPrograms(shape.ctasPerCluster);
  launcher.prepared.blockX = shape.threads;
  launcher.prepared.sharedBytes = shape.sharedBytes;
  auto attribute = [&](LaunchAttribute::Id id) -> LaunchAttribute & {
    LaunchAttribute &added = launcher.attributes.emplace_back();
    added.id = id;
    return added;
  };
  if (shape.ctasPerCluster > 1) {
    LaunchAttribute &cluster = attribute(LaunchAttribute::ClusterDimension);
    cluster.clusterDimension[0] = shape.ctasPerCluster;
    cluster.clusterDimension[1] = cluster.clusterDimension[2] = 1;
  }
  if (shape.mode.cooperative)
    attribute(LaunchAttribute::Cooperative).flag = 1;
  if (shape.mode.programmaticDependent)
    attribute(LaunchAttribute::ProgrammaticStreamSerialization).flag = 1;
  launcher.prepared.attributeCount = static_cast<unsigned>(launcher.attributes.size());
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

void Launcher::keepIfCaptured(CUstream stream) const {
  auto *ask = module->device()->driver().api().cuStreamIsCapturing;
  int status = 0;
  if (ask && ask(stream, &status) == success && status)
    module->keep();
}

CUresult Launcher::launchMany(const LaunchConfig &config, const uint64_t *slots,
                              const uint64_t *scratchAddress) const {
  llvm::SmallVector<void *, Parameters::inlinePointers> pointers(parameters.all());
  return call(config, slots, pointers.data(), scratchAddress);
}

CUresult Launcher::launchWithScratch(const LaunchConfig &config, const uint64_t *slots) const {
  ContextKeeper kept(device().driver());
  if (llvm::Error error = device().activate()) {
    llvm::consumeError(std::move(error));
    return errorInvalidContext;
  }
  size_t ctas = size_t(config.gridX) * config.gridY * config.gridZ;
  CUdeviceptr address = 0;
  if (CUresult result = scratch->take(address, ctas * scratchBytes, config.stream))
    return result;
  CUresult launched = launchMany(config, slots, &address);
  CUresult returned = scratch->giveBack(address, config.stream);
  return launched ? launched : returned;
}

CUresult Launcher::retry(const LaunchConfig &config, void **pointers, CUresult first) const {
  if (first != errorInvalidContext && first != errorInvalidHandle)
    return first;
  ContextKeeper kept(device().driver());
  if (llvm::Error error = device().activate()) {
    llvm::consumeError(std::move(error));
    return first;
  }
  return enter(&config, kernel.handle, pointers, nullptr);
}

std::optional<unsigned> Launcher::residentCtas() const {
  const Table &api = device().driver().api();
  int count = 0;
  if (clusterSize > 1) {
    LaunchConfig config = prepared;
    config.gridX = clusterSize;
    config.attributes = attributes.data();
    if (!api.cuOccupancyMaxActiveClusters ||
        api.cuOccupancyMaxActiveClusters(&count, kernel.handle, &config) != success)
      return std::nullopt;
    return unsigned(count) * clusterSize;
  }
  llvm::Expected<int> processors = device().attribute(DeviceAttribute::MultiprocessorCount);
  if (!processors) {
    llvm::consumeError(processors.takeError());
    return std::nullopt;
  }
  if (!api.cuOccupancyMaxActiveBlocksPerMultiprocessor ||
      api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel.handle, int(prepared.blockX),
                                                      prepared.sharedBytes) != success)
    return std::nullopt;
  return unsigned(count) * unsigned(*processors);
}

std::string Launcher::whyNotPossible(Grid grid, unsigned ctasPerCluster) {
  return runtime::whyTooLarge(grid, mostPrograms(ctasPerCluster));
}

std::string Launcher::describeFailure(CUresult result, Grid grid) const {
  std::string text = runtime::whyTooLarge(grid, most);
  if (!text.empty())
    return text;
  llvm::raw_string_ostream out(text);
  out << "launching the kernel";
  bool needsMany = result == errorCooperativeLaunchTooLarge;
  bool needsOne = result == errorInvalidClusterSize || result == errorLaunchOutOfResources;
  std::optional<unsigned> resident =
      needsMany || needsOne ? residentCtas() : std::optional<unsigned>();
  if (needsMany && resident)
    out << ", a cooperative one of " << uint64_t(grid.x) * grid.y * grid.z * clusterSize
        << " CTAs; at most " << *resident << " are on the GPU at the same time";
  if (needsOne && clusterSize > 1)
    out << " in clusters of " << clusterSize << " CTAs, each with " << prepared.blockX
        << " threads of " << kernel.registers << " registers and " << prepared.sharedBytes
        << " bytes of shared memory"
        << (resident && *resident == 0 ? "; no such cluster fits on the GPU" : "");
  return text;
}

llvm::Error Launcher::run(Grid grid, CUstream stream, llvm::ArrayRef<uint64_t> slots) const {
  if (slots.size() != parameters.visible())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the kernel takes %u launch arguments, not %zu",
                                   parameters.visible(), slots.size());
  // As in Triton, an empty grid runs nothing; the driver would call it an error.
  if (!grid.x || !grid.y || !grid.z)
    return llvm::Error::success();
  CUresult result = launch(grid, stream, slots.data());
  if (result == success)
    return llvm::Error::success();
  return device().driver().fail(result, describeFailure(result, grid));
}

} // namespace gluonc::cuda
