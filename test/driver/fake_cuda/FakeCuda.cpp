//===- FakeCuda.cpp - A CUDA driver that is not one -------------------------===//
//
// A shared library with the entry points of runtime/cuda/Symbols.def, over host
// memory, for tests of the runtime on machines without a GPU. Two H100-like
// devices, or of the compute capability that FAKE_CUDA_CHIP says (80); a launch is recorded, and
// one whose context is not current fails as the driver's does. Tests read the record through
// `fakeCuda()`.
//
//===----------------------------------------------------------------------===//
#include "FakeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace gluonc::cuda;

static FakeCuda state;

extern "C" {
FakeCuda *fakeCuda() { return &state; }

CUresult cuInit(unsigned) {
  // For tests of whole programs, which cannot reach the state.
  if (const char *code = getenv("FAKE_CUDA_SYNC"))
    state.syncResult = atoi(code);
  return state.initResult;
}
CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}
CUresult cuGetErrorName(CUresult code, const char **name) {
  *name = code == errorOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == errorNoDevice       ? "CUDA_ERROR_NO_DEVICE"
          : code == errorIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                        : "CUDA_ERROR_UNKNOWN";
  return success;
}
CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = code == errorOutOfMemory ? "out of memory" : "some text";
  return success;
}
CUresult cuDeviceGetCount(int *count) {
  *count = 2;
  return success;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return success;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  strncpy(name, "Fake H100", static_cast<size_t>(length));
  return success;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  const char *chip = getenv("FAKE_CUDA_CHIP");
  int capability = chip ? atoi(chip) : 90;
  switch (static_cast<DeviceAttribute>(attribute)) {
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = capability / 10;
    break;
  case DeviceAttribute::ComputeCapabilityMinor:
    *value = capability % 10;
    break;
  case DeviceAttribute::MaxSharedPerBlockOptin:
    *value = 232448;
    break;
  default:
    *value = 1;
  }
  return success;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  *bytes = size_t(80) << 30;
  return success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ++state.contextsRetained;
  *context = reinterpret_cast<CUcontext>(size_t(1000) + static_cast<size_t>(device));
  return success;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  --state.contextsRetained;
  return success;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = state.current;
  return success;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  if (!state.current)
    return errorInvalidContext;
  *device = static_cast<CUdevice>(reinterpret_cast<size_t>(state.current) - 1000);
  return success;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  state.current = context;
  return success;
}

CUresult cuCtxSynchronize() { return state.syncResult; }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                            void **values) {
  if (!strncmp(static_cast<const char *>(image), "bad", 3)) {
    for (unsigned i = 0; i != count; ++i)
      if (options[i] == static_cast<int>(JitOption::ErrorLogBuffer))
        strcpy(static_cast<char *>(values[i]), "ptxas fatal: bad image");
    return errorNoBinaryForGpu;
  }
  *module = reinterpret_cast<CUmodule>(size_t(2000));
  ++state.modules;
  return success;
}
CUresult cuModuleUnload(CUmodule) {
  --state.modules;
  return success;
}
CUresult cuStreamIsCapturing(CUstream, int *status) {
  *status = state.isCapturing;
  return success;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  if (!strcmp(name, "missing"))
    return 500;
  *function = reinterpret_cast<CUfunction>(size_t(3000));
  return success;
}
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction) {
  *value = attribute == static_cast<int>(FunctionAttribute::MaxThreadsPerBlock) ? 512 : 24;
  return success;
}
CUresult cuFuncSetAttribute(CUfunction, int attribute, int value) {
  if (attribute == static_cast<int>(FunctionAttribute::NonPortableClusterSizeAllowed))
    state.largeClusters = value != 0;
  if (attribute == static_cast<int>(FunctionAttribute::MaxDynamicSharedSizeBytes))
    state.sharedLimit = value;
  return success;
}
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  if (bytes > (size_t(1) << 40))
    return errorOutOfMemory;
  *pointer = reinterpret_cast<CUdeviceptr>(aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++state.allocations;
  return success;
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  free(reinterpret_cast<void *>(pointer));
  --state.allocations;
  return success;
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const MemoryPoolProperties *properties) {
  *pool = reinterpret_cast<CUmemoryPool>(size_t(4000) + static_cast<size_t>(properties->device));
  ++state.pools;
  return success;
}
CUresult cuMemPoolDestroy(CUmemoryPool) {
  --state.pools;
  return success;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, int, void *) { return success; }
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool, CUstream) {
  state.pooledBytes = bytes;
  return cuMemAlloc_v2(pointer, bytes);
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) { return cuMemFree_v2(pointer); }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return success;
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes) {
  memset(reinterpret_cast<void *>(to), value, bytes);
  return success;
}
CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, uint64_t address,
                                const uint64_t *extents, const uint64_t *strides,
                                const uint32_t *box, const uint32_t *, int, int swizzle, int,
                                int padding) {
  state.map.type = type;
  state.map.rank = rank;
  state.map.address = address;
  std::copy_n(extents, rank, state.map.extents);
  std::copy_n(strides, rank - 1, state.map.strides);
  std::copy_n(box, rank, state.map.box);
  state.map.swizzle = swizzle;
  state.map.padding = padding;
  // The real bytes are secret; these are told apart by their first word.
  std::memset(map, 0, 128);
  std::memcpy(map, &address, sizeof address);
  return address % 16 ? errorInvalidValue : success;
}
CUresult cuTensorMapEncodeIm2col(void *, int, uint32_t, uint64_t, const uint64_t *,
                                 const uint64_t *, const int *, const int *, uint32_t, uint32_t,
                                 const uint32_t *, int, int, int, int) {
  return errorInvalidValue;
}
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(size_t(5000));
  return success;
}
CUresult cuEventDestroy_v2(CUevent) { return success; }
CUresult cuEventRecord(CUevent, CUstream) { return success; }
CUresult cuEventSynchronize(CUevent) { return state.syncResult; }
CUresult cuEventElapsedTime(float *value, CUevent, CUevent) {
  *value = 0.5f;
  return success;
}
CUresult cuLaunchKernelEx(const LaunchConfig *config, CUfunction function, void **parameters,
                          void **) {
  if (!state.current)
    return errorInvalidContext;
  ++state.launches;
  state.config = *config;
  state.clusterX = 0;
  for (unsigned i = 0; i != config->attributeCount; ++i)
    if (config->attributes[i].id == LaunchAttribute::ClusterDimension)
      state.clusterX = config->attributes[i].clusterDimension[0];
  for (unsigned i = 0; i != state.parametersToRead; ++i)
    state.parameters[i] = *static_cast<const uint64_t *>(parameters[i]);
  return state.launchResult;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction, int, size_t) {
  *count = state.residentBlocks;
  return success;
}
CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction, const LaunchConfig *) {
  *count = state.residentClusters;
  return success;
}
}
