#include "runtime/cuda/Device.h"

#include <limits>

namespace gluonc::cuda {

llvm::Expected<int> Device::count(const Driver &driver) {
  int count = 0;
  if (llvm::Error error = driver.check(driver.api().cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return std::move(error);
  return count;
}

int Device::current(const Driver &driver) {
  CUdevice current = 0, handle = 0;
  int devices = 0;
  const Table &api = driver.api();
  if (api.cuCtxGetDevice(&current) != success || api.cuDeviceGetCount(&devices) != success)
    return 0;
  for (int ordinal = 0; ordinal != devices; ++ordinal)
    if (api.cuDeviceGet(&handle, ordinal) == success && handle == current)
      return ordinal;
  return 0;
}

llvm::Expected<std::shared_ptr<const Device>> Device::open(std::shared_ptr<const Driver> driver,
                                                           int ordinal) {
  llvm::Expected<int> devices = count(*driver);
  if (!devices)
    return devices.takeError();
  if (ordinal < 0 || ordinal >= *devices)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no CUDA device %d: the driver finds %d", ordinal, *devices);
  std::shared_ptr<Device> device(new Device());
  const Table &api = driver->api();
  device->index = ordinal;
  if (llvm::Error error = driver->check(api.cuDeviceGet(&device->handle, ordinal), "cuDeviceGet"))
    return std::move(error);
  char name[256] = {};
  if (llvm::Error error = driver->check(api.cuDeviceGetName(name, sizeof name - 1, device->handle),
                                        "cuDeviceGetName"))
    return std::move(error);
  device->deviceName = name;
  size_t bytes = 0;
  if (llvm::Error error =
          driver->check(api.cuDeviceTotalMem_v2(&bytes, device->handle), "cuDeviceTotalMem"))
    return std::move(error);
  device->memoryBytes = bytes;
  // From here on the destructor gives the context back.
  if (llvm::Error error =
          driver->check(api.cuDevicePrimaryCtxRetain(&device->context, device->handle),
                        "cuDevicePrimaryCtxRetain"))
    return std::move(error);
  device->cuda = std::move(driver);
  llvm::Expected<int> major = device->attribute(DeviceAttribute::ComputeCapabilityMajor);
  if (!major)
    return major.takeError();
  llvm::Expected<int> minor = device->attribute(DeviceAttribute::ComputeCapabilityMinor);
  if (!minor)
    return minor.takeError();
  device->capability = static_cast<unsigned>(*major * 10 + *minor);
  if (llvm::Error error = device->activate())
    return std::move(error);
  return device;
}

Device::~Device() {
  if (cuda && context)
    cuda->api().cuDevicePrimaryCtxRelease_v2(handle);
}

llvm::Expected<int> Device::attribute(DeviceAttribute which) const {
  int value = 0;
  if (llvm::Error error =
          cuda->check(cuda->api().cuDeviceGetAttribute(&value, static_cast<int>(which), handle),
                      "cuDeviceGetAttribute"))
    return std::move(error);
  return value;
}

llvm::Error Device::activate() const {
  return cuda->check(cuda->api().cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

llvm::Error Device::synchronize() const {
  if (llvm::Error error = activate())
    return error;
  return cuda->check(cuda->api().cuCtxSynchronize(), "waiting for the device");
}

llvm::Expected<MemoryPool> MemoryPool::create(const Device &device) {
  const Driver &driver = device.driver();
  const Table &api = driver.api();
  if (!api.cuMemPoolCreate || !api.cuMemPoolDestroy || !api.cuMemPoolSetAttribute ||
      !api.cuMemAllocFromPoolAsync || !api.cuMemFreeAsync)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the CUDA driver is older than 11.2 (no memory pools)");
  MemoryPoolProperties properties;
  properties.device = device.ordinal();
  CUmemoryPool pool = nullptr;
  if (llvm::Error error = driver.check(api.cuMemPoolCreate(&pool, &properties), "cuMemPoolCreate"))
    return std::move(error);
  MemoryPool made(driver, pool);
  uint64_t keepAll = std::numeric_limits<uint64_t>::max();
  if (llvm::Error error = driver.check(
          api.cuMemPoolSetAttribute(pool, poolReleaseThreshold, &keepAll), "cuMemPoolSetAttribute"))
    return std::move(error);
  return std::move(made);
}

MemoryPool::~MemoryPool() {
  if (pool)
    cuda->api().cuMemPoolDestroy(pool);
}

CUresult MemoryPool::take(CUdeviceptr &pointer, size_t bytes, CUstream stream) const {
  return cuda->api().cuMemAllocFromPoolAsync(&pointer, bytes, pool, stream);
}

CUresult MemoryPool::giveBack(CUdeviceptr pointer, CUstream stream) const {
  return cuda->api().cuMemFreeAsync(pointer, stream);
}

llvm::Expected<Buffer> Buffer::allocate(std::shared_ptr<const Device> device, size_t bytes) {
  Buffer buffer;
  if (llvm::Error error = device->activate())
    return std::move(error);
  const Driver &driver = device->driver();
  // An empty tensor still gets an address of its own.
  if (llvm::Error error =
          driver.check(driver.api().cuMemAlloc_v2(&buffer.pointer, bytes ? bytes : 1),
                       ("cuMemAlloc of " + llvm::Twine(bytes) + " bytes").str()))
    return std::move(error);
  buffer.device = std::move(device);
  buffer.bytes = bytes;
  return buffer;
}

Buffer::~Buffer() {
  if (device)
    device->driver().api().cuMemFree_v2(pointer);
}

llvm::Error Buffer::upload(const void *from, size_t count, size_t offset) const {
  if (!count)
    return llvm::Error::success();
  const Driver &driver = device->driver();
  return driver.check(driver.api().cuMemcpyHtoD_v2(pointer + offset, from, count),
                      "copying to the device");
}

llvm::Error Buffer::download(void *to, size_t count, size_t offset) const {
  if (!count)
    return llvm::Error::success();
  const Driver &driver = device->driver();
  return driver.check(driver.api().cuMemcpyDtoH_v2(to, pointer + offset, count),
                      "copying from the device");
}

llvm::Error Buffer::fill(uint8_t value) const {
  const Driver &driver = device->driver();
  return driver.check(driver.api().cuMemsetD8_v2(pointer, value, bytes), "cuMemsetD8");
}

llvm::Expected<Stopwatch> Stopwatch::create(std::shared_ptr<const Device> device) {
  if (llvm::Error error = device->activate())
    return std::move(error);
  const Driver &driver = device->driver();
  Stopwatch watch(device, nullptr, nullptr);
  if (llvm::Error error =
          driver.check(driver.api().cuEventCreate(&watch.begin, 0), "cuEventCreate"))
    return std::move(error);
  if (llvm::Error error = driver.check(driver.api().cuEventCreate(&watch.end, 0), "cuEventCreate"))
    return std::move(error);
  return std::move(watch);
}

Stopwatch::~Stopwatch() {
  if (begin)
    device->driver().api().cuEventDestroy_v2(begin);
  if (end)
    device->driver().api().cuEventDestroy_v2(end);
}

llvm::Error Stopwatch::start(CUstream stream) const {
  return device->driver().check(device->driver().api().cuEventRecord(begin, stream),
                                "cuEventRecord");
}

llvm::Error Stopwatch::stop(CUstream stream) const {
  return device->driver().check(device->driver().api().cuEventRecord(end, stream), "cuEventRecord");
}

llvm::Expected<float> Stopwatch::milliseconds() const {
  const Driver &driver = device->driver();
  if (llvm::Error error =
          driver.check(driver.api().cuEventSynchronize(end), "waiting for the kernel"))
    return std::move(error);
  float value = 0;
  if (llvm::Error error =
          driver.check(driver.api().cuEventElapsedTime(&value, begin, end), "cuEventElapsedTime"))
    return std::move(error);
  return value;
}

} // namespace gluonc::cuda
