//===- Contexts.cpp - Primary contexts and others -----------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"
#include "cudacpu/Simulated.h"

#include <algorithm>

using namespace gluonc;
using namespace gluonc::cudacpu;

static Result give(void **to, void *handle) {
  if (!to)
    return invalidValue;
  *to = handle;
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
