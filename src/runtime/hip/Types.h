//===- Types.h - The HIP driver's types, declared here -----------------------===//
//
// gluonc builds without ROCm's headers. These are the few types and constants of HIP
// that we pass, as hip/hip_runtime_api.h of HIP 7.1 has them; since HIP 6 none of
// them changed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/LaunchConfig.h"

#include <cstddef>
#include <cstdint>

namespace gluonc::hip {

using Result = int;
/// hipDevice_t; also the number that hipSetDevice takes.
using DeviceHandle = int;
/// hipDeviceptr_t.
using DevicePointer = void *;
using ModuleHandle = struct ihipModule_t *;
using FunctionHandle = struct ihipModuleSymbol_t *;
using Stream = struct ihipStream_t *;
using Event = struct ihipEvent_t *;
using MemoryPoolHandle = struct ihipMemPoolHandle_t *;

/// hipError_t.
enum : Result {
  success = 0,
  errorInvalidValue = 1,
  errorOutOfMemory = 2,
  errorInvalidConfiguration = 9,
  errorNoDevice = 100,
  errorInvalidDevice = 101,
  errorInvalidImage = 200,
  errorNoBinaryForGpu = 209,
  errorNotFound = 500,
  errorIllegalAddress = 700,
  errorCooperativeLaunchTooLarge = 720,
  errorNotSupported = 801,
};

/// hipDeviceAttribute_t.
enum class DeviceAttribute : int {
  L2CacheSize = 19,
  MultiprocessorCount = 63,
  /// LDS that a workgroup may ask for.
  MaxSharedPerBlock = 74,
};

/// hipFunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  LocalSizeBytes = 3,
  NumRegs = 4,
};

/// hipDeviceProp_tR0600, of which only the chip's name is read: hipDeviceGetAttribute does not
/// tell it. The symbol's name says which layout it fills in. HIP 7.1 has 1472 bytes; new members
/// come at the end.
struct DeviceProperties {
  char before[1160];
  /// "gfx942:sramecc+:xnack-".
  char chipName[256];
  char behind[4096 - 1160 - 256];
};

using runtime::LaunchAttribute;
using runtime::MemoryPoolProperties;
using runtime::poolReleaseThreshold;
using LaunchConfig = runtime::LaunchConfig<Stream>;

} // namespace gluonc::hip
