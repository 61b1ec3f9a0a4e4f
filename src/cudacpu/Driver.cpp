#include "cudacpu/Driver.h"

#include "cudacpu/Graph.h"

#include <cstdio>
#include <set>

namespace gluonc::cudacpu {

namespace {

/// Handles outlive static destructors of programs, so it is never destroyed.
struct State {
  std::mutex lock;
  std::unique_ptr<Driver> driver;
  std::string why;

  std::mutex reportLock;
  /// Of the settings.
  std::string reportsTo;
  /// Every one that was: who asked for its text may keep it.
  std::set<std::string> reports;
  const char *latest = "";
  int latestResult = success;
};

State &state() {
  static State *made = new State();
  return *made;
}

} // namespace

ThreadState &threadState() {
  thread_local ThreadState own;
  return own;
}

Driver *driver() { return state().driver.get(); }

Result initialize() {
  State &all = state();
  std::lock_guard guard(all.lock);
  if (all.driver)
    return success;
  Settings settings = readSettings();
  {
    std::lock_guard reporting(all.reportLock);
    all.reportsTo = settings.reports;
  }
  if (!settings.error.empty())
    return refuse(noDevice, settings.error);
  all.driver = std::make_unique<Driver>(settings);
  return success;
}

Driver::Driver(Settings given) : settings(std::move(given)), memory(settings.devices) {
  for (int ordinal = 0; ordinal != settings.devices; ++ordinal) {
    devices.push_back(std::make_unique<Device>());
    devices.back()->ordinal = ordinal;
    Pool pool;
    pool.device = ordinal;
    pool.isDefault = true;
    defaultPools.push_back(pools.add(pool));
  }
  currentPools = defaultPools;
}

Driver::~Driver() = default;

// -- Contexts --------------------------------------------------------------------

Context *Driver::makeContext(Device &device, bool isPrimary, unsigned flags) {
  Context *context = contexts.add({});
  context->device = &device;
  context->isPrimary = isPrimary;
  context->flags = flags;
  context->number = ++count;
  context->legacy.context = context->perThread.context = context;
  context->legacy.number = ++count;
  context->perThread.number = ++count;
  return context;
}

void Driver::clear(Context &context) {
  auto isOwn = [&](const auto &object) { return object.context == &context; };
  streams.removeIf(isOwn);
  events.removeIf(isOwn);
  modules.each([&](const Module &module) {
    if (module.context == &context)
      for (const auto &[name, function] : module.functions)
        functions.erase(function.get());
  });
  modules.removeIf(isOwn);
  captures.removeIf(isOwn);
  memory.freeAllOf(&context);
  context.fault = success;
  context.peers.clear();
  context.limits.clear();
  context.ranges = nullptr;
  for (Stream *stream : {&context.legacy, &context.perThread}) {
    stream->capture = nullptr;
    stream->tails.clear();
  }
}

void Driver::destroy(Context &context) {
  clear(context);
  contexts.remove(&context);
}

Context *Driver::current() const {
  const ThreadState &thread = threadState();
  return thread.contexts.empty() ? nullptr : contexts.find(thread.contexts.back());
}

Stream *Driver::stream(const void *handle, Context &context) const {
  constexpr uintptr_t legacy = 1, perThread = 2;
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (!number || number == legacy)
    return &context.legacy;
  return number == perThread ? &context.perThread : streams.find(handle);
}

// -- Memory ----------------------------------------------------------------------

uint8_t *Driver::hostOf(CUdeviceptr address, uint64_t bytes) {
  if (uint8_t *place = memory.hostOf(address, bytes))
    return place;
  uint8_t *found = nullptr;
  modules.each([&](const Module &module) {
    for (const auto &variable : module.code->variables) {
      auto begin = reinterpret_cast<uint64_t>(variable->data());
      if (address >= begin && address - begin <= variable->size() &&
          bytes <= variable->size() - (address - begin))
        found = reinterpret_cast<uint8_t *>(address);
    }
  });
  return found;
}

uint8_t *Driver::anywhere(uint64_t address, uint64_t bytes) {
  if (uint8_t *place = hostOf(address, bytes))
    return place;
  bool isKnown = memory.isDeviceAddress(address) || memory.find(address) || !address;
  return isKnown ? nullptr : reinterpret_cast<uint8_t *>(address);
}

std::shared_ptr<const std::vector<ptx::Range>> Driver::rangesOf(Context &context) {
  if (!context.ranges || context.rangesVersion != memory.version()) {
    auto made = std::make_shared<std::vector<ptx::Range>>();
    memory.addRanges(context.device->ordinal, context.peers, *made);
    context.ranges = std::move(made);
    context.rangesVersion = memory.version();
  }
  return context.ranges;
}

// -- Calls -----------------------------------------------------------------------

Call::Call(Needs needs) : guard(state().lock), opened(state().driver.get()) {
  if (!opened) {
    failure = notInitialized;
    return;
  }
  if (needs != AContext)
    return;
  used = opened->current();
  failure = used ? used->fault : invalidContext;
}

const char *lastReport() {
  std::lock_guard guard(state().reportLock);
  return state().latest;
}

void report(Result result, const std::string &text) {
  State &all = state();
  std::lock_guard guard(all.reportLock);
  all.latest = all.reports.insert(text).first->c_str();
  all.latestResult = result;
  const std::string &where = all.reportsTo;
  if (where.empty())
    return;
  FILE *file = where == "stderr" ? stderr : std::fopen(where.c_str(), "a");
  if (!file)
    return;
  std::fprintf(file, "%s: %s\n", nameOf(result), all.latest);
  file == stderr ? std::fflush(file) : std::fclose(file);
}

const char *nameOf(int result) {
  switch (result) {
#define GL_ERROR(enumerator, number, name, text)                                                   \
  case enumerator:                                                                                 \
    return name;
#include "cudacpu/Errors.def"
  }
  return nullptr;
}

const char *textOf(int result) {
  {
    std::lock_guard guard(state().reportLock);
    if (result != success && result == state().latestResult)
      return state().latest;
  }
  switch (result) {
#define GL_ERROR(enumerator, number, name, text)                                                   \
  case enumerator:                                                                                 \
    return text;
#include "cudacpu/Errors.def"
  }
  return nullptr;
}

} // namespace gluonc::cudacpu
