//===- LaunchConfig.h - Structs that CUDA's and HIP's drivers share ----------===//
//
// HIP lays them out as CUDA does (CUDA Driver API reference, "Data types used by CUDA
// driver"; hip/hip_runtime_api.h of HIP 7).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace gluonc::runtime {

/// CUlaunchAttribute, hipLaunchAttribute: a tag and 64 bytes of which each kind uses a prefix.
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

/// CUlaunchConfig, HIP_LAUNCH_CONFIG.
template <typename Stream> struct LaunchConfig {
  unsigned gridX = 1, gridY = 1, gridZ = 1;
  unsigned blockX = 1, blockY = 1, blockZ = 1;
  unsigned sharedBytes = 0;
  Stream stream = nullptr;
  const LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};
static_assert(sizeof(LaunchConfig<void *>) == 56);

/// CUmemPoolProps, hipMemPoolProps: by default, memory of one device that only this process sees.
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
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, hipMemPoolAttrReleaseThreshold.
inline constexpr int poolReleaseThreshold = 4;

} // namespace gluonc::runtime
