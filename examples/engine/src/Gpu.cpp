#include "Gpu.h"

#include <dlfcn.h>
#include <utility>

namespace engine {

/// Functions of the driver (CUDA Driver API), by the names that its library exports.
struct Driver {
  void *library = nullptr;
  int (*init)(unsigned) = nullptr;
  int (*getErrorString)(int, const char **) = nullptr;
  int (*deviceGet)(int *, int) = nullptr;
  int (*deviceGetAttribute)(int *, int, int) = nullptr;
  int (*retainContext)(void **, int) = nullptr;
  int (*releaseContext)(int) = nullptr;
  int (*setContext)(void *) = nullptr;
  int (*enablePeer)(void *, unsigned) = nullptr;
  int (*allocate)(uint64_t *, size_t) = nullptr;
  int (*free)(uint64_t) = nullptr;
  int (*allocateHost)(void **, size_t) = nullptr;
  int (*freeHost)(void *) = nullptr;
  int (*info)(size_t *, size_t *) = nullptr;
  int (*upload)(uint64_t, const void *, size_t, void *) = nullptr;
  int (*download)(void *, uint64_t, size_t, void *) = nullptr;
  int (*fill)(uint64_t, unsigned char, size_t, void *) = nullptr;
  int (*createStream)(void **, unsigned) = nullptr;
  int (*destroyStream)(void *) = nullptr;
  int (*synchronize)(void *) = nullptr;
  int (*beginCapture)(void *, int) = nullptr;
  int (*endCapture)(void *, void **) = nullptr;
  int (*instantiate)(void **, void *, unsigned long long) = nullptr;
  int (*launchGraph)(void *, void *) = nullptr;
  int (*destroyGraph)(void *) = nullptr;
  int (*destroyGraphExec)(void *) = nullptr;

  ~Driver() {
    if (library)
      dlclose(library);
  }

  Expected<void> check(int status, const char *what) const {
    if (status == 0)
      return {};
    const char *words = nullptr;
    getErrorString(status, &words);
    return fail(std::string(what) + ": " +
                (words ? words : "CUDA error " + std::to_string(status)));
  }

  Expected<void> open() {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fail(std::string("no CUDA driver: ") + dlerror());
    const char *missing = nullptr;
    auto find = [&]<typename Fn>(Fn *&function, const char *name) {
      function = reinterpret_cast<Fn *>(dlsym(library, name));
      if (!function)
        missing = name;
    };
    find(init, "cuInit");
    find(getErrorString, "cuGetErrorString");
    find(deviceGet, "cuDeviceGet");
    find(deviceGetAttribute, "cuDeviceGetAttribute");
    find(retainContext, "cuDevicePrimaryCtxRetain");
    find(releaseContext, "cuDevicePrimaryCtxRelease_v2");
    find(setContext, "cuCtxSetCurrent");
    find(enablePeer, "cuCtxEnablePeerAccess");
    find(allocate, "cuMemAlloc_v2");
    find(free, "cuMemFree_v2");
    find(allocateHost, "cuMemAllocHost_v2");
    find(freeHost, "cuMemFreeHost");
    find(info, "cuMemGetInfo_v2");
    find(upload, "cuMemcpyHtoDAsync_v2");
    find(download, "cuMemcpyDtoHAsync_v2");
    find(fill, "cuMemsetD8Async");
    find(createStream, "cuStreamCreate");
    find(destroyStream, "cuStreamDestroy_v2");
    find(synchronize, "cuStreamSynchronize");
    find(beginCapture, "cuStreamBeginCapture_v2");
    find(endCapture, "cuStreamEndCapture");
    find(instantiate, "cuGraphInstantiateWithFlags");
    find(launchGraph, "cuGraphLaunch");
    find(destroyGraph, "cuGraphDestroy");
    find(destroyGraphExec, "cuGraphExecDestroy");
    if (missing)
      return fail(std::string("the CUDA driver has no ") + missing);
    return check(init(0), "cuInit");
  }
};

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(driver, other.driver);
  std::swap(place, other.place);
  std::swap(onHost, other.onHost);
  return *this;
}

Memory::~Memory() {
  if (!place)
    return;
  if (onHost)
    driver->freeHost(at());
  else
    driver->free(place);
}

Graph &Graph::operator=(Graph &&other) noexcept {
  std::swap(driver, other.driver);
  std::swap(handle, other.handle);
  return *this;
}

Graph::~Graph() {
  if (handle)
    driver->destroyGraphExec(handle);
}

Expected<std::unique_ptr<Gpu>> Gpu::open(int device) {
  std::unique_ptr<Gpu> gpu(new Gpu);
  gpu->driver = std::make_unique<Driver>();
  Driver &driver = *gpu->driver;
  if (auto opened = driver.open(); !opened)
    return std::unexpected(opened.error());
  if (auto found = driver.check(driver.deviceGet(&gpu->device, device), "cuDeviceGet"); !found)
    return std::unexpected(found.error());
  constexpr int multiprocessorCount = 16;
  int count = 0;
  driver.deviceGetAttribute(&count, multiprocessorCount, gpu->device);
  gpu->count = static_cast<unsigned>(count);
  if (auto has = driver.check(driver.retainContext(&gpu->context, gpu->device), "CUDA context");
      !has)
    return std::unexpected(has.error());
  if (auto is = gpu->makeCurrent(); !is)
    return std::unexpected(is.error());
  constexpr unsigned nonBlocking = 1;
  if (auto has = driver.check(driver.createStream(&gpu->queue, nonBlocking), "CUDA stream"); !has)
    return std::unexpected(has.error());
  return gpu;
}

Gpu::~Gpu() {
  if (queue)
    driver->destroyStream(queue);
  if (context)
    driver->releaseContext(device);
}

Expected<void> Gpu::makeCurrent() {
  return driver->check(driver->setContext(context), "CUDA context");
}

Expected<void> Gpu::reach(const Gpu &other) {
  if (Expected<void> done = makeCurrent(); !done)
    return done;
  return driver->check(driver->enablePeer(other.context, 0), "access to another GPU's memory");
}

Expected<Memory> Gpu::allocate(size_t bytes) {
  uint64_t address = 0;
  if (auto done = driver->check(driver->allocate(&address, bytes),
                                ("device memory of " + std::to_string(bytes) + " bytes").c_str());
      !done)
    return std::unexpected(done.error());
  Memory memory(driver.get(), address, false);
  if (auto done = driver->check(driver->fill(address, 0, bytes, queue), "cuMemsetD8Async"); !done)
    return std::unexpected(done.error());
  return memory;
}

Expected<Memory> Gpu::allocateOnHost(size_t bytes) {
  void *address = nullptr;
  if (auto done = driver->check(driver->allocateHost(&address, bytes), "host memory"); !done)
    return std::unexpected(done.error());
  return Memory(driver.get(), reinterpret_cast<uint64_t>(address), true);
}

Expected<size_t> Gpu::freeBytes() {
  size_t free = 0, total = 0;
  if (auto done = driver->check(driver->info(&free, &total), "cuMemGetInfo"); !done)
    return std::unexpected(done.error());
  return free;
}

Expected<void> Gpu::upload(uint64_t to, const void *from, size_t bytes) {
  return driver->check(driver->upload(to, from, bytes, queue), "copy to the device");
}

Expected<void> Gpu::download(void *to, uint64_t from, size_t bytes) {
  return driver->check(driver->download(to, from, bytes, queue), "copy from the device");
}

Expected<void> Gpu::synchronize() {
  return driver->check(driver->synchronize(queue), "the device");
}

Expected<void> Gpu::beginRecording() {
  constexpr int relaxed = 2;
  return driver->check(driver->beginCapture(queue, relaxed), "CUDA graph");
}

Expected<Graph> Gpu::endRecording() {
  void *graph = nullptr, *executable = nullptr;
  if (auto done = driver->check(driver->endCapture(queue, &graph), "CUDA graph"); !done)
    return std::unexpected(done.error());
  auto done = driver->check(driver->instantiate(&executable, graph, 0), "CUDA graph");
  driver->destroyGraph(graph);
  if (!done)
    return std::unexpected(done.error());
  return Graph(driver.get(), executable);
}

Expected<void> Gpu::launch(const Graph &graph) {
  return driver->check(driver->launchGraph(graph.raw(), queue), "CUDA graph");
}

} // namespace engine
