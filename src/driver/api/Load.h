//===- Load.h - Drivers that an engine opens, and what it puts on devices ----===//
#pragma once

#include "driver/api/Guard.h"
#include "runtime/Apis.h"

namespace gluonc::api {

/// And where an engine keeps them.
struct Cuda : runtime::CudaApi {
  static std::shared_ptr<const Driver> &driver(EngineState &engine) { return engine.cudaDriver; }
};
struct Hip : runtime::HipApi {
  static std::shared_ptr<const Driver> &driver(EngineState &engine) { return engine.hipDriver; }
};

/// Opens the driver unless it is open. The engine must be locked.
template <class Api>
llvm::Expected<std::shared_ptr<const typename Api::Driver>> openDriver(EngineState &engine) {
  std::shared_ptr<const typename Api::Driver> &driver = Api::driver(engine);
  if (driver)
    return driver;
  llvm::Expected<std::shared_ptr<const typename Api::Driver>> opened = Api::Driver::open();
  if (opened)
    driver = *opened;
  return opened;
}

/// How its machine code is launched.
runtime::LaunchShape shapeOf(const gluonc_executable &executable);

/// Puts machine code on a device; where none is named, on the thread's current one.
gluonc_status load(gluonc_executable *executable, std::optional<int> device, gluonc_error **error);

} // namespace gluonc::api
