#include "runtime/hip/Device.h"

#include <limits>

namespace gluonc::hip {

llvm::Expected<int> Device::count(const Driver &driver) {
  int count = 0;
  if (llvm::Error error = driver.check(driver.api().hipGetDeviceCount(&count), "hipGetDeviceCount"))
    return std::move(error);
  return count;
}

int Device::current(const Driver &driver) {
  int ordinal = 0;
  return driver.api().hipGetDevice(&ordinal) == success ? ordinal : 0;
}

llvm::Expected<std::shared_ptr<const Device>> Device::open(std::shared_ptr<const Driver> driver,
                                                           int ordinal) {
  llvm::Expected<int> devices = count(*driver);
  if (!devices)
    return devices.takeError();
  if (ordinal < 0 || ordinal >= *devices)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no HIP device %d: the driver finds %d", ordinal, *devices);
  std::shared_ptr<Device> device(new Device());
  const Table &api = driver->api();
  device->index = ordinal;
  if (llvm::Error error = driver->check(api.hipDeviceGet(&device->handle, ordinal), "hipDeviceGet"))
    return std::move(error);
  char name[256] = {};
  if (llvm::Error error = driver->check(api.hipDeviceGetName(name, sizeof name - 1, device->handle),
                                        "hipDeviceGetName"))
    return std::move(error);
  device->deviceName = name;
  size_t bytes = 0;
  if (llvm::Error error =
          driver->check(api.hipDeviceTotalMem(&bytes, device->handle), "hipDeviceTotalMem"))
    return std::move(error);
  device->memoryBytes = bytes;
  auto properties = std::make_unique<DeviceProperties>();
  if (llvm::Error error = driver->check(api.hipGetDevicePropertiesR0600(properties.get(), ordinal),
                                        "hipGetDeviceProperties"))
    return std::move(error);
  properties->chipName[sizeof properties->chipName - 1] = 0;
  device->chipName = llvm::StringRef(properties->chipName).split(':').first.str();
  device->hip = std::move(driver);
  return device;
}

llvm::Expected<int> Device::attribute(DeviceAttribute which) const {
  int value = 0;
  if (llvm::Error error =
          hip->check(hip->api().hipDeviceGetAttribute(&value, static_cast<int>(which), handle),
                     "hipDeviceGetAttribute"))
    return std::move(error);
  return value;
}

/// `call` with the device current.
template <typename Call>
static llvm::Error runOn(const Device &device, Call call, llvm::StringRef what) {
  CurrentDevice current(device);
  if (current.result() != success)
    return device.driver().fail(current.result(), "hipSetDevice");
  return device.driver().check(call(device.driver().api()), what);
}

llvm::Error Device::synchronize() const {
  return runOn(
      *this, [](const Table &api) { return api.hipDeviceSynchronize(); }, "hipDeviceSynchronize");
}

llvm::Expected<MemoryPool> MemoryPool::create(const Device &device) {
  const Driver &driver = device.driver();
  const Table &api = driver.api();
  if (!api.hipMemPoolCreate || !api.hipMemPoolDestroy || !api.hipMemPoolSetAttribute ||
      !api.hipMallocFromPoolAsync || !api.hipFreeAsync)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the HIP driver has no memory pools");
  MemoryPoolProperties properties;
  properties.device = device.ordinal();
  MemoryPoolHandle pool = nullptr;
  if (llvm::Error error =
          driver.check(api.hipMemPoolCreate(&pool, &properties), "hipMemPoolCreate"))
    return std::move(error);
  MemoryPool made(driver, pool);
  uint64_t keepAll = std::numeric_limits<uint64_t>::max();
  if (llvm::Error error =
          driver.check(api.hipMemPoolSetAttribute(pool, poolReleaseThreshold, &keepAll),
                       "hipMemPoolSetAttribute"))
    return std::move(error);
  return std::move(made);
}

MemoryPool::~MemoryPool() {
  if (pool)
    hip->api().hipMemPoolDestroy(pool);
}

Result MemoryPool::take(void *&pointer, size_t bytes, Stream stream) const {
  return hip->api().hipMallocFromPoolAsync(&pointer, bytes, pool, stream);
}

Result MemoryPool::giveBack(void *pointer, Stream stream) const {
  return hip->api().hipFreeAsync(pointer, stream);
}

llvm::Expected<Buffer> Buffer::allocate(std::shared_ptr<const Device> device, size_t bytes) {
  Buffer buffer;
  // An empty tensor still gets an address of its own.
  if (llvm::Error error = runOn(
          *device,
          [&](const Table &api) { return api.hipMalloc(&buffer.pointer, bytes ? bytes : 1); },
          ("hipMalloc of " + llvm::Twine(bytes) + " bytes").str()))
    return std::move(error);
  buffer.device = std::move(device);
  buffer.bytes = bytes;
  return buffer;
}

Buffer::~Buffer() {
  if (device)
    device->driver().api().hipFree(pointer);
}

llvm::Error Buffer::upload(const void *from, size_t count, size_t offset) const {
  if (!count)
    return llvm::Error::success();
  return runOn(
      *device, [&](const Table &api) { return api.hipMemcpyHtoD(at(offset), from, count); },
      "copying to the device");
}

llvm::Error Buffer::download(void *to, size_t count, size_t offset) const {
  if (!count)
    return llvm::Error::success();
  return runOn(
      *device, [&](const Table &api) { return api.hipMemcpyDtoH(to, at(offset), count); },
      "copying from the device");
}

llvm::Error Buffer::fill(uint8_t value) const {
  return runOn(
      *device, [&](const Table &api) { return api.hipMemsetD8(pointer, value, bytes); },
      "hipMemsetD8");
}

llvm::Expected<Stopwatch> Stopwatch::create(std::shared_ptr<const Device> device) {
  Stopwatch watch(device, nullptr, nullptr);
  for (Event *event : {&watch.begin, &watch.end})
    if (llvm::Error error = runOn(
            *device, [&](const Table &api) { return api.hipEventCreate(event); }, "hipEventCreate"))
      return std::move(error);
  return std::move(watch);
}

Stopwatch::~Stopwatch() {
  for (Event event : {begin, end})
    if (event)
      device->driver().api().hipEventDestroy(event);
}

llvm::Error Stopwatch::record(Event event, Stream stream) const {
  return runOn(
      *device, [&](const Table &api) { return api.hipEventRecord(event, stream); },
      "hipEventRecord");
}

llvm::Error Stopwatch::start(Stream stream) const { return record(begin, stream); }

llvm::Error Stopwatch::stop(Stream stream) const { return record(end, stream); }

llvm::Expected<float> Stopwatch::milliseconds() const {
  const Driver &driver = device->driver();
  if (llvm::Error error =
          driver.check(driver.api().hipEventSynchronize(end), "waiting for the kernel"))
    return std::move(error);
  float value = 0;
  if (llvm::Error error =
          driver.check(driver.api().hipEventElapsedTime(&value, begin, end), "hipEventElapsedTime"))
    return std::move(error);
  return value;
}

} // namespace gluonc::hip
