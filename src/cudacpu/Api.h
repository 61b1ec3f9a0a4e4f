//===- Api.h - The CUDA driver's functions ----------------------------------------===//
#pragma once

#include "cudacpu/Driver.h"

namespace gluonc::cudacpu {

using cuda::LaunchConfig;
using cuda::MemoryPoolProperties;

/// CUDA_MEMCPY2D.
struct Copy2D {
  /// CUmemorytype: 1 of the host, 2 of a device, 4 anywhere.
  struct Side {
    size_t x, y;
    int type;
    const void *host;
    CUdeviceptr device;
    void *array;
    size_t pitch;
  } from, to;
  size_t bytesOfRow, rows;
};
static_assert(sizeof(Copy2D) == 128);

/// CUmemAccessDesc.
struct PoolAccess {
  int locationType;
  int device;
  /// 0 none, 3 reads and writes.
  int flags;
};

/// CUgraphExecUpdateResultInfo.
struct GraphUpdate {
  int result;
  void *node, *fromNode;
};

} // namespace gluonc::cudacpu

extern "C" {
using gluonc::cudacpu::Copy2D;
using gluonc::cudacpu::CUdevice;
using gluonc::cudacpu::CUdeviceptr;
using gluonc::cudacpu::GraphUpdate;
using gluonc::cudacpu::LaunchConfig;
using gluonc::cudacpu::MemoryPoolProperties;
using gluonc::cudacpu::PoolAccess;
#define GL_CUDA(name, suffix, since, parameters) int name##suffix parameters;
#include "cudacpu/Functions.def"
}
