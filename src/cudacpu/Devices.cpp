//===- Devices.cpp - Devices, contexts, errors' names -----------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"
#include "cudacpu/Simulated.h"

#include <algorithm>
#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

/// CUDA 13.0.
static constexpr int version = 13000;

static Result give(void **to, void *handle) {
  if (!to)
    return invalidValue;
  *to = handle;
  return success;
}

/// A text for a buffer of the caller's, cut off where it ends.
static Result give(char *to, int length, const std::string &text) {
  if (!to || length < 1)
    return invalidValue;
  size_t count = std::min(text.size(), static_cast<size_t>(length) - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
  return success;
}

int cuInit(unsigned flags) { return flags ? invalidValue : initialize(); }

int cuDriverGetVersion(int *to) {
  if (!to)
    return invalidValue;
  *to = version;
  return success;
}

int cuGetErrorName(int code, const char **name) {
  if (!name)
    return invalidValue;
  *name = nameOf(code);
  return *name ? success : invalidValue;
}

int cuGetErrorString(int code, const char **text) {
  if (!text)
    return invalidValue;
  *text = textOf(code);
  return *text ? success : invalidValue;
}

// -- Devices ---------------------------------------------------------------------

int cuDeviceGetCount(int *count) {
  GL_ENTER(call, TheDriver);
  if (!count)
    return invalidValue;
  *count = call->settings.devices;
  return success;
}

int cuDeviceGet(CUdevice *device, int ordinal) {
  GL_ENTER(call, TheDriver);
  if (!device)
    return invalidValue;
  if (!call->device(ordinal))
    return invalidDevice;
  *device = ordinal;
  return success;
}

#define GL_DEVICE(call, name, ordinal)                                                             \
  GL_ENTER(call, TheDriver);                                                                       \
  [[maybe_unused]] Device *name = call->device(ordinal);                                           \
  if (!name)                                                                                       \
  return invalidDevice

int cuDeviceGetName(char *to, int length, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  return give(to, length, nameOfDevice(call->settings));
}

static int giveUuid(void *uuid, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!uuid)
    return invalidValue;
  char bytes[16] = "gluonc CPU";
  bytes[15] = static_cast<char>(ordinal);
  std::memcpy(uuid, bytes, sizeof bytes);
  return success;
}
int cuDeviceGetUuid(void *uuid, CUdevice ordinal) { return giveUuid(uuid, ordinal); }
int cuDeviceGetUuid_v2(void *uuid, CUdevice ordinal) { return giveUuid(uuid, ordinal); }

int cuDeviceTotalMem_v2(size_t *bytes, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!bytes)
    return invalidValue;
  *bytes = call->memory.bytesOfDevice();
  return success;
}

int cuDeviceGetAttribute(int *value, int which, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  std::optional<int> found = attributeOf(call->settings, which, ordinal);
  if (!value || !found)
    return invalidValue;
  *value = *found;
  return success;
}

int cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!major || !minor)
    return invalidValue;
  unsigned capability = call->settings.target.computeCapability();
  *major = static_cast<int>(capability / 10);
  *minor = static_cast<int>(capability % 10);
  return success;
}

/// No bus has a domain of this number.
static std::string busId(CUdevice ordinal) {
  char text[16];
  std::snprintf(text, sizeof text, "FFFF:%02X:00.0", static_cast<unsigned>(ordinal) & 0xff);
  return text;
}

int cuDeviceGetPCIBusId(char *to, int length, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  return give(to, length, busId(ordinal));
}

int cuDeviceGetByPCIBusId(CUdevice *to, const char *id) {
  GL_ENTER(call, TheDriver);
  if (!to || !id)
    return invalidValue;
  for (const auto &device : call->devices)
    if (llvm::StringRef(id).equals_insensitive(busId(device->ordinal))) {
      *to = device->ordinal;
      return success;
    }
  return invalidDevice;
}

int cuDeviceCanAccessPeer(int *can, CUdevice from, CUdevice to) {
  GL_DEVICE(call, device, from);
  if (!can)
    return invalidValue;
  if (!call->device(to))
    return invalidDevice;
  *can = from != to;
  return success;
}

int cuDeviceGetP2PAttribute(int *value, int which, CUdevice from, CUdevice to) {
  GL_DEVICE(call, device, from);
  // Rank, access, atomics, arrays.
  if (!value || which < 1 || which > 4)
    return invalidValue;
  if (!call->device(to) || from == to)
    return invalidDevice;
  *value = which == 2 || which == 3;
  return success;
}

// -- Primary contexts ------------------------------------------------------------

int cuDevicePrimaryCtxRetain(void **context, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!context)
    return invalidValue;
  if (!device->primary)
    device->primary = call->makeContext(*device, /*isPrimary=*/true, device->primaryFlags);
  ++device->primaryUses;
  *context = device->primary;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!device->primaryUses)
    return invalidContext;
  if (!--device->primaryUses)
    call->destroy(*std::exchange(device->primary, nullptr));
  return success;
}

int cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  // Who retained it still has it, as it was at first.
  if (device->primary)
    call->clear(*device->primary);
  return success;
}

int cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned flags) {
  GL_DEVICE(call, device, ordinal);
  device->primaryFlags = flags;
  if (device->primary)
    device->primary->flags = flags;
  return success;
}

int cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned *flags, int *active) {
  GL_DEVICE(call, device, ordinal);
  if (!flags || !active)
    return invalidValue;
  *flags = device->primaryFlags;
  *active = device->primary != nullptr;
  return success;
}

// -- Contexts --------------------------------------------------------------------

int cuCtxCreate_v2(void **context, unsigned flags, CUdevice ordinal) {
  GL_DEVICE(call, device, ordinal);
  if (!context)
    return invalidValue;
  Context *made = call->makeContext(*device, /*isPrimary=*/false, flags);
  threadState().contexts.push_back(made);
  *context = made;
  return success;
}

int cuCtxCreate_v4(void **context, void *parameters, unsigned flags, CUdevice ordinal) {
  // Of what shares multiprocessors.
  return parameters ? notSupported : cuCtxCreate_v2(context, flags, ordinal);
}

int cuCtxDestroy_v2(void *handle) {
  GL_ENTER(call, TheDriver);
  Context *context = call->contexts.find(handle);
  if (!context || context->isPrimary)
    return invalidContext;
  std::vector<Context *> &stack = threadState().contexts;
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  call->destroy(*context);
  return success;
}

int cuCtxPushCurrent_v2(void *handle) {
  GL_ENTER(call, TheDriver);
  Context *context = call->contexts.find(handle);
  if (!context)
    return invalidContext;
  threadState().contexts.push_back(context);
  return success;
}

int cuCtxPopCurrent_v2(void **context) {
  GL_ENTER(call, TheDriver);
  std::vector<Context *> &stack = threadState().contexts;
  if (stack.empty())
    return invalidContext;
  if (context)
    *context = stack.back();
  stack.pop_back();
  return success;
}

int cuCtxSetCurrent(void *handle) {
  GL_ENTER(call, TheDriver);
  Context *context = call->contexts.find(handle);
  if (handle && !context)
    return invalidContext;
  std::vector<Context *> &stack = threadState().contexts;
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return success;
}

int cuCtxGetCurrent(void **context) {
  GL_ENTER(call, TheDriver);
  return give(context, call->current());
}

/// One that a kernel left broken still says what it is.
static Context *currentContext(Call &call) { return call->current(); }

int cuCtxGetDevice(CUdevice *device) {
  GL_ENTER(call, TheDriver);
  Context *context = currentContext(call);
  if (!context)
    return invalidContext;
  if (!device)
    return invalidValue;
  *device = context->device->ordinal;
  return success;
}

int cuCtxGetFlags(unsigned *flags) {
  GL_ENTER(call, AContext);
  if (!flags)
    return invalidValue;
  *flags = call.context().flags;
  return success;
}

int cuCtxGetId(void *handle, unsigned long long *id) {
  GL_ENTER(call, TheDriver);
  Context *context = handle ? call->contexts.find(handle) : call->current();
  if (!context)
    return invalidContext;
  if (!id)
    return invalidValue;
  *id = context->number;
  return success;
}

int cuCtxGetApiVersion(void *handle, unsigned *to) {
  GL_ENTER(call, TheDriver);
  if (handle && !call->contexts.find(handle))
    return invalidContext;
  if (!to)
    return invalidValue;
  *to = 3020;
  return success;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  GL_ENTER(call, AContext);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = greatestPriority;
  return success;
}

int cuCtxGetLimit(size_t *value, int which) {
  GL_ENTER(call, AContext);
  if (!value || which < 0 || which > lastLimit)
    return invalidValue;
  *value = call.context().limits.count(which) ? call.context().limits[which] : 0;
  return success;
}

int cuCtxSetLimit(int which, size_t value) {
  GL_ENTER(call, AContext);
  if (which < 0 || which > lastLimit)
    return invalidValue;
  call.context().limits[which] = value;
  return success;
}

int cuCtxGetCacheConfig(int *value) {
  GL_ENTER(call, AContext);
  if (!value)
    return invalidValue;
  *value = 0;
  return success;
}

int cuCtxSetCacheConfig(int) {
  GL_ENTER(call, AContext);
  return success;
}

int cuCtxSynchronize() {
  GL_ENTER(call, AContext);
  return checkUnsafe(call);
}

int cuCtxEnablePeerAccess(void *handle, unsigned flags) {
  GL_ENTER(call, AContext);
  Context *peer = call->contexts.find(handle);
  if (!peer)
    return invalidContext;
  int device = peer->device->ordinal;
  if (flags || device == call.context().device->ordinal)
    return flags ? invalidValue : invalidDevice;
  if (llvm::is_contained(call.context().peers, device))
    return peerAccessAlreadyEnabled;
  call.context().peers.push_back(device);
  call.context().ranges = nullptr;
  return success;
}

int cuCtxDisablePeerAccess(void *handle) {
  GL_ENTER(call, AContext);
  Context *peer = call->contexts.find(handle);
  if (!peer)
    return invalidContext;
  size_t before = call.context().peers.size();
  llvm::erase(call.context().peers, peer->device->ordinal);
  call.context().ranges = nullptr;
  return call.context().peers.size() == before ? peerAccessNotEnabled : success;
}

int cuProfilerStart() {
  GL_ENTER(call, AContext);
  return success;
}
int cuProfilerStop() {
  GL_ENTER(call, AContext);
  return success;
}
