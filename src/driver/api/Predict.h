//===- Predict.h - Launches that are predicted -----------------------------------===//
#pragma once

#include "driver/Run.h"
#include "driver/Stamped.h"
#include "driver/api/Handles.h"

namespace gluonc::api {

/// What a caller says of the tensor behind a descriptor.
TensorDescription describe(const gluonc_tensor &tensor);

/// The machine code of what a simulated executable was made from; `isTraced`, with the regions that
/// the kernel names. See Executable.cpp.
gluonc_status machineCode(gluonc_executable &executable, bool isTraced,
                          const driver::CompiledKernel *&kernel, gluonc_error **error);

/// The code of an executable for an NVIDIA GPU, with timestamps.
gluonc_status stampedCode(gluonc_executable &executable,
                          std::optional<driver::StampedKernel> &stamped, gluonc_error **error);

/// Adds a launch of a simulated executable to what its engine has predicted. Arguments were
/// checked.
gluonc_status predict(gluonc_executable &executable, driver::Grid grid, const uint64_t *values,
                      const gluonc_launch_options &options, gluonc_error **error);

/// Executes the PTX of a simulated executable for an NVIDIA GPU, which reaches the memory that
/// `options` tells of. Arguments were checked.
gluonc_status executePtx(gluonc_executable &executable, driver::Grid grid, const uint64_t *values,
                         const gluonc_launch_options &options, const LaunchSettings &settings,
                         gluonc_error **error);

} // namespace gluonc::api
