//===- MemoryCalls.cpp - Memory: taken and given back ------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

static std::string hex(uint64_t address) {
  return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

/// `from` says which call, and of which kind the memory is.
static Result take(Call &call, uint64_t *address, size_t bytes, Allocation from) {
  if (!address || !bytes)
    return invalidValue;
  from.bytes = bytes;
  if (!from.pool) {
    from.device = call.context().device->ordinal;
    from.context = &call.context();
  }
  Allocation *made = call->memory.allocate(from);
  if (!made)
    return refuse(outOfMemory, std::string(from.call) + " of " + llvm::utostr(bytes) +
                                   " bytes: " + llvm::utostr(call->memory.freeBytes(from.device)) +
                                   " are free, of as many as this machine has");
  *address = made->address;
  return success;
}

static Allocation what(const char *call, MemoryKind kind = MemoryKind::Device) {
  Allocation made;
  made.call = call;
  made.kind = kind;
  return made;
}

/// Kinds that a call gives back.
static Result giveBack(Call &call, const char *name, uint64_t address,
                       std::initializer_list<MemoryKind> kinds) {
  Allocation *found = call->memory.findBegin(address);
  if (!found || found->isOfGraph || !llvm::is_contained(kinds, found->kind))
    return refuse(invalidValue,
                  std::string(name) + " of " + hex(address) + ", " +
                      (call->memory.find(address) ? "where no such allocation begins"
                                                  : call->memory.describe(address, 1, 0)));
  call->memory.free(*found);
  return success;
}

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  GL_ENTER(call, AContext);
  if (!available || !total)
    return invalidValue;
  *available = call->memory.freeBytes(call.context().device->ordinal);
  *total = call->memory.bytesOfDevice();
  return success;
}

int cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  return take(call, address, bytes, what("cuMemAlloc"));
}

int cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t rows, unsigned) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  if (!pitch || !width || !rows || width > size_t(1) << 40 || rows > size_t(1) << 40)
    return invalidValue;
  *pitch = llvm::alignTo(width, 512);
  return take(call, address, *pitch * rows, what("cuMemAllocPitch"));
}

int cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  return take(call, address, bytes, what("cuMemAllocManaged", MemoryKind::Managed));
}

int cuMemFree_v2(CUdeviceptr address) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  if (!address)
    return success;
  return giveBack(call, "cuMemFree", address, {MemoryKind::Device, MemoryKind::Managed});
}

// -- Memory of the host ----------------------------------------------------------

static Result takeHost(void **place, size_t bytes, const char *name) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  uint64_t address = 0;
  if (!place)
    return invalidValue;
  if (Result failure = take(call, &address, bytes, what(name, MemoryKind::PinnedHost)))
    return failure;
  *place = reinterpret_cast<void *>(address);
  return success;
}

int cuMemAllocHost_v2(void **place, size_t bytes) {
  return takeHost(place, bytes, "cuMemAllocHost");
}
int cuMemHostAlloc(void **place, size_t bytes, unsigned) {
  return takeHost(place, bytes, "cuMemHostAlloc");
}

int cuMemFreeHost(void *place) {
  GL_ENTER(call, AContext);
  if (Result unsafe = checkUnsafe(call))
    return unsafe;
  if (!place)
    return success;
  return giveBack(call, "cuMemFreeHost", reinterpret_cast<uint64_t>(place),
                  {MemoryKind::PinnedHost});
}

int cuMemHostRegister_v2(void *place, size_t bytes, unsigned) {
  GL_ENTER(call, AContext);
  if (!place || !bytes || call->memory.isDeviceAddress(reinterpret_cast<uint64_t>(place)))
    return invalidValue;
  Allocation added = what("cuMemHostRegister", MemoryKind::RegisteredHost);
  added.address = reinterpret_cast<uint64_t>(place);
  added.bytes = bytes;
  added.context = &call.context();
  return call->memory.add(added) ? success : hostMemoryAlreadyRegistered;
}

int cuMemHostUnregister(void *place) {
  GL_ENTER(call, AContext);
  Allocation *found = call->memory.findBegin(reinterpret_cast<uint64_t>(place));
  if (!found || found->kind != MemoryKind::RegisteredHost)
    return hostMemoryNotRegistered;
  call->memory.free(*found);
  return success;
}

int cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *place, unsigned flags) {
  GL_ENTER(call, AContext);
  auto given = reinterpret_cast<uint64_t>(place);
  Allocation *found = call->memory.find(given);
  if (!address || flags || !found || found->kind == MemoryKind::Device)
    return invalidValue;
  *address = given;
  return success;
}

// -- Pools -----------------------------------------------------------------------

/// Devices of `pool` other than its own that reach its memory.
static uint32_t reachOf(const Pool &pool) {
  uint32_t devices = 0;
  for (int peer : pool.peers)
    devices |= uint32_t(1) << peer;
  return devices;
}

static Result takeFrom(Call &call, uint64_t *address, size_t bytes, Pool *pool, void *handle,
                       const char *name) {
  Stream *stream = call->stream(handle, call.context());
  if (!pool || !stream)
    return stream ? invalidValue : invalidHandle;
  Allocation made = what(name);
  made.pool = pool;
  made.device = pool->device;
  made.reach = reachOf(*pool);
  Capture *capture = stream->capture;
  made.isOfGraph = capture != nullptr;
  made.isThere = !capture;
  if (Result failure = take(call, address, bytes, made))
    return failure;
  if (!capture)
    return success;
  if (!capture->graph.memory)
    capture->graph.memory = std::make_shared<GraphMemory>();
  capture->graph.memory->addresses.push_back(*address);
  return submit(call, *stream, [address = *address](Call &later) {
    Allocation *own = later->memory.findBegin(address);
    if (!own || own->isThere)
      return refuse(invalidValue, "a graph takes memory that it has not given back");
    later->memory.setThere(*own, true);
    return success;
  });
}

int cuMemAllocAsync(CUdeviceptr *address, size_t bytes, void *stream) {
  GL_ENTER(call, AContext);
  Pool *pool = call->currentPools[size_t(call.context().device->ordinal)];
  return takeFrom(call, address, bytes, pool, stream, "cuMemAllocAsync");
}

int cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, void *pool, void *stream) {
  GL_ENTER(call, AContext);
  return takeFrom(call, address, bytes, call->pools.find(pool), stream, "cuMemAllocFromPoolAsync");
}

int cuMemFreeAsync(CUdeviceptr address, void *handle) {
  GL_ENTER(call, AContext);
  Stream *stream = call->stream(handle, call.context());
  if (!stream)
    return invalidHandle;
  if (!address)
    return success;
  return submit(call, *stream, [address](Call &later) {
    Allocation *found = later->memory.findBegin(address);
    if (!found || !found->isOfGraph)
      return giveBack(later, "cuMemFreeAsync", address, {MemoryKind::Device, MemoryKind::Managed});
    if (!found->isThere)
      return refuse(invalidValue, "cuMemFreeAsync of memory that was given back");
    later->memory.setThere(*found, false);
    return success;
  });
}

int cuMemPoolCreate(void **handle, const MemoryPoolProperties *properties) {
  GL_ENTER(call, TheDriver);
  // Pinned memory, of a device, that no other process sees.
  if (!handle || !properties || properties->allocationType != 1 || properties->locationType != 1)
    return invalidValue;
  if (properties->handleTypes)
    return notSupported;
  if (!call->device(properties->device))
    return invalidDevice;
  Pool pool;
  pool.device = properties->device;
  *handle = call->pools.add(pool);
  return success;
}

int cuMemPoolDestroy(void *handle) {
  GL_ENTER(call, TheDriver);
  Pool *pool = call->pools.find(handle);
  if (!pool || pool->isDefault)
    return invalidValue;
  auto device = size_t(pool->device);
  if (call->currentPools[device] == pool)
    call->currentPools[device] = call->defaultPools[device];
  call->pools.remove(handle);
  return success;
}

/// CUmemPool_attribute: 1 to 3 are flags, from 4 on numbers of 64 bits.
static size_t sizeOfPoolAttribute(int which) {
  constexpr int last = 8;
  return which < 1 || which > last ? 0 : which < 4 ? sizeof(int) : sizeof(uint64_t);
}

int cuMemPoolSetAttribute(void *handle, int which, void *value) {
  GL_ENTER(call, TheDriver);
  Pool *pool = call->pools.find(handle);
  size_t size = sizeOfPoolAttribute(which);
  if (!pool || !size || !value)
    return invalidValue;
  uint64_t bits = 0;
  std::memcpy(&bits, value, size);
  pool->attributes[which] = bits;
  return success;
}

int cuMemPoolGetAttribute(void *handle, int which, void *value) {
  GL_ENTER(call, TheDriver);
  Pool *pool = call->pools.find(handle);
  size_t size = sizeOfPoolAttribute(which);
  if (!pool || !size || !value)
    return invalidValue;
  // Memory is reused unless a program says no.
  uint64_t bits = pool->attributes.count(which) ? pool->attributes[which] : uint64_t(which < 4);
  if (which > 4)
    bits = call->memory.bytesOfPool(pool);
  std::memcpy(value, &bits, size);
  return success;
}

int cuMemPoolSetAccess(void *handle, const PoolAccess *list, size_t count) {
  GL_ENTER(call, TheDriver);
  Pool *pool = call->pools.find(handle);
  if (!pool || (count && !list))
    return invalidValue;
  for (size_t i = 0; i != count; ++i) {
    const PoolAccess &access = list[i];
    if (access.locationType != 1 || (access.flags != 0 && access.flags != 3))
      return invalidValue;
    if (!call->device(access.device))
      return invalidDevice;
    llvm::erase(pool->peers, access.device);
    if (access.flags)
      pool->peers.push_back(access.device);
  }
  call->memory.setReach(pool, reachOf(*pool));
  return success;
}

int cuMemPoolTrimTo(void *handle, size_t) {
  GL_ENTER(call, TheDriver);
  return call->pools.find(handle) ? success : invalidValue;
}

static Result poolOf(void **handle, CUdevice ordinal, bool isDefault) {
  GL_ENTER(call, TheDriver);
  if (!call->device(ordinal))
    return invalidDevice;
  if (!handle)
    return invalidValue;
  *handle = (isDefault ? call->defaultPools : call->currentPools)[size_t(ordinal)];
  return success;
}
int cuDeviceGetDefaultMemPool(void **handle, CUdevice ordinal) {
  return poolOf(handle, ordinal, /*isDefault=*/true);
}
int cuDeviceGetMemPool(void **handle, CUdevice ordinal) {
  return poolOf(handle, ordinal, /*isDefault=*/false);
}
int cuDeviceSetMemPool(CUdevice ordinal, void *handle) {
  GL_ENTER(call, TheDriver);
  Pool *pool = call->pools.find(handle);
  if (!call->device(ordinal))
    return invalidDevice;
  if (!pool || pool->device != ordinal)
    return invalidValue;
  call->currentPools[size_t(ordinal)] = pool;
  return success;
}
