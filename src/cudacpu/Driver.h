//===- Driver.h - What the driver has: devices, contexts and what lives in them ---===//
//
// Handles are addresses of these structures. Each kind is registered, so that a handle of
// something else, or of what is gone, is an error value. One lock guards all of it; only kernels
// run without it, so that threads of the host launch side by side.
//
// A call does what it says before it returns: streams are in order, and nothing is under way
// between calls. A fault is the answer of the launch and of every later call in its context, as
// with CUDA_LAUNCH_BLOCKING=1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "cudacpu/Memory.h"
#include "cudacpu/Settings.h"
#include "ptx/Module.h"
#include "runtime/cuda/Types.h"

#include "llvm/ADT/DenseMap.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace gluonc::cudacpu {

using cuda::CUdevice;
using cuda::CUdeviceptr;

enum Result : int {
#define GL_ERROR(enumerator, number, name, text) enumerator = number,
#include "cudacpu/Errors.def"
};

struct Context;
struct Capture;
struct Graph;
class Call;

struct Device {
  int ordinal = 0;
  /// Null while nobody has it.
  Context *primary = nullptr;
  unsigned primaryUses = 0, primaryFlags = 0;
};

struct Module {
  Context *context = nullptr;
  std::shared_ptr<const ptx::Module> code;
  std::map<std::string, std::unique_ptr<struct Function>> functions;
};

struct Function {
  Module *module = nullptr;
  const ptx::Function *kernel = nullptr;
  /// Of CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
  unsigned mostDynamicBytes = 0;
  bool allowsLargeClusters = false;
  std::map<int, int> otherAttributes;
  /// How many registers are live at a time; unknown at first.
  std::optional<unsigned> registers;
};

struct Stream {
  Context *context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t number = 0;
  /// Null unless it is captured; then the nodes that the next one follows.
  Capture *capture = nullptr;
  std::vector<size_t> tails;
};

struct Event {
  Context *context = nullptr;
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> time;
  /// Of the capture that it was last recorded in, 0 for none; then the nodes before it.
  uint64_t captureNumber = 0;
  std::vector<size_t> nodes;
};

struct Pool {
  int device = 0;
  std::vector<int> peers;
  std::map<int, uint64_t> attributes;
  bool isDefault = false;
};

struct Context {
  Device *device = nullptr;
  bool isPrimary = false;
  unsigned flags = 0;
  uint64_t number = 0;
  /// What a kernel left behind; every later call gives it.
  Result fault = success;
  /// Devices whose memory kernels of this context reach.
  std::vector<int> peers;
  Stream legacy, perThread;
  /// Of cuCtxSetLimit, by CUlimit.
  std::map<int, size_t> limits;
  /// What kernels may access, and the version of memory that it is of.
  std::shared_ptr<const std::vector<ptx::Range>> ranges;
  uint64_t rangesVersion = 0;
};

/// Objects of one kind by their handles.
template <typename Object> class Registry {
public:
  Object *add(Object object) {
    auto owned = std::make_unique<Object>(std::move(object));
    Object *handle = owned.get();
    objects[handle] = std::move(owned);
    return handle;
  }
  /// Null for what is no handle of this kind.
  Object *find(const void *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second.get();
  }
  bool remove(const void *handle) { return objects.erase(handle) != 0; }
  template <typename Condition> void removeIf(Condition condition) {
    std::vector<const void *> gone;
    for (const auto &[handle, object] : objects)
      if (condition(*object))
        gone.push_back(handle);
    for (const void *handle : gone)
      objects.erase(handle);
  }
  template <typename Function> void each(Function function) const {
    for (const auto &[handle, object] : objects)
      function(*object);
  }

private:
  std::map<const void *, std::unique_ptr<Object>> objects;
};

/// What a context has of a thread.
struct ThreadState {
  std::vector<Context *> contexts;
  /// CUstreamCaptureMode of cuThreadExchangeStreamCaptureMode.
  int captureMode = 0;
};
ThreadState &threadState();

class Driver {
public:
  explicit Driver(Settings settings);
  ~Driver();

  const Settings settings;
  Memory memory;
  std::vector<std::unique_ptr<Device>> devices;
  Registry<Context> contexts;
  Registry<Module> modules;
  Registry<Stream> streams;
  Registry<Event> events;
  Registry<Pool> pools;
  Registry<Graph> graphs;
  /// What graphs were when they were instantiated.
  Registry<std::shared_ptr<const Graph>> executables;
  Registry<Capture> captures;
  /// By device.
  std::vector<Pool *> defaultPools, currentPools;
  llvm::DenseMap<const void *, Function *> functions;
  /// By its text: PTX that was read, as long as a module has it, and has no variables.
  std::map<std::string, std::weak_ptr<const ptx::Module>> texts;
  /// For numbers of contexts, streams and captures.
  uint64_t count = 0;

  Device *device(CUdevice ordinal) const {
    return ordinal < 0 || size_t(ordinal) >= devices.size() ? nullptr
                                                            : devices[size_t(ordinal)].get();
  }
  Context *makeContext(Device &device, bool isPrimary, unsigned flags);
  /// Ends all that lives in it.
  void clear(Context &context);
  void destroy(Context &context);
  /// The thread's; null without, or if it is destroyed.
  Context *current() const;
  /// By its handle, those of default streams included; null for none.
  Stream *stream(const void *handle, Context &context) const;
  /// Memory of a device, of the host that it reaches, or of a module's variable; null if the bytes
  /// do not lie in one piece.
  uint8_t *hostOf(CUdeviceptr address, uint64_t bytes);
  /// The same, or pageable memory of the host.
  uint8_t *anywhere(uint64_t address, uint64_t bytes);
  std::shared_ptr<const std::vector<ptx::Range>> rangesOf(Context &context);
};

/// Before cuInit, null.
Driver *driver();
/// Makes it; the answer of cuInit.
Result initialize();

/// The driver's lock, and the thread's context, for the length of a call.
class Call {
public:
  /// Only the driver is needed.
  enum Needs { TheDriver, AContext };
  explicit Call(Needs needs);
  /// Why the call cannot be made: no driver, no context, or what a kernel left behind.
  Result failure = success;
  Driver &operator*() const { return *opened; }
  Driver *operator->() const { return opened; }
  Context &context() const { return *used; }
  void unlock() { guard.unlock(); }
  void lock() { guard.lock(); }

private:
  std::unique_lock<std::mutex> guard;
  Driver *opened = nullptr;
  Context *used = nullptr;
};
#define GL_ENTER(call, needs)                                                                      \
  Call call(Call::needs);                                                                          \
  if (call.failure)                                                                                \
  return call.failure

/// The same, with the device of a number.
#define GL_DEVICE(call, name, ordinal)                                                             \
  GL_ENTER(call, TheDriver);                                                                       \
  [[maybe_unused]] Device *name = call->device(ordinal);                                           \
  if (!name)                                                                                       \
  return invalidDevice

/// Text of the latest fault or refusal in any thread: valid for good.
const char *lastReport();
/// Makes a text the latest report, of a call that gives `result`.
void report(Result result, const std::string &text);
/// What cuGetErrorString says: of a fault, with the latest report.
const char *textOf(int result);
/// Reports why a call gives `result`, and gives it.
inline Result refuse(Result result, const std::string &text) {
  report(result, text);
  return result;
}
const char *nameOf(int result);

} // namespace gluonc::cudacpu
