//===- KernelPipeline.h - What a kernel's IR has of a pipeline --------------------===//
#pragma once

#include "diag/Source.h"
#include "ir/Dialects.h"
#include "picture/Draw.h"

namespace gluonc::driver {

/// Partitions, buffers and barriers of a transformed module's kernel, the steps that copy,
/// multiply, read, write, wait and arrive, and loops whose copies run ahead. No steps: nothing of
/// it runs beside its threads.
picture::KernelPipeline pipelineOf(mlir::ModuleOp module, const diag::SourceManager &sources);

} // namespace gluonc::driver
