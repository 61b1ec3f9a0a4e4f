//===- Stamped.h - Kernels that record when their warps waited --------------------===//
#pragma once

#include "driver/Compiler.h"
#include "model/Trace.h"
#include "ptx/Timestamps.h"

namespace gluonc::driver {

struct KernelRequest;

struct StampedKernel {
  ptx::TimestampedKernel timed;
  CompiledKernel kernel;
  std::vector<model::Partition> partitions;
};

/// `plain`, a kernel for an NVIDIA GPU, with timestamps in its PTX. `request` is for IR like that
/// which `plain` was made of, and is used up. Nullopt after a report.
std::optional<StampedKernel> stamp(Compiler &compiler, const CompiledKernel &plain,
                                   KernelRequest &request, const diag::SourceManager &sources,
                                   diag::Sink &sink);

} // namespace gluonc::driver
