//===- Gpu.h - The CUDA driver as the engine uses it ----------------------------===//
//
// One device, its memory, one stream, graphs.
//
// libcuda.so.1 is opened when a Gpu is, so that the program starts without a driver and says what
// is missing. Errors are values. A Gpu's context is current in the thread that opened it; another
// one calls makeCurrent() first.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Expected.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace engine {

struct Driver;

/// Device memory of its own, given back at the end.
class Memory {
public:
  Memory() = default;
  Memory(const Driver *driver, uint64_t address, bool onHost)
      : driver(driver), place(address), onHost(onHost) {}
  Memory(Memory &&other) noexcept { *this = std::move(other); }
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();

  /// 0 where there is none.
  uint64_t address() const { return place; }
  void *at(size_t offset = 0) const { return reinterpret_cast<void *>(place + offset); }

private:
  const Driver *driver = nullptr;
  uint64_t place = 0;
  bool onHost = false;
};

/// Launches that were recorded, to be launched again in one call.
class Graph {
public:
  Graph() = default;
  Graph(const Driver *driver, void *handle) : driver(driver), handle(handle) {}
  Graph(Graph &&other) noexcept { *this = std::move(other); }
  Graph &operator=(Graph &&other) noexcept;
  ~Graph();

  explicit operator bool() const { return handle; }
  void *raw() const { return handle; }

private:
  const Driver *driver = nullptr;
  void *handle = nullptr;
};

class Gpu {
public:
  static Expected<std::unique_ptr<Gpu>> open(int device);
  ~Gpu();

  Expected<void> makeCurrent();
  /// Kernels of this device reach the other one's memory from now on.
  Expected<void> reach(const Gpu &other);
  /// Of the device: launches and copies below go there, in order.
  void *stream() const { return queue; }
  unsigned multiprocessors() const { return count; }

  /// Filled with zeros.
  Expected<Memory> allocate(size_t bytes);
  /// Host memory that copies can read while the host goes on.
  Expected<Memory> allocateOnHost(size_t bytes);
  /// Bytes of the device's memory that nobody has.
  Expected<size_t> freeBytes();

  /// Does not wait where `from` came from allocateOnHost(); then it must not change before the
  /// stream is there.
  Expected<void> upload(uint64_t to, const void *from, size_t bytes);
  Expected<void> download(void *to, uint64_t from, size_t bytes);
  Expected<void> synchronize();

  /// What goes to the stream until endRecording() is kept, not done.
  Expected<void> beginRecording();
  Expected<Graph> endRecording();
  Expected<void> launch(const Graph &graph);

private:
  Gpu() = default;

  std::unique_ptr<Driver> driver;
  int device = 0;
  void *context = nullptr;
  void *queue = nullptr;
  unsigned count = 0;
};

} // namespace engine
