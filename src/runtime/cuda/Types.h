//===- Types.h - The CUDA driver's types, declared here ---------------------===//
//
// gluonc builds without CUDA's headers. The binary interface of the driver is
// stable; these are the few types and constants of it that we pass (CUDA Driver
// API reference, "Data types used by CUDA driver").
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace gluonc::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;

enum : CUresult {
  success = 0,
  errorInvalidValue = 1,
  errorOutOfMemory = 2,
  errorNotInitialized = 3,
  errorNoDevice = 100,
  errorInvalidContext = 201,
  errorNoBinaryForGpu = 209,
  errorInvalidHandle = 400,
  errorIllegalAddress = 700,
  errorLaunchOutOfResources = 701,
  errorAssert = 710,
  errorCooperativeLaunchTooLarge = 720,
  errorInvalidClusterSize = 912,
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  ClockRate = 13,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedPerBlockOptin = 97,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  ConstSizeBytes = 2,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

/// CUjit_option, as far as we set them.
enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferSizeBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSizeBytes = 6,
};

/// CUlaunchAttribute: a tag and 64 bytes of which each kind uses a prefix.
struct LaunchAttribute {
  enum Id : int { Cooperative = 2, ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };
  int id = 0;
  int padding = 0;
  union {
    char bytes[64] = {};
    unsigned clusterDimension[3];
    int flag;
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUmemPoolProps: by default, memory of one device that only this process sees.
struct MemoryPoolProperties {
  int allocationType = 1;
  int handleTypes = 0;
  int locationType = 1;
  int device = 0;
  void *securityAttributes = nullptr;
  size_t maxSize = 0;
  unsigned char reserved[56] = {};
};
static_assert(sizeof(MemoryPoolProperties) == 88);
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.
inline constexpr int poolReleaseThreshold = 4;

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX = 1, gridY = 1, gridZ = 1;
  unsigned blockX = 1, blockY = 1, blockZ = 1;
  unsigned sharedBytes = 0;
  CUstream stream = nullptr;
  const LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};
static_assert(sizeof(LaunchConfig) == 56);

} // namespace gluonc::cuda
