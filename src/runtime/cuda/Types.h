//===- Types.h - The CUDA driver's types, declared here ---------------------===//
//
// gluonc builds without CUDA's headers. The binary interface of the driver is
// stable; these are the few types and constants of it that we pass (CUDA Driver
// API reference, "Data types used by CUDA driver").
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/LaunchConfig.h"

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

using runtime::LaunchAttribute;
using runtime::MemoryPoolProperties;
using runtime::poolReleaseThreshold;
using LaunchConfig = runtime::LaunchConfig<CUstream>;

} // namespace gluonc::cuda
