//===- FakeCuda.h - What the fake driver recorded, and how it shall answer --===//
#pragma once

#include "runtime/cuda/Types.h"

struct FakeCuda {
  gluonc::cuda::CUresult initResult = 0;
  gluonc::cuda::CUresult syncResult = 0;
  gluonc::cuda::CUresult launchResult = 0;
  /// How many parameters a launch reads; the fake does not know the kernel.
  unsigned parametersToRead = 0;

  gluonc::cuda::CUcontext current = nullptr;
  int contextsRetained = 0;
  int allocations = 0;
  int pools = 0;
  int modules = 0;
  bool isCapturing = false;
  /// Of the last allocation from a pool.
  size_t pooledBytes = 0;
  int launches = 0;
  /// CTAs of a kernel that a multiprocessor holds, and clusters that the GPU holds.
  int residentBlocks = 2, residentClusters = 33;
  int sharedLimit = 0;
  gluonc::cuda::LaunchConfig config;
  unsigned clusterX = 0;
  /// Whether a function was allowed clusters of more than 8 CTAs.
  bool largeClusters = false;
  uint64_t parameters[80] = {};

  /// What the last tensor map was asked to be; dims as the driver counts them.
  struct {
    int type = -1;
    unsigned rank = 0;
    uint64_t address = 0;
    uint64_t extents[5] = {}, strides[4] = {};
    unsigned box[5] = {};
    int swizzle = -1, padding = -1;
  } map;
};
