//===- Devices.cpp - Devices, errors' names ----------------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Simulated.h"

#include <algorithm>
#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

/// CUDA 13.0.
static constexpr int version = 13000;

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

// -- Profilers -------------------------------------------------------------------

int cuProfilerStart() {
  GL_ENTER(call, AContext);
  return success;
}
int cuProfilerStop() {
  GL_ENTER(call, AContext);
  return success;
}
