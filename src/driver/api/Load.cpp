//===- Load.cpp - The C API: machine code on a device ------------------------===//
#include "driver/api/Load.h"

namespace gluonc::api {

/// Whether an executable that is loaded on device `there` may be asked for on another.
static gluonc_status checkDevice(int there, std::optional<int> device, gluonc_error **error) {
  if (!device || there == *device)
    return GLUONC_OK;
  return fail(GLUONC_USAGE_ERROR,
              "the executable is loaded on device " + std::to_string(there) + ", not on " +
                  std::to_string(*device) + ": compile another one for that",
              error);
}

runtime::LaunchShape shapeOf(const gluonc_executable &executable) {
  const codegen::KernelInfo &kernel = executable.compiled.kernel;
  runtime::LaunchShape shape;
  shape.threads = kernel.numWarps * executable.target.warpSize();
  shape.ctasPerCluster = kernel.numCtas;
  shape.sharedBytes = kernel.sharedBytes;
  shape.scratchBytes = kernel.globalScratchBytes;
  shape.mode = executable.origin.launch;
  shape.byAddress = executable.parameters.machineDescriptors;
  return shape;
}

template <class Api>
static llvm::Expected<typename Api::Launcher>
makeLauncher(const gluonc_executable &executable,
             const std::shared_ptr<const typename Api::Driver> &driver, std::optional<int> device) {
  typename Api::Keeper kept(*driver);
  auto opened = Api::Device::open(driver, device ? *device : Api::Device::current(*driver));
  if (!opened)
    return opened.takeError();
  auto module = Api::Module::load(*opened, executable.compiled.artifact.bytes);
  if (!module)
    return module.takeError();
  return Api::Launcher::create(*module, executable.compiled.kernel.name, shapeOf(executable),
                               executable.parameters.machineCount);
}

template <class Api>
static gluonc_status loadOn(gluonc_executable &executable,
                            std::unique_ptr<typename Api::Launcher> &loaded,
                            std::atomic<const typename Api::Launcher *> &launcher,
                            std::optional<int> device, gluonc_error **error) {
  if (launcher)
    return checkDevice(launcher.load()->device().ordinal(), device, error);
  std::shared_ptr<const typename Api::Driver> driver;
  {
    EngineLock lock(*executable.engine);
    auto opened = openDriver<Api>(*executable.engine);
    if (!opened)
      return unavailable(opened.takeError(), error);
    driver = *opened;
  }
  llvm::Expected<typename Api::Launcher> made = makeLauncher<Api>(executable, driver, device);
  if (!made)
    return unavailable(made.takeError(), error);
  loaded = std::make_unique<typename Api::Launcher>(std::move(*made));
  launcher = loaded.get();
  return GLUONC_OK;
}

gluonc_status load(gluonc_executable *executable, std::optional<int> device, gluonc_error **error) {
  std::lock_guard guard(executable->loading);
  if (executable->target.isNvidia())
    return loadOn<Cuda>(*executable, executable->loaded, executable->launcher, device, error);
  return loadOn<Hip>(*executable, executable->loadedHip, executable->hipLauncher, device, error);
}

} // namespace gluonc::api

using namespace gluonc;
using namespace gluonc::api;

gluonc_status gluonc_executable_load(gluonc_executable *executable, int device,
                                     gluonc_error **error) {
  if (executable && executable->simulated)
    return GLUONC_OK;
  return guarded(error, {{"executable", executable}},
                 [&] { return load(executable, device, error); });
}
