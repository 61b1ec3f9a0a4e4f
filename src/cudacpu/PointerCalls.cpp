//===- PointerCalls.cpp - What is behind an address ---------------------------------===//
#include "cudacpu/Api.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

static std::string hex(uint64_t address) {
  return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

int cuMemGetAddressRange_v2(CUdeviceptr *begin, size_t *bytes, CUdeviceptr address) {
  GL_ENTER(call, AContext);
  Allocation *found = call->memory.find(address);
  if (!found || !found->isThere)
    return refuse(notFound, "cuMemGetAddressRange of " + hex(address) + ", " +
                                call->memory.describe(address, 1, 0));
  if (begin)
    *begin = found->address;
  if (bytes)
    *bytes = found->bytes;
  return success;
}

template <typename Value> static void put(void *to, Value value) {
  std::memcpy(to, &value, sizeof value);
}

/// CUpointer_attribute.
static Result pointerAttribute(Call &call, void *to, int which, uint64_t address) {
  Allocation *found = call->memory.find(address);
  if (!found || !found->isThere)
    return invalidValue;
  bool isDevice = found->kind == MemoryKind::Device || found->kind == MemoryKind::Managed;
  constexpr unsigned host = 1, device = 2;
  Device *owner = call->device(found->device);
  switch (which) {
  case 1: // context
    put<void *>(to, owner->primary ? owner->primary : &call.context());
    return success;
  case 2: // memory type
    put(to, isDevice ? device : host);
    return success;
  case 3: // the device's address
    put(to, address);
    return success;
  case 4: // the host's
    if (found->kind == MemoryKind::Device)
      return invalidValue;
    put(to, address);
    return success;
  case 6:  // synchronous operations
  case 13: // mapped
    put(to, 1);
    return success;
  case 7: // the allocation's number
    put(to, found->number);
    return success;
  case 8: // managed
    put(to, int(found->kind == MemoryKind::Managed));
    return success;
  case 9: // device
    put(to, found->device);
    return success;
  case 10: // may be shared with processes
    put(to, 0);
    return success;
  case 11:
    put(to, found->address);
    return success;
  case 12:
    put(to, found->bytes);
    return success;
  case 17:
    put(to, found->pool);
    return success;
  default:
    return notSupported;
  }
}

int cuPointerGetAttribute(void *to, int which, CUdeviceptr address) {
  GL_ENTER(call, AContext);
  return to ? pointerAttribute(call, to, which, address) : invalidValue;
}

int cuPointerGetAttributes(unsigned count, int *which, void **to, CUdeviceptr address) {
  GL_ENTER(call, AContext);
  if (!count || !which || !to)
    return invalidValue;
  for (unsigned i = 0; i != count; ++i) {
    if (!to[i])
      return invalidValue;
    // Nothing is known of memory of the host's own.
    bool isWide = which[i] != 2 && which[i] != 6 && which[i] != 8 && which[i] != 9 &&
                  which[i] != 10 && which[i] != 13;
    if (pointerAttribute(call, to[i], which[i], address))
      std::memset(to[i], 0, isWide ? sizeof(uint64_t) : sizeof(int));
  }
  return success;
}

int cuPointerSetAttribute(const void *, int which, CUdeviceptr address) {
  GL_ENTER(call, AContext);
  constexpr int synchronousOperations = 6;
  return which == synchronousOperations && call->memory.find(address) ? success : invalidValue;
}
