//===- Devices.cpp - The C API: GPUs that are there --------------------------===//
#include "driver/api/Load.h"

using namespace gluonc;
using namespace gluonc::api;

/// Zero where there is no driver.
template <class Api> static int countDevices(gluonc_engine *engine) {
  int found = 0;
  guarded(nullptr, {{"engine", engine}}, [&] {
    EngineLock lock(*engine->state);
    auto driver = openDriver<Api>(*engine->state);
    if (!driver)
      return unavailable(driver.takeError(), nullptr);
    llvm::Expected<int> count = Api::Device::count(**driver);
    if (!count)
      return unavailable(count.takeError(), nullptr);
    found = *count;
    return GLUONC_OK;
  });
  return found;
}

/// Kept by the engine, which is locked.
static const char *keepName(EngineState &engine, std::string name) {
  // Reserved so that earlier pointers stay good.
  std::vector<std::string> &names = engine.targetNames;
  names.reserve(64);
  auto at = llvm::find(names, name);
  if (at == names.end())
    at = names.insert(names.end(), std::move(name));
  return at->c_str();
}

template <class Api>
static gluonc_status findTarget(gluonc_engine *engine, int device, const char **target,
                                gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"target", target}}, [&] {
    EngineState &state = *engine->state;
    EngineLock lock(state);
    auto driver = openDriver<Api>(state);
    if (!driver)
      return unavailable(driver.takeError(), error);
    typename Api::Keeper kept(**driver);
    auto opened = Api::Device::open(*driver, device);
    if (!opened)
      return unavailable(opened.takeError(), error);
    std::optional<target::Target> found = runtime::targetOf(**opened);
    if (!found)
      return fail(GLUONC_UNAVAILABLE,
                  "no code generator for " + (*opened)->name() + ", " + runtime::chipOf(**opened),
                  error);
    *target = keepName(state, found->name());
    return GLUONC_OK;
  });
}

int gluonc_engine_cuda_device_count(gluonc_engine *engine) { return countDevices<Cuda>(engine); }

int gluonc_engine_hip_device_count(gluonc_engine *engine) { return countDevices<Hip>(engine); }

int gluonc_engine_device_count(gluonc_engine *engine) {
  int count = countDevices<Cuda>(engine);
  return count ? count : countDevices<Hip>(engine);
}

gluonc_status gluonc_engine_cuda_target(gluonc_engine *engine, int device, const char **target,
                                        gluonc_error **error) {
  return findTarget<Cuda>(engine, device, target, error);
}

gluonc_status gluonc_engine_hip_target(gluonc_engine *engine, int device, const char **target,
                                       gluonc_error **error) {
  return findTarget<Hip>(engine, device, target, error);
}

gluonc_status gluonc_engine_device_target(gluonc_engine *engine, int device, const char **target,
                                          gluonc_error **error) {
  bool isAmd = !countDevices<Cuda>(engine) && countDevices<Hip>(engine);
  return (isAmd ? findTarget<Hip> : findTarget<Cuda>)(engine, device, target, error);
}
