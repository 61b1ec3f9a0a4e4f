//===- Device.h - One GPU: context, memory, streams, events -----------------===//
//
// A Device holds the GPU's primary context (the one that PyTorch and the CUDA
// runtime use too), so pointers and streams of theirs are good here. Calls that
// need the context make it current on the calling thread first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/Driver.h"

namespace gluonc::cuda {

class Device : public std::enable_shared_from_this<Device> {
public:
  static llvm::Expected<int> count(const Driver &driver);
  /// The device of the context that is current on this thread; the first one where none is.
  static int current(const Driver &driver);
  static llvm::Expected<std::shared_ptr<const Device>> open(std::shared_ptr<const Driver> driver,
                                                            int ordinal);
  Device(const Device &) = delete;
  ~Device();

  const Driver &driver() const { return *cuda; }
  int ordinal() const { return index; }
  const std::string &name() const { return deviceName; }
  /// Compute capability times ten.
  unsigned computeCapability() const { return capability; }
  uint64_t totalBytes() const { return memoryBytes; }
  llvm::Expected<int> attribute(DeviceAttribute which) const;

  /// Makes the context current on this thread.
  llvm::Error activate() const;
  llvm::Error synchronize() const;

private:
  Device() = default;
  std::shared_ptr<const Driver> cuda;
  int index = 0;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  std::string deviceName;
  unsigned capability = 0;
  uint64_t memoryBytes = 0;
};

/// Leaves the thread's current context as it found it, if there was one: it is the caller's.
class ContextKeeper {
public:
  explicit ContextKeeper(const Driver &driver) : api(driver.api()) { api.cuCtxGetCurrent(&before); }
  ContextKeeper(const ContextKeeper &) = delete;
  ~ContextKeeper() {
    if (before)
      api.cuCtxSetCurrent(before);
  }

private:
  const Table &api;
  CUcontext before = nullptr;
};

/// Memory that is taken and given back in the order of a stream, also while a graph is captured.
/// What is given back is kept for the next to take.
class MemoryPool {
public:
  static llvm::Expected<MemoryPool> create(const Device &device);
  MemoryPool(MemoryPool &&other) noexcept : cuda(other.cuda), pool(other.pool) {
    other.pool = nullptr;
  }
  ~MemoryPool();

  CUresult take(CUdeviceptr &pointer, size_t bytes, CUstream stream) const;
  CUresult giveBack(CUdeviceptr pointer, CUstream stream) const;

private:
  MemoryPool(const Driver &cuda, CUmemoryPool pool) : cuda(&cuda), pool(pool) {}
  const Driver *cuda;
  CUmemoryPool pool;
};

/// Device memory, freed with the object.
class Buffer {
public:
  static llvm::Expected<Buffer> allocate(std::shared_ptr<const Device> device, size_t bytes);
  Buffer() = default;
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  CUdeviceptr address() const { return pointer; }
  size_t size() const { return bytes; }
  llvm::Error upload(const void *from, size_t count, size_t offset = 0) const;
  llvm::Error download(void *to, size_t count, size_t offset = 0) const;
  llvm::Error fill(uint8_t value) const;

private:
  void swap(Buffer &other) {
    std::swap(device, other.device);
    std::swap(pointer, other.pointer);
    std::swap(bytes, other.bytes);
  }
  std::shared_ptr<const Device> device;
  CUdeviceptr pointer = 0;
  size_t bytes = 0;
};

/// A pair of events around work on one stream.
class Stopwatch {
public:
  static llvm::Expected<Stopwatch> create(std::shared_ptr<const Device> device);
  Stopwatch(Stopwatch &&other) noexcept
      : device(std::move(other.device)), begin(std::exchange(other.begin, nullptr)),
        end(std::exchange(other.end, nullptr)) {}
  ~Stopwatch();
  llvm::Error start(CUstream stream) const;
  llvm::Error stop(CUstream stream) const;
  /// Waits for `stop`'s event.
  llvm::Expected<float> milliseconds() const;

private:
  Stopwatch(std::shared_ptr<const Device> device, CUevent begin, CUevent end)
      : device(std::move(device)), begin(begin), end(end) {}
  std::shared_ptr<const Device> device;
  CUevent begin;
  CUevent end;
};

} // namespace gluonc::cuda
