//===- Load.h - Drivers that an engine opens, and what it puts on devices ----===//
#pragma once

#include "driver/api/Guard.h"

namespace gluonc::api {

/// Each driver under one name, for what is the same with both.
struct Cuda {
  using Driver = cuda::Driver;
  using Device = cuda::Device;
  using Module = cuda::Module;
  using Launcher = cuda::Launcher;
  /// While one lives, the thread's current context stays the caller's.
  using Keeper = cuda::ContextKeeper;
  static std::shared_ptr<const Driver> &driver(EngineState &engine) { return engine.cudaDriver; }
};
struct Hip {
  using Driver = hip::Driver;
  using Device = hip::Device;
  using Module = hip::Module;
  using Launcher = hip::Launcher;
  /// HIP's calls leave the current device as it was.
  struct Keeper {
    explicit Keeper(const Driver &) {}
  };
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

/// Puts machine code on a device; where none is named, on the thread's current one.
gluonc_status load(gluonc_executable *executable, std::optional<int> device, gluonc_error **error);

} // namespace gluonc::api
