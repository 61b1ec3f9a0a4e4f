//===- Device.h - One AMD GPU: memory, streams, events -----------------------===//
//
// HIP has no contexts to hold: each thread has a current device, and calls without a
// stream go to it. What is done here makes its device current for the length of the
// call, so that the caller's stays what it was. Pointers and streams of PyTorch are
// good here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/hip/Driver.h"

namespace gluonc::hip {

class Device : public std::enable_shared_from_this<Device> {
public:
  static llvm::Expected<int> count(const Driver &driver);
  /// The current device of this thread.
  static int current(const Driver &driver);
  static llvm::Expected<std::shared_ptr<const Device>> open(std::shared_ptr<const Driver> driver,
                                                            int ordinal);
  Device(const Device &) = delete;

  const Driver &driver() const { return *hip; }
  int ordinal() const { return index; }
  const std::string &name() const { return deviceName; }
  /// LLVM's name of the chip: "gfx942". What it can be switched to (":xnack-") is cut off: gluonc's
  /// code runs in either mode.
  const std::string &chip() const { return chipName; }
  uint64_t totalBytes() const { return memoryBytes; }
  llvm::Expected<int> attribute(DeviceAttribute which) const;
  llvm::Error synchronize() const;

private:
  Device() = default;
  std::shared_ptr<const Driver> hip;
  int index = 0;
  DeviceHandle handle = 0;
  std::string deviceName;
  std::string chipName;
  uint64_t memoryBytes = 0;
};

/// Makes a device current, and at the end again what was.
class CurrentDevice {
public:
  CurrentDevice(const Table &api, int ordinal) : api(api) {
    problem = api.hipGetDevice(&before);
    if (problem == success && before != ordinal) [[unlikely]] {
      problem = api.hipSetDevice(ordinal);
      isChanged = problem == success;
    }
  }
  explicit CurrentDevice(const Device &device)
      : CurrentDevice(device.driver().api(), device.ordinal()) {}
  CurrentDevice(const CurrentDevice &) = delete;
  ~CurrentDevice() {
    if (isChanged)
      api.hipSetDevice(before);
  }
  /// Why the device is not current.
  Result result() const { return problem; }

private:
  const Table &api;
  int before = 0;
  bool isChanged = false;
  Result problem = success;
};

/// Memory that is taken and given back in the order of a stream, also while a graph is captured.
/// What is given back is kept for the next to take.
class MemoryPool {
public:
  static llvm::Expected<MemoryPool> create(const Device &device);
  MemoryPool(MemoryPool &&other) noexcept
      : hip(other.hip), pool(std::exchange(other.pool, nullptr)) {}
  ~MemoryPool();

  Result take(void *&pointer, size_t bytes, Stream stream) const;
  Result giveBack(void *pointer, Stream stream) const;

private:
  MemoryPool(const Driver &hip, MemoryPoolHandle pool) : hip(&hip), pool(pool) {}
  const Driver *hip;
  MemoryPoolHandle pool;
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

  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer); }
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
  std::byte *at(size_t offset) const { return static_cast<std::byte *>(pointer) + offset; }
  std::shared_ptr<const Device> device;
  void *pointer = nullptr;
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
  llvm::Error start(Stream stream) const;
  llvm::Error stop(Stream stream) const;
  /// Waits for `stop`'s event.
  llvm::Expected<float> milliseconds() const;

private:
  Stopwatch(std::shared_ptr<const Device> device, Event begin, Event end)
      : device(std::move(device)), begin(begin), end(end) {}
  llvm::Error record(Event event, Stream stream) const;
  std::shared_ptr<const Device> device;
  Event begin;
  Event end;
};

} // namespace gluonc::hip
