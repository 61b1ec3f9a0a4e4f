//===- Record.h - Launches on a GPU that record when their warps waited ----------===//
#pragma once

#include "driver/api/Handles.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::api {

/// Launches the executable's code with timestamps, by `launch`, waits for its end, and adds it to
/// the timeline of the engine. The executable is for an NVIDIA GPU.
gluonc_status record(gluonc_executable &executable, runtime::Grid grid, cuda::CUstream stream,
                     llvm::function_ref<gluonc_status(const cuda::Launcher &)> launch,
                     gluonc_error **error);

} // namespace gluonc::api
